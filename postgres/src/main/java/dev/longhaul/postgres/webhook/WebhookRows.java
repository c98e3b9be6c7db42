package dev.longhaul.postgres.webhook;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.JobSummary;
import dev.longhaul.webhook.SystemEvent;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Turns rows into webhooks and deliveries. */
final class WebhookRows {
    private WebhookRows() {}

    static Webhook webhook(Row row) throws SQLException {
        var spec = new WebhookSpec(
                row.text("url"),
                row.texts("events").stream().map(WebhookRows::event).collect(Collectors.toUnmodifiableSet()),
                Set.copyOf(row.texts("definition_keys")),
                Set.copyOf(row.texts("queues")),
                row.labels("labels"),
                row.texts("secrets"));
        return new Webhook(
                row.uuid("id"),
                spec,
                row.flag("of_jobs"),
                row.flag("enabled"),
                row.instant("created_at"),
                row.instant("updated_at"),
                row.textOrNull("created_by"),
                row.integer("failures"),
                row.instantOrNull("resume_at"));
    }

    static Delivery delivery(Row row) throws SQLException {
        return new Delivery(
                row.uuid("id"),
                row.uuid("webhook_id"),
                event(row.text("event")),
                row.instant("at"),
                job(row),
                happening(row),
                row.textOrNull("url"),
                Delivery.State.ofCode(row.integer("state")),
                row.integer("tries"),
                row.instant("next_try_at"),
                row.instantOrNull("ended_at"));
    }

    private static @Nullable JobSummary job(Row row) throws SQLException {
        UUID id = row.uuidOrNull("job_id");
        if (id == null) {
            return null;
        }
        return new JobSummary(
                new JobId(id),
                row.integer("position"),
                status(row),
                new DefinitionRef(row.text("definition_key"), row.integer("definition_version")),
                row.text("queue"),
                row.integer("run"),
                row.integer("attempts"),
                row.textOrNull("name"),
                row.textOrNull("correlation_id"),
                row.labels("labels"),
                row.textOrNull("error_code"),
                row.textOrNull("error_message"),
                row.textOrNull("traceparent"));
    }

    /**
     * Returns the status of a job after its event. Rows of older versions do not contain the status of an ended job;
     * failed ones have an error.
     */
    private static @Nullable JobStatus status(Row row) throws SQLException {
        JobStatus known = event(row.text("event")).status();
        if (known != null) {
            return known;
        }
        String ended = row.textOrNull("details");
        return ended != null ? JobStatus.parse(ended) : row.textOrNull("error_code") != null ? JobStatus.FAILED : null;
    }

    private static @Nullable SystemEvent happening(Row row) throws SQLException {
        String subject = row.textOrNull("subject");
        return subject == null
                ? null
                : new SystemEvent(
                        subject,
                        row.text("details"),
                        row.textOrNull("definition_key"),
                        row.textOrNull("queue"),
                        row.labels("labels"));
    }

    /** A row of {@code take_deliveries.sql}. */
    static DueDelivery due(Row row) throws SQLException {
        return new DueDelivery(delivery(row), row.integer("tries_since"), row.text("send_to"), row.texts("sign_with"));
    }

    static DeliveryTry deliveryTry(Row row) throws SQLException {
        return new DeliveryTry(
                row.integer("number"),
                row.instant("ended_at"),
                Duration.ofMillis(row.bigint("took_millis")),
                row.integerOrNull("status"),
                row.textOrNull("error"),
                row.textOrNull("head"));
    }

    private static WebhookEvent event(String text) {
        return WebhookEvent.of(text).orElseThrow(() -> new IllegalStateException("event: " + text));
    }
}
