/**
 * The RPC client and the remote worker. Start at {@link dev.longhaul.client.LonghaulClient}. The services are defined
 * in the protobuf files of {@code longhaul/v1}; their Java code is generated into {@code dev.longhaul.rpc.v1}. This
 * package does not depend on the server's code.
 */
@NullMarked
package dev.longhaul.client;

import org.jspecify.annotations.NullMarked;
