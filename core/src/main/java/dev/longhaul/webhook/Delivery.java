package dev.longhaul.webhook;

import dev.longhaul.job.WebhookEvent;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One event to be delivered to one webhook.
 *
 * @param id the same in every try, so that receivers can recognize repeats
 * @param at when the event happened
 * @param job the job of the event; null for an event that is not about one job
 * @param happening the event's content if it is not about one job; null for a test and for events of jobs
 * @param url the target, if the job sets one; otherwise the URL of its webhook
 * @param tries how many tries were started
 * @param nextTryAt when the next try is due; while a try is being sent, the time from which it counts as lost
 * @param endedAt when it was delivered or parked
 */
public record Delivery(
        UUID id,
        UUID webhookId,
        WebhookEvent event,
        Instant at,
        @Nullable JobSummary job,
        @Nullable SystemEvent happening,
        @Nullable String url,
        State state,
        int tries,
        Instant nextTryAt,
        @Nullable Instant endedAt) {

    /** The state of a delivery. */
    public enum State {
        PENDING(0),
        DELIVERED(1),
        /** No longer retried; an operator can redeliver it. */
        PARKED(2);

        private final int code;

        State(int code) {
            this.code = code;
        }

        /** The number by which stores keep this state. */
        public int code() {
            return code;
        }

        public static State ofCode(int code) {
            return Arrays.stream(values())
                    .filter(state -> state.code == code)
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("delivery state: " + code + " (expected: 0 to 2)"));
        }

        /** The name in JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Optional<State> of(String text) {
            return Arrays.stream(values())
                    .filter(state -> state.text().equals(text))
                    .findFirst();
        }
    }
}
