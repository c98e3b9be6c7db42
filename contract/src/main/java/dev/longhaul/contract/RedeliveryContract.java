package dev.longhaul.contract;

import static dev.longhaul.webhook.WebhookEvent.JOB_SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DueDelivery;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Sending once more what has been delivered, or given up. */
abstract class RedeliveryContract extends WebhookWords {
    @Test
    void can_have_an_ended_delivery_sent_again_with_new_patience() {
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
    void keep_a_delivery_that_waits_as_it_is_when_somebody_wants_it_sent_again() {
        subscribed(JOB_SUCCEEDED);
        succeeded();
        DueDelivery due = takeOne();
        report(due, true);
        UUID id = due.delivery().id();
        Delivery once = webhooks().redeliver(id);
        advance(SECOND);
        assertThat(webhooks().redeliver(id)).as("asked again").isEqualTo(once);
        Delivery sent = takeOne().delivery();
        assertThat(webhooks().redeliver(id)).as("while it is being sent").isEqualTo(sent);
        assertThat(take()).isEmpty();
    }
}
