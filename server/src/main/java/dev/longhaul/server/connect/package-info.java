/**
 * The Connect protocol (connectrpc.com) in front of Armeria's gRPC, so that browsers and curl can call the same services. Start at
 * {@link dev.longhaul.server.connect.ConnectService}. Nothing here knows what the services do.
 */
@NullMarked
package dev.longhaul.server.connect;

import org.jspecify.annotations.NullMarked;
