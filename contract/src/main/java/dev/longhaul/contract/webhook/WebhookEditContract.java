package dev.longhaul.contract.webhook;

import static dev.longhaul.job.WebhookEvent.JOB_FAILED;
import static dev.longhaul.job.WebhookEvent.JOB_SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.job.JobId;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.webhook.WebhookStore;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests edits of webhooks, including concurrent ones. */
public abstract class WebhookEditContract extends WebhookWords {
    @Test
    void that_are_edited_get_pending_deliveries_at_their_new_url() {
        Webhook webhook = subscribed(JOB_SUCCEEDED);
        succeeded();
        WebhookSpec moved = to("https://other.example.com", Set.of(JOB_FAILED));
        edit(webhook.id(), moved, true);
        succeeded();

        assertThat(takeOne().url()).isEqualTo("https://other.example.com");
        assertRefused(ErrorCode.NOT_FOUND, () -> edit(UUID.randomUUID(), moved, true));
    }

    /**
     * Half of the edits add a queue each, the other half add a definition each. Each edit is merged with the others.
     */
    @Test
    void that_are_edited_concurrently_keep_every_change() {
        Webhook webhook = subscribed(JOB_SUCCEEDED);
        Race.of(
                8,
                i -> storeOf(i)
                        .webhooks()
                        .edit(
                                webhook.id(),
                                was -> new WebhookStore.Settings(
                                        with(was.spec(), "n" + i, i % 2 == 0), was.enabled() && i != 5)));

        Webhook edited = look(webhook);
        assertThat(edited.spec().queues()).containsExactlyInAnyOrder("n0", "n2", "n4", "n6");
        assertThat(edited.spec().definitionKeys()).containsExactlyInAnyOrder("n1", "n3", "n5", "n7");
        assertThat(edited.enabled()).isFalse();
    }

    private static WebhookSpec with(WebhookSpec was, String name, boolean queue) {
        var queues = new HashSet<>(was.queues());
        var keys = new HashSet<>(was.definitionKeys());
        (queue ? queues : keys).add(name);
        return new WebhookSpec(was.url(), was.events(), keys, queues, was.labels(), was.secrets());
    }

    @Test
    void that_are_disabled_get_neither_new_nor_pending_deliveries() {
        Webhook webhook = subscribed(JOB_SUCCEEDED);
        JobId sent = succeeded();
        edit(webhook.id(), webhook.spec(), false);
        succeeded();
        assertThat(take()).isEmpty();
        edit(webhook.id(), webhook.spec(), true);

        assertThat(jobOf(takeOne())).isEqualTo(sent);
    }

    @Test
    void that_are_enabled_again_have_a_fresh_retry_window() {
        Webhook webhook = subscribed(JOB_SUCCEEDED);
        succeeded();
        report(takeOne(), false);
        edit(webhook.id(), webhook.spec(), false);
        advance(RULES.patience().multipliedBy(2));
        edit(webhook.id(), webhook.spec(), true);

        DueDelivery due = takeOne();
        assertThat(report(due, false).parked()).isFalse();
        advance(RULES.patience());
        assertThat(report(takeOne(), false).parked()).isTrue();
        assertThat(look(due.delivery().id()).state()).isEqualTo(Delivery.State.PARKED);
    }
}
