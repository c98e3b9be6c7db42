package dev.longhaul.contract.webhook;

import static dev.longhaul.job.WebhookEvent.JOB_CANCELLED;
import static dev.longhaul.job.WebhookEvent.JOB_STARTED;
import static dev.longhaul.job.WebhookEvent.JOB_SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.Claim;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryQueue;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.work.Transition;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the backlog: pending deliveries, and which of them could have been sent. */
public abstract class WebhookBacklogContract extends WebhookWords {
    private @Nullable Instant oldest() {
        return deliveries().backlog().oldestDueSince();
    }

    @Test
    void counts_pending_deliveries_and_reports_the_oldest() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        assertThat(deliveries().backlog()).isEqualTo(new DeliveryQueue.Backlog(0, 0, null, 0));
        cancelled();
        advance(HOUR);
        cancelled();

        assertThat(deliveries().backlog().pending()).isEqualTo(2);
        Delivery oldest = webhooks().deliveries(webhook.id(), null, null, MANY).get(1);
        assertThat(oldest()).isEqualTo(oldest.at());
    }

    @Test
    void ignores_deliveries_that_wait_for_an_earlier_event_of_their_job() {
        subscribed(JOB_STARTED, JOB_SUCCEEDED);
        Claim claim = running();
        DueDelivery started = takeOne();
        report(started, false);
        win(Transition.succeed(claim, "{}"));
        assertThat(take()).isEmpty();
        assertThat(deliveries().backlog().pending()).isEqualTo(2);
        assertThat(oldest()).isNull();

        advance(PAUSE);
        assertThat(oldest()).isEqualTo(look(started.delivery().id()).nextTryAt());
    }

    @Test
    void ignores_deliveries_of_a_webhook_that_is_held_back() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        insertJobs(RULES.breakAfter()).forEach(this::cancel);
        take().forEach(due -> report(due, false));
        cancelled();
        assertThat(take()).isEmpty();
        assertThat(deliveries().backlog().failing()).isEqualTo(1);
        assertThat(oldest()).isNull();

        advance(RULES.breakFor());
        assertThat(oldest()).as("all wait for the one that finds out").isNull();
        edit(webhook.id(), webhook.spec(), true);
        assertThat(oldest()).as("nothing is known to be wrong").isNotNull();
    }

    /** While a webhook fails, most of its pending deliveries are never tried. */
    @Test
    void is_parked_when_a_failing_webhook_has_not_accepted_it_in_time() {
        Webhook webhook = failing();
        insertJobs(3).forEach(this::cancel);
        advance(RULES.patience().minus(SECOND));
        assertThat(deliveries().giveUp(RULES, MANY)).isZero();
        advance(SECOND);
        assertThat(deliveries().giveUp(RULES, 2)).isEqualTo(2);
        assertThat(deliveries().giveUp(RULES, 2)).isEqualTo(1);
        advance(PAUSE);
        assertThat(deliveries().giveUp(RULES, MANY)).as("and the tried ones").isEqualTo(RULES.breakAfter());
        assertThat(deliveries().giveUp(RULES, MANY)).isZero();
        assertThat(deliveries().backlog()).isEqualTo(new DeliveryQueue.Backlog(0, 3 + RULES.breakAfter(), null, 0));
        assertThat(webhooks().deliveries(webhook.id(), Delivery.State.PARKED, null, MANY))
                .allMatch(parked -> parked.endedAt() != null);
    }

    private Webhook failing() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        insertJobs(RULES.breakAfter()).forEach(this::cancel);
        take().forEach(due -> report(due, false));
        return webhook;
    }

    @Test
    void is_not_parked_while_it_is_being_sent_or_its_webhook_is_disabled_or_was_edited_or_does_not_fail() {
        Webhook webhook = failing();
        cancelled();
        advance(RULES.patience().multipliedBy(2));
        DueDelivery sent = takeOne();
        edit(webhook.id(), webhook.spec(), false);
        assertThat(deliveries().giveUp(RULES, MANY)).as("disabled").isZero();
        edit(webhook.id(), webhook.spec(), true);
        assertThat(deliveries().giveUp(RULES, MANY)).as("edited").isZero();
        assertThat(take()).as("does not fail").hasSize(RULES.breakAfter()).allSatisfy(due -> report(due, false));
        advance(RULES.patience().minus(PAUSE));
        assertThat(deliveries().giveUp(RULES, MANY))
                .as("has a fresh retry window")
                .isZero();
        assertThat(look(sent.delivery().id()).state()).isEqualTo(Delivery.State.PENDING);
    }
}
