package dev.longhaul.postgres.webhook;

import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.webhook.DeliveryQueue;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.SendingRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Due deliveries in the database. Dispatches the effects of jobs to deliveries before reading them. */
public final class PostgresDeliveries implements DeliveryQueue {
    private final NamedSql backlog = NamedSql.load("webhook/webhook_backlog");
    private final NamedSql take = NamedSql.load("webhook/take_deliveries");
    private final NamedSql tried = NamedSql.load("webhook/delivery_tried");
    private final NamedSql giveUp = NamedSql.load("webhook/give_up_deliveries");
    private final Database database;
    private final Effects effects;

    public PostgresDeliveries(Database database, Effects effects) {
        this.database = database;
        this.effects = effects;
    }

    @Override
    public Backlog backlog() {
        effects.dispatch();
        return database.single(
                backlog,
                call -> call.list(row -> new Backlog(
                                row.bigint("pending"),
                                row.bigint("parked"),
                                row.instantOrNull("oldest"),
                                row.bigint("failing")))
                        .get(0));
    }

    @Override
    public List<DueDelivery> take(
            Map<UUID, Integer> sending, int mostPerWebhook, int most, SendingRules rules, Duration hold) {
        effects.dispatch();
        List<UUID> busy = List.copyOf(sending.keySet());
        return database.single(
                take,
                call -> call.set("breakAfter", (Integer) rules.breakAfter())
                        .set("mostPerWebhook", (Integer) mostPerWebhook)
                        .set("most", (Integer) most)
                        .uuids("busyIds", busy)
                        .ints("busyCounts", busy.stream().map(sending::get).toList())
                        .set("hold", hold)
                        .list(WebhookRows::due));
    }

    @Override
    public Reported tried(UUID deliveryId, DeliveryTry outcome, Duration pause, SendingRules rules) {
        return database.single(
                tried,
                call -> call
                        .set("id", deliveryId)
                        .set("number", (Integer) outcome.number())
                        .set("succeeded", outcome.succeeded())
                        .set("pause", pause)
                        .set("patience", rules.patience())
                        .set("tookMillis", (Long) outcome.took().toMillis())
                        .set("status", outcome.status())
                        .set("error", outcome.error())
                        .set("head", outcome.head())
                        .set("breakAfter", (Integer) rules.breakAfter())
                        .set("breakFor", rules.breakFor())
                        .list(row ->
                                new Reported(row.flag("parked"), row.flag("begins_to_fail"), row.flag("recovered")))
                        .stream()
                        .findFirst()
                        .orElse(Reported.NOTHING));
    }

    @Override
    public int giveUp(SendingRules rules, int max) {
        effects.dispatch();
        return database.single(
                giveUp,
                call -> call.set("patience", rules.patience())
                        .set("max", (Integer) max)
                        .update());
    }
}
