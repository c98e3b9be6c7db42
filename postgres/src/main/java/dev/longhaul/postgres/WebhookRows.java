package dev.longhaul.postgres;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.Happening;
import dev.longhaul.webhook.JobSummary;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookEvent;
import dev.longhaul.webhook.WebhookSpec;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Turns rows into webhooks and deliveries. */
final class WebhookRows {
    private WebhookRows() {}

    static Webhook webhook(ResultSet row) throws SQLException {
        var spec = new WebhookSpec(
                row.getString(2),
                texts(row, 3).stream().map(WebhookRows::event).collect(Collectors.toUnmodifiableSet()),
                Set.copyOf(texts(row, 4)),
                Set.copyOf(texts(row, 5)),
                Rows.labels(row, 6),
                texts(row, 7));
        return new Webhook(
                Call.uuid(row, 1),
                spec,
                row.getBoolean(8),
                row.getBoolean(9),
                Call.instantOf(row, 10),
                Call.instantOf(row, 11),
                row.getString(12),
                row.getInt(13),
                Call.instant(row, 14));
    }

    static Delivery delivery(ResultSet row) throws SQLException {
        return new Delivery(
                Call.uuid(row, 1),
                Call.uuid(row, 2),
                event(row.getString(3)),
                Call.instantOf(row, 4),
                job(row),
                happening(row),
                row.getString(24),
                Delivery.State.ofCode(row.getInt(5)),
                row.getInt(6),
                Call.instantOf(row, 7),
                Call.instant(row, 8));
    }

    private static @Nullable JobSummary job(ResultSet row) throws SQLException {
        UUID id = row.getObject(9, UUID.class);
        if (id == null) {
            return null;
        }
        return new JobSummary(
                new JobId(id),
                row.getInt(10),
                status(row),
                new DefinitionRef(row.getString(11), row.getInt(12)),
                row.getString(13),
                row.getInt(14),
                row.getInt(15),
                row.getString(16),
                row.getString(17),
                Rows.labels(row, 18),
                row.getString(19),
                row.getString(20),
                row.getString(21));
    }

    /** Rows of older programs do not say how a job ended; those that failed have an error. */
    private static @Nullable JobStatus status(ResultSet row) throws SQLException {
        JobStatus known = event(row.getString(3)).status();
        if (known != null) {
            return known;
        }
        String ended = row.getString(23);
        return ended != null ? JobStatus.parse(ended) : row.getString(19) != null ? JobStatus.FAILED : null;
    }

    private static @Nullable Happening happening(ResultSet row) throws SQLException {
        String subject = row.getString(22);
        return subject == null
                ? null
                : new Happening(subject, row.getString(23), row.getString(11), row.getString(13), Rows.labels(row, 18));
    }

    static DueDelivery due(ResultSet row) throws SQLException {
        return new DueDelivery(delivery(row), row.getInt(27), row.getString(25), texts(row, 26));
    }

    static DeliveryTry deliveryTry(ResultSet row) throws SQLException {
        return new DeliveryTry(
                row.getInt(1),
                Call.instantOf(row, 2),
                Duration.ofMillis(row.getLong(3)),
                row.getObject(4, Integer.class),
                row.getString(5),
                row.getString(6));
    }

    private static WebhookEvent event(String text) {
        return WebhookEvent.of(text).orElseThrow(() -> new IllegalStateException("event: " + text));
    }

    private static List<String> texts(ResultSet row, int column) throws SQLException {
        Array array = row.getArray(column);
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }
}
