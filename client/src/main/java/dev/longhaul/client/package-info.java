/**
 * Longhaul from elsewhere, over RPC. Start at {@link dev.longhaul.client.LonghaulClient}. The services themselves are the files of
 * {@code longhaul/v1}; their Java is generated into {@code dev.longhaul.rpc.v1}. Nothing here knows the server's code.
 */
@NullMarked
package dev.longhaul.client;

import org.jspecify.annotations.NullMarked;
