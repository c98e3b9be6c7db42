package dev.longhaul.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.error.Problems;
import dev.longhaul.webhook.Webhook;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The webhook of one job; given with the job, and removed with it. The webhooks of jobs that lead to the same host
 * share a {@link Webhook}, so that they are held back together while the host fails, and operators see a single entry.
 *
 * @param secret signs the deliveries; null for the secret of the shared webhook
 */
public record JobWebhook(
        String url, Set<WebhookEvent> events, @Nullable String secret) {
    /** The default events: the end of the job, sent once. */
    public static final Set<WebhookEvent> USUAL_EVENTS =
            Set.of(WebhookEvent.JOB_SUCCEEDED, WebhookEvent.JOB_FAILED, WebhookEvent.JOB_CANCELLED);

    public JobWebhook {
        var problems = new Problems();
        WebhookUrl.check(problems, url);
        boolean some = !events.isEmpty() && WebhookEvent.OF_ONE_JOB.containsAll(events);
        problems.require(
                some,
                "events",
                events.stream().map(WebhookEvent::text).sorted().toList(),
                "at least one event of a job, such as job.ended");
        problems.require(secret == null || WebhookSecret.valid(secret), "secret", "***", WebhookSecret.RULE);
        problems.throwIfAny();
        events = Set.copyOf(events);
    }

    /** A webhook that receives the end of the job. */
    public static JobWebhook to(String url) {
        return new JobWebhook(url, USUAL_EVENTS, null);
    }

    public JobWebhook events(Set<WebhookEvent> selected) {
        return new JobWebhook(url, selected, secret);
    }

    public JobWebhook secret(@Nullable String signing) {
        return new JobWebhook(url, events, signing);
    }

    /** The id of the webhook that all webhooks of jobs to this host share. */
    public UUID sharedId() {
        return UUID.nameUUIDFromBytes(("webhook of jobs: " + origin()).getBytes(UTF_8));
    }

    /** Scheme, host and port. */
    public String origin() {
        return WebhookUrl.origin(url);
    }

    /** Omits the secret, so that it is not logged. */
    @Override
    public String toString() {
        return "JobWebhook[" + url + " " + events + "]";
    }
}
