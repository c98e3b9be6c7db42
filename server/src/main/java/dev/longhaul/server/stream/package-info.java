/** Live events of jobs: watches on the store and the streams to clients. */
@NullMarked
package dev.longhaul.server.stream;

import org.jspecify.annotations.NullMarked;
