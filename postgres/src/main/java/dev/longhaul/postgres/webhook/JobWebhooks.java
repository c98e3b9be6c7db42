package dev.longhaul.postgres.webhook;

import static dev.longhaul.postgres.database.Call.column;

import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.webhook.WebhookSpec;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/** Stores the webhooks of new jobs, and the rows that webhooks to one host share. */
public final class JobWebhooks {
    private final NamedSql insert = NamedSql.load("webhook/insert_job_webhooks");

    /** Whether a shared row was deleted concurrently; a retry creates it again. */
    public static boolean sharedIsGone(SQLException e) {
        return Database.constraint(e).equals("job_webhook_webhook_id_fkey");
    }

    /** Stores the webhooks of jobs that were stored in the same transaction. */
    public void store(Connection connection, List<JobSpec> specs) throws SQLException {
        record Own(UUID jobId, JobWebhook webhook) {}
        var own = new ArrayList<Own>();
        // Sorted by id, so that two batches cannot deadlock.
        var shared = new TreeMap<UUID, WebhookSpec>();
        for (JobSpec spec : specs) {
            JobWebhook webhook = spec.webhook();
            if (webhook != null) {
                own.add(new Own(spec.id().value(), webhook));
                shared.computeIfAbsent(webhook.sharedId(), id -> WebhookSpec.sharedBy(webhook));
            }
        }
        if (own.isEmpty()) {
            return;
        }
        try (Call call = insert.on(connection)) {
            call.uuids("sharedIds", shared.keySet())
                    .texts("sharedUrls", column(shared.values(), WebhookSpec::url))
                    .texts("sharedEvents", column(shared.values(), spec -> events(spec.events())))
                    .texts(
                            "sharedSecrets",
                            column(shared.values(), spec -> spec.secrets().get(0)))
                    .uuids("jobIds", column(own, Own::jobId))
                    .uuids("webhookIds", column(own, one -> one.webhook().sharedId()))
                    .texts("urls", column(own, one -> one.webhook().url()))
                    .texts("events", column(own, one -> events(one.webhook().events())))
                    .texts("secrets", column(own, one -> one.webhook().secret()))
                    .update();
        }
    }

    private static String events(Set<WebhookEvent> events) {
        return events.stream().map(WebhookEvent::text).sorted().collect(Collectors.joining(" "));
    }
}
