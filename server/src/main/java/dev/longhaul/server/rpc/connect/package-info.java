/** The Connect protocol on top of gRPC services. */
@NullMarked
package dev.longhaul.server.rpc.connect;

import org.jspecify.annotations.NullMarked;
