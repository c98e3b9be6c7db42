package dev.longhaul.webhook;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.job.WebhookUrl;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a webhook: its URL, or {@code kafka:} and a topic, and the events it subscribes to.
 *
 * @param definitionKeys only events of jobs of these definitions; empty for all
 * @param queues only events of jobs of these queues; empty for all
 * @param labels only events of jobs with all these labels
 * @param secrets each signs every delivery; two during a key rotation
 */
public record WebhookSpec(
        String url,
        Set<WebhookEvent> events,
        Set<String> definitionKeys,
        Set<String> queues,
        Map<String, String> labels,
        List<String> secrets) {
    private static final int MOST_NAMES = 100;
    private static final int MOST_SECRETS = 2;

    public WebhookSpec {
        var problems = new Problems();
        WebhookUrl.checkSubscription(problems, url);
        boolean some = !events.isEmpty() && events.stream().allMatch(WebhookEvent::subscribable);
        problems.require(some, "events", events.stream().map(WebhookEvent::text).toList(), "events such as job.ended");
        names(problems, "definitionKeys", definitionKeys);
        names(problems, "queues", queues);
        JobSpec.checkLabels(problems, labels);
        boolean fewSecrets = !secrets.isEmpty() && secrets.size() <= MOST_SECRETS;
        problems.require(fewSecrets, "secrets", secrets.size() + " of them", "1 or " + MOST_SECRETS);
        for (String secret : secrets) {
            problems.require(WebhookSecret.valid(secret), "secrets", "***", WebhookSecret.RULE);
        }
        problems.throwIfAny();
        events = Set.copyOf(events);
        definitionKeys = new TreeSet<>(definitionKeys);
        queues = new TreeSet<>(queues);
        labels = new TreeMap<>(labels);
        secrets = List.copyOf(secrets);
    }

    /**
     * The shared entry of webhooks of jobs to the same host. Its secret is random, so an operator must set one for
     * receivers to verify.
     */
    public static WebhookSpec sharedBy(JobWebhook webhook) {
        return new WebhookSpec(
                webhook.origin() + "/",
                WebhookEvent.OF_ONE_JOB,
                Set.of(),
                Set.of(),
                Map.of(),
                List.of(WebhookSecret.random()));
    }

    private static void names(Problems problems, String field, Set<String> names) {
        problems.require(names.size() <= MOST_NAMES, field, names.size() + " of them", "at most " + MOST_NAMES);
        names.forEach(name -> problems.require(Names.valid(name), field, name, Names.RULE));
    }

    /** Whether it subscribes to {@code event} of a job like this one. */
    public boolean wants(WebhookEvent event, JobSpec job) {
        return events.contains(event)
                && (definitionKeys.isEmpty()
                        || definitionKeys.contains(job.definition().key()))
                && (queues.isEmpty() || queues.contains(job.queue()))
                && job.labels().entrySet().containsAll(labels.entrySet());
    }

    /** Whether it subscribes to this event, which is not about one job. */
    public boolean wants(WebhookEvent event, SystemEvent happening) {
        return events.contains(event)
                && among(definitionKeys, happening.definitionKey())
                && among(queues, happening.queue())
                && happening.labels().entrySet().containsAll(labels.entrySet());
    }

    private static boolean among(Set<String> names, @Nullable String name) {
        return names.isEmpty() || (name != null && names.contains(name));
    }

    /** Omits the secrets, so that they are not logged. */
    @Override
    public String toString() {
        return "WebhookSpec[" + url + " " + events + "]";
    }
}
