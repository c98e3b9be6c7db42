package dev.longhaul.contract.webhook;

import static dev.longhaul.job.WebhookEvent.JOB_CANCELLED;
import static dev.longhaul.job.WebhookEvent.JOB_ENDED;
import static dev.longhaul.job.WebhookEvent.JOB_STARTED;
import static dev.longhaul.job.WebhookEvent.JOB_SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.SendingRules;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookStore.Redelivered;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests redelivery of deliveries that were delivered or parked, or that wait for their next try. */
public abstract class RedeliveryContract extends WebhookWords {
    @Test
    void can_have_an_ended_delivery_sent_again_with_a_fresh_retry_window() {
        subscribed(JOB_SUCCEEDED);
        succeeded();
        DueDelivery due = takeOne();
        report(due, true);
        advance(RULES.patience());
        Delivery again = webhooks().redeliver(due.delivery().id());
        assertThat(again.state()).isEqualTo(Delivery.State.PENDING);
        report(takeOne(), false);

        assertThat(look(due.delivery().id()).state()).isEqualTo(Delivery.State.PENDING);
        assertRefused(ErrorCode.NOT_FOUND, () -> webhooks().redeliver(UUID.randomUUID()));
    }

    @Test
    void do_not_change_a_delivery_that_is_being_sent() {
        Webhook webhook = subscribed(JOB_SUCCEEDED);
        succeeded();
        DueDelivery due = takeOne();
        UUID id = due.delivery().id();
        assertThat(webhooks().redeliver(id)).as("at its first try").isEqualTo(due.delivery());
        report(due, true);
        webhooks().redeliver(id);
        advance(SECOND);
        assertThat(webhooks().redeliver(id).tries()).as("asked again").isEqualTo(1);
        Delivery sent = takeOne().delivery();
        assertThat(webhooks().redeliver(id)).as("while it is being sent").isEqualTo(sent);
        assertThat(redeliver(webhook, Delivery.State.PENDING, null, null, MANY)).isEqualTo(new Redelivered(0, null));
        assertThat(take()).isEmpty();
    }

    @Test
    void expedite_a_delivery_whose_next_try_is_far_away_with_a_fresh_retry_window() {
        subscribed(JOB_SUCCEEDED);
        succeeded();
        DueDelivery due = takeOne();
        report(due, false);
        assertThat(take()).isEmpty();
        webhooks().redeliver(due.delivery().id());
        DueDelivery hurried = takeOne();
        assertThat(hurried.delivery().tries()).isEqualTo(2);
        report(hurried, false);
        advance(RULES.patience().minus(PAUSE));
        webhooks().redeliver(due.delivery().id());
        advance(PAUSE);
        report(takeOne(), false);
        assertThat(look(due.delivery().id()).state()).isEqualTo(Delivery.State.PENDING);
    }

    @Test
    void restart_pauses_and_continue_the_numbers_of_tries() {
        subscribed(JOB_SUCCEEDED);
        succeeded();
        assertThat(failedTries(3)).containsExactly(1, 2, 3);
        UUID id = webhooks()
                .deliveries(webhooks().list().get(0).id(), null, null, 1)
                .get(0)
                .id();
        webhooks().redeliver(id);
        assertThat(failedTries(1)).containsExactly(1);
        advance(RULES.breakFor());
        DueDelivery second = takeOne();
        assertThat(second.triesSince()).isEqualTo(2);
        report(second, true);
        webhooks().redeliver(id);
        assertThat(takeOne().triesSince()).isEqualTo(1);
        assertThat(webhooks().tries(id).stream().map(DeliveryTry::number)).containsExactly(1, 2, 3, 4, 5);
    }

    /** Lets deliveries fail that many times; returns the number of each try since the last redelivery. */
    private List<Integer> failedTries(int count) {
        var all = new ArrayList<Integer>();
        for (int i = 0; i < count; i++) {
            DueDelivery due = takeOne();
            all.add(due.triesSince());
            report(due, false);
            advance(PAUSE);
        }
        return all;
    }

    @Test
    void wait_for_an_earlier_event_of_the_same_job() {
        Webhook webhook = subscribed(JOB_STARTED, JOB_SUCCEEDED);
        succeeded();
        report(takeOne(), false);
        Delivery later = webhooks().deliveries(webhook.id(), null, null, MANY).stream()
                .filter(one -> one.event() == JOB_SUCCEEDED)
                .findFirst()
                .orElseThrow();
        webhooks().redeliver(later.id());
        assertThat(take()).isEmpty();
        advance(PAUSE);
        assertThat(eventsToSend()).containsExactly(JOB_STARTED, JOB_SUCCEEDED);
    }

    @Test
    void expedite_the_deliveries_behind_as_well() {
        subscribed(JOB_STARTED, JOB_SUCCEEDED);
        succeeded();
        DueDelivery first = takeOne();
        report(first, false);
        webhooks().redeliver(first.delivery().id());
        assertThat(eventsToSend()).containsExactly(JOB_STARTED, JOB_SUCCEEDED);
    }

    @Test
    void that_fail_do_not_change_a_later_event_that_is_being_sent() {
        subscribed(JOB_STARTED, JOB_SUCCEEDED);
        succeeded();
        DueDelivery started = takeOne();
        report(started, true);
        DueDelivery ended = takeOne();
        webhooks().redeliver(started.delivery().id());
        report(takeOne(), false);
        advance(PAUSE);
        DueDelivery again = takeOne();
        assertThat(again.delivery().event()).isEqualTo(JOB_STARTED);
        report(again, true);
        assertThat(take()).as("it is being sent").isEmpty();
        report(ended, true);
        assertThat(look(ended.delivery().id()).state()).isEqualTo(Delivery.State.DELIVERED);
    }

    @Test
    void expedite_all_pending_deliveries() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        cancelThreeASecondApart();
        take().forEach(due -> report(due, false));
        assertThat(take()).isEmpty();
        assertThat(redeliver(webhook, Delivery.State.PENDING, null, null, MANY)).isEqualTo(new Redelivered(3, null));
        assertThat(take())
                .hasSize(3)
                .allMatch(due -> due.triesSince() == 1 && due.delivery().tries() == 2);
    }

    @Test
    void happen_in_parts_with_events_of_one_job_together_and_in_order() {
        Webhook webhook = subscribed(JOB_CANCELLED, JOB_ENDED);
        Webhook other = subscribed(JOB_CANCELLED);
        cancelThreeASecondApart();
        giveUp();
        Redelivered first = redeliver(webhook, Delivery.State.PARKED, null, null, 3);
        assertThat(first.count())
                .as("three, and the events at the time of the third")
                .isEqualTo(4);
        Redelivered second = redeliver(webhook, Delivery.State.PARKED, first.next(), null, 3);
        assertThat(second).isEqualTo(new Redelivered(2, null));
        assertThat(redeliver(webhook, Delivery.State.PARKED, null, null, 3)).isEqualTo(new Redelivered(0, null));

        assertThat(webhooks().deliveries(other.id(), Delivery.State.PARKED, null, MANY))
                .hasSize(3);
        List<Delivery> waiting = webhooks().deliveries(webhook.id(), Delivery.State.PENDING, null, MANY);
        assertThat(waiting).hasSize(6).allMatch(one -> one.tries() == 1);
        assertThat(eventsToSend())
                .containsExactly(JOB_CANCELLED, JOB_CANCELLED, JOB_CANCELLED, JOB_ENDED, JOB_ENDED, JOB_ENDED);
    }

    @Test
    void all_have_a_fresh_retry_window() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        cancelThreeASecondApart();
        giveUp();
        advance(RULES.patience());
        redeliver(webhook, Delivery.State.PARKED, null, null, MANY);
        take().forEach(due -> report(due, false));
        assertThat(deliveries().backlog().parked()).isZero();
    }

    @Test
    void are_those_of_the_requested_state_and_time() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        cancelThreeASecondApart();
        take().forEach(due -> report(due, true));
        List<Delivery> newest = webhooks().deliveries(webhook.id(), null, null, MANY);
        Instant second = newest.get(1).at();
        Instant third = newest.get(0).at();
        assertThat(redeliver(webhook, Delivery.State.PARKED, null, null, MANY).count())
                .isZero();
        assertThat(redeliver(webhook, Delivery.State.PENDING, null, null, MANY).count())
                .isZero();
        assertThat(redeliver(webhook, Delivery.State.DELIVERED, second, third, MANY))
                .isEqualTo(new Redelivered(1, null));
        assertThat(takeOne().delivery().id()).isEqualTo(newest.get(1).id());
    }

    @Test
    void happen_once_however_many_callers_request_them() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        insertJobs(20).forEach(this::cancel);
        giveUp();
        List<Integer> counts = Race.of(
                4,
                i -> storeOf(i)
                        .webhooks()
                        .redeliver(webhook.id(), Delivery.State.PARKED, null, null, MANY)
                        .count());
        assertThat(counts.stream().mapToInt(Integer::intValue).sum()).isEqualTo(20);
        assertThat(take()).hasSize(20);
    }

    private Redelivered redeliver(
            Webhook webhook, Delivery.State state, @Nullable Instant from, @Nullable Instant before, int max) {
        return webhooks().redeliver(webhook.id(), state, from, before, max);
    }

    private void cancelThreeASecondApart() {
        for (int i = 0; i < 3; i++) {
            cancelled();
            advance(SECOND);
        }
    }

    /** Parks all pending deliveries, and lets their webhooks recover. */
    private void giveUp() {
        var impatient = new SendingRules(SECOND, SECOND, Duration.ZERO, 1000, Duration.ZERO);
        for (List<DueDelivery> some = take(); !some.isEmpty(); some = take()) {
            some.forEach(due -> deliveries()
                    .tried(
                            due.delivery().id(),
                            new DeliveryTry(due.delivery().tries(), now(), SECOND, 500, "status 500", null),
                            PAUSE,
                            impatient));
        }
        webhooks().list().forEach(one -> edit(one.id(), one.spec(), true));
    }
}
