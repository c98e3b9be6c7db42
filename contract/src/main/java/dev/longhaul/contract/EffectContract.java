package dev.longhaul.contract;

import static dev.longhaul.job.WebhookEvent.JOB_CANCELLED;
import static dev.longhaul.job.WebhookEvent.JOB_ENDED;
import static dev.longhaul.job.WebhookEvent.JOB_FAILED;
import static dev.longhaul.job.WebhookEvent.JOB_STARTED;
import static dev.longhaul.job.WebhookEvent.JOB_SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.webhook.WebhookWords;
import dev.longhaul.job.JobId;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.spi.Store;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/**
 * Tests that transitions reach hooks and webhooks with the job's state at the time of the transition, even if a store
 * dispatches them much later.
 */
abstract class EffectContract extends WebhookWords {
    private List<WebhookEvent> eventsOf(Webhook webhook) {
        return webhooks().deliveries(webhook.id(), null, null, MANY).stream()
                .map(Delivery::event)
                .toList();
    }

    @Test
    void do_not_reach_a_webhook_that_is_created_later() {
        Webhook before = subscribed(JOB_CANCELLED);
        cancelled();
        Webhook after = subscribed(JOB_CANCELLED);

        assertThat(eventsOf(after)).isEmpty();
        assertThat(eventsOf(before)).containsExactly(JOB_CANCELLED);
    }

    @Test
    void reach_a_webhook_that_is_edited_or_disabled_later() {
        Webhook edited = subscribed(JOB_CANCELLED);
        Webhook disabled = subscribed(JOB_CANCELLED);
        cancelled();
        edit(edited.id(), to(URL, Set.of(JOB_FAILED)), true);
        edit(disabled.id(), disabled.spec(), false);
        cancelled();
        edit(disabled.id(), disabled.spec(), true);

        assertThat(eventsOf(edited)).containsExactly(JOB_CANCELLED);
        assertThat(eventsOf(disabled)).containsExactly(JOB_CANCELLED);
    }

    @Test
    void reach_hooks_and_webhooks_of_the_same_job() {
        store().catalog().hooks("report", true);
        Webhook webhook = subscribed(JOB_CANCELLED);
        JobId id = cancelled();

        assertThat(store().work().hooks().takeHooks(Set.of(REPORT), MANY, HOLD))
                .extracting(job -> job.id())
                .containsExactly(id);
        store().work().hooks().hooksDone(id, List.of());
        assertThat(eventsOf(webhook)).containsExactly(JOB_CANCELLED);
        advance(Duration.ofMinutes(10));
        assertThat(store().work().hooks().takeHooks(Set.of(REPORT), MANY, HOLD)).isEmpty();
    }

    @Test
    void become_one_delivery_each_in_order_while_workers_and_senders_race() {
        int jobs = 60;
        subscribed(JOB_STARTED, JOB_SUCCEEDED, JOB_ENDED);
        insertJobs(jobs);
        Map<JobId, List<WebhookEvent>> sent = new ConcurrentHashMap<>();
        Race.of(6, i -> {
            for (int round = 0; round < jobs / 2; round++) {
                if (i < 2) {
                    runOne(storeOf(i));
                } else {
                    sendAll(storeOf(i), sent);
                }
            }
            return i;
        });
        while (runOne(store())) {}
        while (sendAll(store(), sent)) {}

        assertThat(sent).hasSize(jobs);
        assertThat(sent.values())
                .allSatisfy(events -> assertThat(events).containsExactly(JOB_STARTED, JOB_SUCCEEDED, JOB_ENDED));
    }

    private static boolean runOne(Store store) {
        var claimed = store.work().claim(ClaimRequest.of(WORKER, List.of(QUEUE), null, 1, LEASE));
        claimed.forEach(job -> store.work().apply(List.of(Transition.succeed(job.claim(), "{}"))));
        return !claimed.isEmpty();
    }

    private boolean sendAll(Store store, Map<JobId, List<WebhookEvent>> sent) {
        List<DueDelivery> due = store.deliveries().take(Map.of(), MANY, MANY, RULES, HOLD);
        for (DueDelivery one : due) {
            sent.computeIfAbsent(jobOf(one), id -> Collections.synchronizedList(new ArrayList<>()))
                    .add(one.delivery().event());
            report(store, one, true);
        }
        return !due.isEmpty();
    }
}
