package dev.longhaul.webhook;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A subscription, or what the webhooks of jobs share that lead to one host.
 *
 * @param ofJobs whether it is the latter: then it is told only of jobs that ask for it, each at the URL that the job says
 * @param enabled whether events are noted for it and sent to it
 * @param failures how many tries to reach it have failed in a row
 * @param resumeAt while it fails: when it is tried again
 */
public record Webhook(
        UUID id,
        WebhookSpec spec,
        boolean ofJobs,
        boolean enabled,
        Instant createdAt,
        Instant updatedAt,
        @Nullable String createdBy,
        int failures,
        @Nullable Instant resumeAt) {}
