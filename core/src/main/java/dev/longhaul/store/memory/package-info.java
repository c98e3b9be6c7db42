/**
 * The store for tests and demos: same meaning as PostgreSQL's, no durability. Start at {@link
 * dev.longhaul.store.memory.MemoryStore}.
 */
@NullMarked
package dev.longhaul.store.memory;

import org.jspecify.annotations.NullMarked;
