package dev.longhaul.contract;

import static dev.longhaul.webhook.WebhookEvent.JOB_CANCELLED;
import static dev.longhaul.webhook.WebhookEvent.JOB_STARTED;
import static dev.longhaul.webhook.WebhookEvent.JOB_SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.Claim;
import dev.longhaul.job.Transition;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookStore;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is not sent yet, and what of it could have been. */
abstract class WebhookBacklogContract extends WebhookWords {
    private @Nullable Instant oldest() {
        return webhooks().backlog().oldestDueSince();
    }

    @Test
    void tells_what_waits_and_since_when() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        assertThat(webhooks().backlog()).isEqualTo(new WebhookStore.Backlog(0, 0, null, 0));
        cancelled();
        advance(HOUR);
        cancelled();

        assertThat(webhooks().backlog().pending()).isEqualTo(2);
        Delivery oldest = webhooks().deliveries(webhook.id(), null, null, MANY).get(1);
        assertThat(oldest()).isEqualTo(oldest.at());
    }

    @Test
    void is_not_late_with_what_waits_for_an_earlier_event_of_its_job() {
        subscribed(JOB_STARTED, JOB_SUCCEEDED);
        Claim claim = running();
        DueDelivery started = takeOne();
        report(started, false);
        win(Transition.succeed(claim, "{}"));
        assertThat(take()).isEmpty();
        assertThat(webhooks().backlog().pending()).isEqualTo(2);
        assertThat(oldest()).isNull();

        advance(PAUSE);
        assertThat(oldest()).isEqualTo(look(started.delivery().id()).nextTryAt());
    }

    @Test
    void is_not_late_with_what_waits_for_a_webhook_that_is_held_back() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        insertJobs(RULES.breakAfter()).forEach(this::cancel);
        take().forEach(due -> report(due, false));
        cancelled();
        assertThat(take()).isEmpty();
        assertThat(webhooks().backlog().failing()).isEqualTo(1);
        assertThat(oldest()).isNull();

        advance(RULES.breakFor());
        assertThat(oldest()).as("all wait for the one that finds out").isNull();
        webhooks().edit(webhook.id(), webhook.spec(), true);
        assertThat(oldest()).as("nothing is known to be wrong").isNotNull();
    }
}
