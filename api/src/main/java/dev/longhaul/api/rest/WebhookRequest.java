package dev.longhaul.api.rest;

import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Problem;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.webhook.WebhookSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The requested settings of a webhook; null if the request does not contain the setting. */
record WebhookRequest(
        @Nullable String url,
        @Nullable Set<WebhookEvent> events,
        @Nullable Set<String> definitionKeys,
        @Nullable Set<String> queues,
        @Nullable Map<String, String> labels,
        @Nullable List<String> secrets) {
    private static final int MOST = 100;

    static WebhookRequest of(Fields body) {
        return new WebhookRequest(
                body.text("url"),
                events(body),
                names(body, "definitionKeys"),
                names(body, "queues"),
                body.texts("labels"),
                body.textList("secrets", MOST));
    }

    /**
     * Returns the webhook requested for a job; null if there is none or it is invalid. Adds errors if it is invalid.
     */
    static @Nullable JobWebhook ofJob(@Nullable Fields body) {
        if (body == null) {
            return null;
        }
        String url = body.requiredText("url");
        Set<WebhookEvent> events = events(body);
        String secret = body.text("secret");
        return url.isEmpty() ? null : body.made(() -> new JobWebhook(url, or(events, JobWebhook.USUAL_EVENTS), secret));
    }

    private static @Nullable Set<WebhookEvent> events(Fields body) {
        List<String> texts = body.textList("events", MOST);
        if (texts == null) {
            return null;
        }
        var events = new ArrayList<WebhookEvent>();
        for (String text : texts) {
            Optional<WebhookEvent> event = WebhookEvent.of(text).filter(WebhookEvent::subscribable);
            event.ifPresentOrElse(
                    events::add, () -> body.problem("events", Problem.brief(text), "some of " + subscribable()));
        }
        return new LinkedHashSet<>(events);
    }

    private static String subscribable() {
        return Arrays.stream(WebhookEvent.values())
                .filter(WebhookEvent::subscribable)
                .map(WebhookEvent::text)
                .collect(Collectors.joining(", "));
    }

    private static @Nullable Set<String> names(Fields body, String field) {
        List<String> names = body.textList(field, MOST);
        return names == null ? null : new LinkedHashSet<>(names);
    }

    /** Returns whether the request sets anything besides secrets. */
    boolean more() {
        return url != null || events != null || definitionKeys != null || queues != null || labels != null;
    }

    /**
     * Applies the settings to a spec. Settings that are not requested keep their value; in a new spec they match
     * everything.
     */
    WebhookSpec over(@Nullable WebhookSpec before, List<String> with) {
        return new WebhookSpec(
                or(url, before == null ? "" : before.url()),
                or(events, before == null ? Set.of() : before.events()),
                or(definitionKeys, before == null ? Set.of() : before.definitionKeys()),
                or(queues, before == null ? Set.of() : before.queues()),
                or(labels, before == null ? Map.of() : before.labels()),
                with);
    }

    private static <T> T or(@Nullable T value, T otherwise) {
        return value == null ? otherwise : value;
    }
}
