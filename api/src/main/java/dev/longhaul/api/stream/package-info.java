/** Live events of jobs: polls the store and streams to clients. */
@NullMarked
package dev.longhaul.api.stream;

import org.jspecify.annotations.NullMarked;
