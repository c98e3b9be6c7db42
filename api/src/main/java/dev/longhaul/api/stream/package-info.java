/** Streams of live job events: polls the store and sends events to clients. */
@NullMarked
package dev.longhaul.api.stream;

import org.jspecify.annotations.NullMarked;
