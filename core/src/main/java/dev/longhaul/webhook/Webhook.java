package dev.longhaul.webhook;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A subscription, or the shared entry of all webhooks of jobs that lead to one host.
 *
 * @param ofJobs whether it is a shared entry: then it gets only events of jobs that name a webhook, each at the job's
 * URL
 * @param enabled whether deliveries are created for it and sent to it
 * @param failures how many tries have failed in a row
 * @param resumeAt when the next try is due, while the webhook is failing; null otherwise
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
