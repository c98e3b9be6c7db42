package dev.longhaul.memory;

import java.time.Instant;

/**
 * The consumers of transitions: hooks and webhooks. Dispatches each transition at once; callers hold the store's lock, so that
 * transition and effects are seen together.
 */
final class Effects {
    private final DueHooks hooks;
    private final MemoryWebhooks webhooks;

    Effects(DueHooks hooks, MemoryWebhooks webhooks) {
        this.hooks = hooks;
        this.webhooks = webhooks;
    }

    /** Dispatches the job's last transition, which no worker made or which does not end the job. */
    void dispatch(StoredJob job, Instant now) {
        hooks.ended(job, now);
        webhooks.publish(job, now);
    }

    /** Dispatches the job's last transition, made by a worker that runs the hooks itself. */
    void dispatchByOwner(StoredJob job, Instant now) {
        hooks.endedByOwner(job, now);
        webhooks.publish(job, now);
    }
}
