package dev.longhaul.contract.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.StoreContract;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.spi.Store;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryQueue;
import dev.longhaul.webhook.DeliveryQueue.Reported;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.SendingRules;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.webhook.WebhookStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Helper methods of the contract for webhooks. */
public abstract class WebhookWords extends StoreContract {
    public static final String URL = "https://hooks.example.com/in";
    public static final Duration HOLD = Duration.ofMinutes(1);
    static final Duration PAUSE = Duration.ofSeconds(10);
    public static final SendingRules RULES = SendingRules.USUAL;
    public static final int MANY = 100;

    public final WebhookStore webhooks() {
        return store().webhooks();
    }

    public final DeliveryQueue deliveries() {
        return store().deliveries();
    }

    /** Replaces the webhook's settings. */
    public final Webhook edit(UUID id, WebhookSpec spec, boolean enabled) {
        return webhooks().edit(id, before -> new WebhookStore.Settings(spec, enabled));
    }

    public static WebhookSpec to(String url, Set<WebhookEvent> events) {
        return new WebhookSpec(url, events, Set.of(), Set.of(), Map.of(), List.of(WebhookSecret.random()));
    }

    final Webhook subscribed(WebhookSpec spec) {
        return webhooks().create(UUID.randomUUID(), spec, "anna");
    }

    public final Webhook subscribed(WebhookEvent... events) {
        return subscribed(to(URL, Set.of(events)));
    }

    final List<DueDelivery> take() {
        return deliveries().take(Map.of(), MANY, MANY, RULES, HOLD);
    }

    final DueDelivery takeOne() {
        List<DueDelivery> taken = take();
        assertThat(taken).hasSize(1);
        return taken.get(0);
    }

    final Reported report(DueDelivery due, boolean succeeded) {
        return report(store(), due, succeeded);
    }

    public final Reported report(Store by, DueDelivery due, boolean succeeded) {
        var outcome = new DeliveryTry(
                due.delivery().tries(), now(), SECOND, succeeded ? 204 : 500, succeeded ? null : "status 500", "oops");
        return by.deliveries().tried(due.delivery().id(), outcome, PAUSE, RULES);
    }

    /** Returns the events of all deliveries, in the order in which they may be sent. */
    final List<WebhookEvent> eventsToSend() {
        return sent().stream().map(Delivery::event).toList();
    }

    /** Returns the job's status in each delivery. */
    final List<JobStatus> statuses() {
        return sent().stream()
                .map(delivery -> present(present(delivery.job()).status()))
                .toList();
    }

    private List<Delivery> sent() {
        var all = new ArrayList<Delivery>();
        for (List<DueDelivery> some = take(); !some.isEmpty(); some = take()) {
            some.forEach(due -> {
                all.add(due.delivery());
                report(due, true);
            });
        }
        return all;
    }

    final Delivery look(UUID deliveryId) {
        return webhooks().findDelivery(deliveryId).orElseThrow();
    }

    final Webhook look(Webhook webhook) {
        return webhooks().find(webhook.id()).orElseThrow();
    }

    public static JobId jobOf(DueDelivery due) {
        return present(due.delivery().job()).id();
    }
}
