/** The RPC services for workers and clients in any language. */
@NullMarked
package dev.longhaul.server.rpc;

import org.jspecify.annotations.NullMarked;
