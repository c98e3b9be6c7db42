package dev.longhaul.server;

import dev.longhaul.store.JobStore;

/** Follows jobs that somebody watches. */
final class Live implements AutoCloseable {
    private final JobStore store;

    Live(JobStore store) {
        this.store = store;
    }

    JobStore store() {
        return store;
    }

    @Override
    public void close() {}
}
