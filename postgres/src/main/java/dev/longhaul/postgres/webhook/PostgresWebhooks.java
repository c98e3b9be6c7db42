package dev.longhaul.postgres.webhook;

import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Limits;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.postgres.access.Audit;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.job.Rows;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.SystemEvent;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.webhook.WebhookStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Webhooks and their deliveries in the database. Effects of jobs are dispatched to deliveries before they are read. */
public final class PostgresWebhooks implements WebhookStore {
    private final NamedSql save = NamedSql.load("webhook/save_webhook");
    private final NamedSql lock = NamedSql.load("webhook/lock_webhook");
    private final NamedSql webhooks = NamedSql.load("webhook/webhooks");
    private final NamedSql delete = NamedSql.load("webhook/delete_webhook");
    private final NamedSql deliveries = NamedSql.load("webhook/deliveries");
    private final NamedSql findDelivery = NamedSql.load("webhook/find_delivery");
    private final NamedSql tries = NamedSql.load("webhook/webhook_tries");
    private final NamedSql redeliver = NamedSql.load("webhook/redeliver");
    private final Map<Delivery.State, NamedSql> redeliverSome = Arrays.stream(Delivery.State.values())
            .collect(Collectors.toUnmodifiableMap(state -> state, PostgresWebhooks::redeliverSome));
    private final NamedSql test = NamedSql.load("webhook/test_webhook");
    private final NamedSql publish = NamedSql.load("webhook/publish_event");
    private final Database database;
    private final Effects effects;

    public PostgresWebhooks(Database database, Effects effects) {
        this.database = database;
        this.effects = effects;
    }

    @Override
    public Webhook create(UUID id, WebhookSpec spec, @Nullable String by) {
        Audit audit = Audit.of("webhook.create");
        effects.dispatchAll();
        return database.transaction((connection, again) -> {
            Webhook webhook = saved(connection, id, spec, true, by);
            audit.write(connection, id, () -> AuditDetails.created(webhook));
            return webhook;
        });
    }

    @Override
    public Webhook edit(UUID id, Function<Webhook, Settings> change) {
        Audit audit = Audit.of("webhook.edit");
        effects.dispatchAll();
        return database.transaction((connection, again) -> {
            if (!locked(connection, id)) {
                throw WebhookStore.noWebhook(id);
            }
            Webhook before = webhooks(connection, id).get(0);
            Settings to = change.apply(before);
            Webhook after = saved(connection, id, to.spec(), to.enabled(), null);
            audit.write(connection, id, () -> AuditDetails.edited(before, after));
            return after;
        });
    }

    private boolean locked(Connection connection, UUID id) throws SQLException {
        return lock.run(
                connection, call -> !call.set("id", id).list(row -> true).isEmpty());
    }

    private Webhook saved(Connection connection, UUID id, WebhookSpec spec, boolean enabled, @Nullable String by)
            throws SQLException {
        try (Call call = save.on(connection)) {
            call.set("id", id)
                    .set("enabled", enabled)
                    .set("url", spec.url())
                    .texts(
                            "events",
                            spec.events().stream()
                                    .map(WebhookEvent::text)
                                    .sorted()
                                    .toList())
                    .texts("definitionKeys", orNull(spec.definitionKeys()))
                    .texts("queues", orNull(spec.queues()))
                    .texts("labels", Rows.labels(spec.labels()))
                    .texts("secrets", spec.secrets())
                    .set("by", by == null ? null : Text.storableOf(by, Limits.KEY))
                    .update();
        }
        return webhooks(connection, id).get(0);
    }

    private static @Nullable Collection<String> orNull(Collection<String> names) {
        return names.isEmpty() ? null : names;
    }

    @Override
    public void delete(UUID id) {
        Audit audit = Audit.of("webhook.delete");
        boolean gone = database.transaction((connection, again) -> {
            List<Webhook> before = audit.wanted() ? webhooks(connection, id) : List.of();
            try (Call call = delete.on(connection)) {
                boolean found = !call.set("id", id).list(row -> true).isEmpty();
                if (found && !before.isEmpty()) {
                    audit.write(connection, id, () -> AuditDetails.created(before.get(0)));
                }
                return found || again;
            }
        });
        if (!gone) {
            throw WebhookStore.noWebhook(id);
        }
    }

    @Override
    public Optional<Webhook> find(UUID id) {
        return database.single((connection, again) -> webhooks(connection, id)).stream()
                .findFirst();
    }

    @Override
    public List<Webhook> list() {
        return database.single((connection, again) -> webhooks(connection, null));
    }

    private List<Webhook> webhooks(Connection connection, @Nullable UUID id) throws SQLException {
        return webhooks.run(connection, call -> call.set("id", id).list(WebhookRows::webhook));
    }

    @Override
    public List<Delivery> deliveries(
            UUID webhookId, Delivery.@Nullable State state, @Nullable Cursor before, int limit) {
        effects.dispatch();
        return list(
                deliveries,
                call -> call.set("webhookId", webhookId)
                        .set("state", state == null ? null : (Integer) state.code())
                        .set("beforeAt", before == null ? null : before.at())
                        .set("beforeId", before == null ? null : before.id())
                        .set("limit", (Integer) limit));
    }

    @Override
    public Optional<Delivery> findDelivery(UUID id) {
        return list(findDelivery, call -> call.set("id", id)).stream().findFirst();
    }

    @Override
    public List<DeliveryTry> tries(UUID deliveryId) {
        if (findDelivery(deliveryId).isEmpty()) {
            throw WebhookStore.noDelivery(deliveryId);
        }
        return database.single(tries, call -> call.set("deliveryId", deliveryId).list(WebhookRows::deliveryTry));
    }

    @Override
    public Delivery redeliver(UUID deliveryId) {
        return audited("webhook.redeliver", deliveryId, redeliver, call -> call.set("id", deliveryId))
                .or(() -> findDelivery(deliveryId))
                .orElseThrow(() -> WebhookStore.noDelivery(deliveryId));
    }

    public static NamedSql redeliverSome(Delivery.State state) {
        return NamedSql.load("webhook/redeliver_some", Map.of("state", Integer.toString(state.code())));
    }

    @Override
    public Redelivered redeliver(
            UUID webhookId, Delivery.State state, @Nullable Instant from, @Nullable Instant before, int max) {
        NamedSql sql = Objects.requireNonNull(redeliverSome.get(state));
        Audit audit = Audit.of("webhook.redeliver");
        return database.transaction((connection, again) -> {
            try (Call call = sql.on(connection)) {
                Redelivered some = call.set("webhookId", webhookId)
                        .set("from", from)
                        .set("before", before)
                        .set("max", (Integer) max)
                        .list(row -> new Redelivered(row.integer("redelivered"), row.instantOrNull("next_from")))
                        .get(0);
                audit.write(connection, webhookId, () -> AuditDetails.redelivered(state, from, before, some.count()));
                return some;
            }
        });
    }

    @Override
    public Delivery test(UUID webhookId) {
        UUID id = UUID.randomUUID();
        return audited(
                        "webhook.test",
                        webhookId,
                        test,
                        call -> call.set("id", id).set("webhookId", webhookId))
                .orElseThrow(() -> find(webhookId).isEmpty()
                        ? WebhookStore.noWebhook(webhookId)
                        : WebhookStore.disabled(webhookId));
    }

    /** Runs a command that returns its delivery, or nothing if it has no effect. */
    private Optional<Delivery> audited(String action, UUID subject, NamedSql sql, Call.Use<Call> binding) {
        Audit audit = Audit.of(action);
        return database.transaction((connection, again) -> {
            try (Call call = sql.on(connection)) {
                Optional<Delivery> delivery =
                        binding.of(call).list(WebhookRows::delivery).stream().findFirst();
                if (delivery.isPresent()) {
                    audit.write(connection, subject);
                }
                return delivery;
            }
        });
    }

    private List<Delivery> list(NamedSql sql, Call.Use<Call> binding) {
        return database.single(sql, call -> binding.of(call).list(WebhookRows::delivery));
    }

    @Override
    public void publish(WebhookEvent event, SystemEvent happening) {
        database.once(connection -> {
            publish(connection, event, happening);
            return true;
        });
    }

    /** As {@link #publish(WebhookEvent, SystemEvent)}, in the caller's transaction. */
    public void publish(Connection connection, WebhookEvent event, SystemEvent happening) throws SQLException {
        try (Call call = publish.on(connection)) {
            call.set("event", event.text())
                    .set("definitionKey", happening.definitionKey())
                    .set("queue", happening.queue())
                    .texts("labels", Rows.labels(happening.labels()))
                    .set("subject", happening.subject())
                    .set("details", happening.details())
                    .update();
        }
    }
}
