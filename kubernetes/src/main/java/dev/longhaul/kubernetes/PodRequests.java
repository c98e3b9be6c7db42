package dev.longhaul.kubernetes;

import dev.longhaul.kubernetes.cluster.Tracked;
import dev.longhaul.spi.Execution;

/** The requests to leave or to stop a run. They cut its waits short. */
final class PodRequests {
    private static final long STEP_MILLIS = 1000;

    private final Execution execution;
    private final Tracked tracked;
    private volatile boolean leaving;
    private volatile boolean stopping;

    PodRequests(Execution execution, Tracked tracked) {
        this.execution = execution;
        this.tracked = tracked;
    }

    void listen() {
        execution.onDraining(() -> {
            leaving = true;
            tracked.wake();
        });
        execution.context().onCancel(() -> {
            requested();
            tracked.wake();
        });
    }

    /** A worker that shuts down leaves its pods, whatever stops its own code. */
    private void requested() {
        if (execution.context().draining()) {
            leaving = true;
        } else if (!execution.lost()) {
            stopping = true;
        }
    }

    /** Whether the worker shuts down: the pod continues, and another worker follows it. */
    boolean leaving() {
        return leaving;
    }

    /** Whether the pod has to end. */
    boolean stopping() {
        return stopping;
    }

    /** Whether a pod that does not exist yet must not be created any more. */
    boolean any() {
        return leaving || stopping || execution.lost();
    }

    /** Waits for a change, or for a short time. */
    void await() {
        await(STEP_MILLIS);
    }

    void await(long millis) {
        try {
            tracked.await(millis);
        } catch (InterruptedException e) {
            // The worker interrupts code that has to end now. The pod then gets its own grace period.
            requested();
        }
    }
}
