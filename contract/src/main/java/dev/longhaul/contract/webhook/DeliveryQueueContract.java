package dev.longhaul.contract.webhook;

import static dev.longhaul.job.WebhookEvent.JOB_CANCELLED;
import static dev.longhaul.job.WebhookEvent.JOB_STARTED;
import static dev.longhaul.job.WebhookEvent.JOB_SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryQueue.Reported;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.Webhook;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests deliveries: their order per job, retries, failing webhooks, and concurrent senders. */
public abstract class DeliveryQueueContract extends WebhookWords {
    @Test
    void get_the_events_of_a_job_one_after_the_other() {
        subscribed(JOB_STARTED, JOB_SUCCEEDED);
        succeeded();
        DueDelivery started = takeOne();
        assertThat(started.delivery().event()).isEqualTo(JOB_STARTED);
        assertThat(take()).isEmpty();
        report(started, false);
        assertThat(take()).isEmpty();
        advance(PAUSE);
        report(takeOne(), true);

        assertThat(takeOne().delivery().event()).isEqualTo(JOB_SUCCEEDED);
    }

    @Test
    void get_an_unreported_delivery_again_with_the_same_id() {
        subscribed(JOB_SUCCEEDED);
        succeeded();
        DueDelivery lost = takeOne();
        advance(HOLD);
        DueDelivery again = takeOne();
        report(lost, true);

        assertThat(again.delivery().id()).isEqualTo(lost.delivery().id());
        assertThat(again.delivery().tries()).isEqualTo(2);
        assertThat(look(lost.delivery().id()).state()).isEqualTo(Delivery.State.PENDING);
    }

    @Test
    void have_every_try_recorded() {
        subscribed(JOB_SUCCEEDED);
        succeeded();
        DueDelivery first = takeOne();
        report(first, false);
        advance(PAUSE);
        report(takeOne(), true);

        List<DeliveryTry> tries = webhooks().tries(first.delivery().id());
        assertThat(tries).hasSize(2);
        assertThat(tries.get(0))
                .isEqualTo(new DeliveryTry(1, tries.get(0).endedAt(), SECOND, 500, "status 500", "oops"));
        assertThat(tries.get(1).succeeded()).isTrue();
        assertThat(look(first.delivery().id()).state()).isEqualTo(Delivery.State.DELIVERED);
        assertRefused(ErrorCode.NOT_FOUND, () -> webhooks().tries(UUID.randomUUID()));
    }

    @Test
    void have_a_try_counted_once_however_often_it_is_reported() {
        Webhook webhook = subscribed(JOB_SUCCEEDED);
        succeeded();
        DueDelivery due = takeOne();
        Race.of(4, i -> {
            report(storeOf(i), due, false);
            return i;
        });
        Delivery waits = look(due.delivery().id());
        advance(SECOND);
        report(due, false);
        report(due, true);

        assertThat(look(waits.id())).isEqualTo(waits);
        assertThat(webhooks().tries(waits.id())).hasSize(1);
        assertThat(look(webhook).failures()).isEqualTo(1);
        advance(PAUSE);
        DueDelivery second = takeOne();
        report(second, true);
        Delivery again = webhooks().redeliver(waits.id());
        report(second, true);
        assertThat(look(waits.id())).as("not sent yet").isEqualTo(again);
    }

    @Test
    void have_a_delivery_parked_after_its_retry_window_and_get_later_events() {
        subscribed(JOB_STARTED, JOB_SUCCEEDED);
        succeeded();
        UUID id = takeOne().delivery().id();
        advance(RULES.patience());
        DueDelivery last = takeOne();
        report(last, false);

        assertThat(look(id).state()).isEqualTo(Delivery.State.PARKED);
        assertThat(deliveries().backlog().parked()).isEqualTo(1);
        assertThat(takeOne().delivery().event()).isEqualTo(JOB_SUCCEEDED);
    }

    @Test
    void that_fail_often_are_held_back_and_then_probed_by_one_delivery() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        for (int i = 0; i < RULES.breakAfter(); i++) {
            cancelled();
        }
        take().forEach(due -> report(due, false));
        Webhook failing = look(webhook);
        assertThat(failing.failures()).isEqualTo(RULES.breakAfter());
        assertThat(failing.resumeAt()).isBetween(now().plus(PAUSE).plus(SECOND), now().plus(RULES.breakFor()));
        advance(PAUSE);
        assertThat(take()).isEmpty();
        assertThat(deliveries().backlog().failing()).isEqualTo(1);
        advance(RULES.breakFor());

        report(takeOne(), true);
        assertThat(look(webhook).failures()).isZero();
        assertThat(deliveries().backlog().failing()).isZero();
        assertThat(take()).hasSize(RULES.breakAfter() - 1);
    }

    @Test
    void report_once_that_they_fail_that_they_recovered_and_that_a_delivery_is_parked() {
        subscribed(JOB_CANCELLED);
        insertJobs(RULES.breakAfter() + 3).forEach(this::cancel);
        List<DueDelivery> sent = take();
        List<Reported> reported = Race.of(sent.size(), i -> report(storeOf(i), sent.get(i), false));
        assertThat(reported).containsOnlyOnce(new Reported(false, true, false));
        assertThat(reported.stream().filter(Reported.NOTHING::equals)).hasSize(sent.size() - 1);

        advance(RULES.breakFor());
        assertThat(report(takeOne(), false)).isEqualTo(Reported.NOTHING);
        advance(RULES.breakFor());
        DueDelivery taken = takeOne();
        assertThat(report(taken, true)).isEqualTo(new Reported(false, false, true));
        assertThat(report(taken, true)).as("reported again").isEqualTo(Reported.NOTHING);
        advance(RULES.patience());
        assertThat(report(take().get(0), false)).isEqualTo(new Reported(true, false, false));
    }

    @Test
    void get_no_more_at_once_than_the_sender_requests() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        for (int i = 0; i < 4; i++) {
            cancelled();
        }
        assertThat(deliveries().take(Map.of(webhook.id(), 1), 3, MANY, RULES, HOLD))
                .hasSize(2);
        assertThat(deliveries().take(Map.of(webhook.id(), 3), 3, MANY, RULES, HOLD))
                .isEmpty();
        assertThat(deliveries().take(Map.of(webhook.id(), 4), 3, MANY, RULES, HOLD))
                .isEmpty();
    }

    @Test
    void get_each_delivery_from_one_of_many_racing_senders() {
        subscribed(JOB_CANCELLED);
        insertJobs(40).forEach(this::cancel);

        List<UUID> taken = Race.of(8, i -> storeOf(i).deliveries().take(Map.of(), 10, MANY, RULES, HOLD)).stream()
                .flatMap(List::stream)
                .map(due -> due.delivery().id())
                .toList();

        assertThat(taken).doesNotHaveDuplicates();
        assertThat(taken.size() + take().size()).isEqualTo(40);
    }
}
