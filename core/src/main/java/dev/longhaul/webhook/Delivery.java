package dev.longhaul.webhook;

import dev.longhaul.job.WebhookEvent;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One event on its way to one webhook.
 *
 * @param id the same in every try, so that receivers can tell a repetition
 * @param at when it happened
 * @param job the job that it happened to; null where it was none
 * @param happening what else happened; null for a test and where it was a job
 * @param url where to, if the job says so; else where its webhook leads to
 * @param tries how many were begun
 * @param nextTryAt when it is tried again; for one that is being tried, when that counts as lost
 * @param endedAt when it was delivered or parked
 */
public record Delivery(
        UUID id,
        UUID webhookId,
        WebhookEvent event,
        Instant at,
        @Nullable JobSummary job,
        @Nullable Happening happening,
        @Nullable String url,
        State state,
        int tries,
        Instant nextTryAt,
        @Nullable Instant endedAt) {

    /** How far it has come. */
    public enum State {
        PENDING(0),
        DELIVERED(1),
        /** Given up; it waits for somebody to redeliver it. */
        PARKED(2);

        private final int code;

        State(int code) {
            this.code = code;
        }

        /** As in the database. */
        public int code() {
            return code;
        }

        public static State ofCode(int code) {
            return Arrays.stream(values())
                    .filter(state -> state.code == code)
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("delivery state: " + code + " (expected: 0 to 2)"));
        }

        /** As in JSON. */
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
