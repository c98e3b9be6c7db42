package dev.longhaul.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.error.Problems;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who wants to hear of one job; asked for with the job, and removed with it. The webhooks of jobs that lead to the same host share a
 * {@link Webhook}, so that they are held back together while it fails and operators have one thing to look at.
 *
 * @param secret signs what is sent; null for the secret of the webhook that is shared
 */
public record JobWebhook(
        String url, Set<WebhookEvent> events, @Nullable String secret) {
    /** How the job ended, told once. */
    public static final Set<WebhookEvent> USUAL_EVENTS =
            Set.of(WebhookEvent.JOB_SUCCEEDED, WebhookEvent.JOB_FAILED, WebhookEvent.JOB_CANCELLED);

    private static final Set<WebhookEvent> ALL_EVENTS = EnumSet.range(WebhookEvent.JOB_STARTED, WebhookEvent.JOB_ENDED);

    public JobWebhook {
        var problems = new Problems();
        WebhookUrl.check(problems, url);
        boolean some = !events.isEmpty() && ALL_EVENTS.containsAll(events);
        problems.require(
                some,
                "events",
                events.stream().map(WebhookEvent::text).sorted().toList(),
                "some of job.started and the like");
        problems.require(secret == null || WebhookSecret.valid(secret), "secret", "***", WebhookSecret.RULE);
        problems.throwIfAny();
        events = Set.copyOf(events);
    }

    /** Tells how the job ended. */
    public static JobWebhook to(String url) {
        return new JobWebhook(url, USUAL_EVENTS, null);
    }

    public JobWebhook events(Set<WebhookEvent> wanted) {
        return new JobWebhook(url, wanted, secret);
    }

    public JobWebhook secret(@Nullable String signing) {
        return new JobWebhook(url, events, signing);
    }

    /** The webhook that all share that lead to this host. */
    public UUID sharedId() {
        return UUID.nameUUIDFromBytes(("webhook of jobs: " + WebhookUrl.origin(url)).getBytes(UTF_8));
    }

    /** What it is made of when the first job comes; its secret is for those that bring none, and known to nobody before an operator sets it. */
    public WebhookSpec shared() {
        return new WebhookSpec(
                WebhookUrl.origin(url) + "/",
                ALL_EVENTS,
                Set.of(),
                Set.of(),
                Map.of(),
                List.of(WebhookSecret.random()));
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "JobWebhook[" + url + " " + events + "]";
    }
}
