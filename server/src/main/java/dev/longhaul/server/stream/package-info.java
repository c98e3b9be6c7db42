/** Live events of jobs: polls the store and streams to clients. */
@NullMarked
package dev.longhaul.server.stream;

import org.jspecify.annotations.NullMarked;
