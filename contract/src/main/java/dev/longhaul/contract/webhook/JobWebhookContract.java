package dev.longhaul.contract.webhook;

import static dev.longhaul.job.WebhookEvent.JOB_CANCELLED;
import static dev.longhaul.job.WebhookEvent.JOB_ENDED;
import static dev.longhaul.job.WebhookEvent.JOB_FAILED;
import static dev.longhaul.job.WebhookEvent.JOB_RETRYING;
import static dev.longhaul.job.WebhookEvent.JOB_STARTED;
import static dev.longhaul.job.WebhookEvent.JOB_SUCCEEDED;
import static dev.longhaul.job.WebhookEvent.QUEUE_STALLED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.SystemEvent;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests webhooks that are submitted with a job. */
public abstract class JobWebhookContract extends WebhookWords {
    private static final Duration WEEK = Duration.ofDays(7);
    private static final Set<WebhookEvent> ALL = EnumSet.range(JOB_STARTED, JOB_ENDED);

    private JobSpec.Builder telling(String url) {
        return aJob().webhook(JobWebhook.to(url));
    }

    private JobId cancelledTelling(JobWebhook webhook) {
        JobId id = insert(aJob().webhook(webhook)).id();
        cancel(id);
        return id;
    }

    // Events

    @Test
    void get_the_end_of_the_job() {
        win(Transition.succeed(running(telling(URL)), "{}"));
        assertThat(eventsToSend()).containsExactly(JOB_SUCCEEDED);
        win(Transition.fail(running(telling(URL)), BOOM));
        assertThat(eventsToSend()).containsExactly(JOB_FAILED);
        cancelledTelling(JobWebhook.to(URL));
        assertThat(eventsToSend()).containsExactly(JOB_CANCELLED);
    }

    @Test
    void get_each_requested_event_in_order() {
        Claim first = running(aJob().maxAttempts(3).webhook(JobWebhook.to(URL).events(ALL)));
        win(Transition.retry(first, RunAt.now(), BOOM));
        win(Transition.crashed(claimNext().claim(), BOOM));
        claimNext();
        lapse();
        assertThat(eventsToSend())
                .containsExactly(
                        JOB_STARTED, JOB_RETRYING, JOB_STARTED, JOB_RETRYING, JOB_STARTED, JOB_FAILED, JOB_ENDED);
    }

    @Test
    void get_events_of_a_job_that_is_claimed_by_its_id() {
        JobId id = insert(aJob().webhook(JobWebhook.to(URL).events(ALL))).id();
        store().claimById().claimOne(id, Claim.newKey(), WORKER, LEASE);
        assertThat(eventsToSend()).containsExactly(JOB_STARTED);
    }

    @Test
    void get_events_of_no_other_job() {
        JobId asked = insert(telling(URL)).id();
        cancelled();
        webhooks().publish(QUEUE_STALLED, SystemEvent.stalled(QUEUE, HOUR));
        assertThat(take()).isEmpty();
        cancel(asked);
        assertThat(jobOf(takeOne())).isEqualTo(asked);
    }

    @Test
    void get_events_in_addition_to_subscriptions() {
        subscribed(JOB_CANCELLED);
        cancelledTelling(JobWebhook.to(URL));
        assertThat(take()).extracting(due -> due.delivery().event()).containsExactly(JOB_CANCELLED, JOB_CANCELLED);
    }

    @Test
    void get_events_of_a_job_that_is_retried_by_an_operator() {
        JobId id = cancelledTelling(JobWebhook.to(URL));
        assertThat(eventsToSend()).containsExactly(JOB_CANCELLED);
        retry(id, "anna");
        win(Transition.succeed(claimNext().claim(), "{}"));
        assertThat(eventsToSend()).containsExactly(JOB_SUCCEEDED);
    }

    @Test
    void are_checked() {
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> JobWebhook.to("ftp://example.com"));
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> JobWebhook.to(URL).events(Set.of()));
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> JobWebhook.to(URL).events(Set.of(QUEUE_STALLED)));
        var refusal = assertRefused(
                ErrorCode.INVALID_ARGUMENT, () -> JobWebhook.to(URL).secret("not-a-secret"));
        assertThat(refusal.errors().toString()).doesNotContain("not-a-secret");
    }

    // URLs and secrets

    @Test
    void are_sent_to_the_url_of_each_job_signed_with_its_secret() {
        String secret = WebhookSecret.random();
        cancelledTelling(JobWebhook.to(URL).secret(secret));
        DueDelivery due = takeOne();
        assertThat(due.url()).isEqualTo(URL);
        assertThat(due.secrets()).containsExactly(secret);
        assertThat(due.delivery().url()).isEqualTo(URL);
        assertThat(due.toString() + webhooks().list() + due.delivery()).doesNotContain(secret);
    }

    @Test
    void without_a_secret_are_signed_with_that_of_their_host() {
        cancelledTelling(JobWebhook.to(URL));
        Webhook shared = webhooks().list().get(0);
        assertThat(takeOne().secrets()).isEqualTo(shared.spec().secrets());

        WebhookSpec was = shared.spec();
        List<String> own = List.of(WebhookSecret.random());
        edit(shared.id(), new WebhookSpec(was.url(), was.events(), Set.of(), Set.of(), Map.of(), own), true);
        cancelledTelling(JobWebhook.to(URL));
        assertThat(takeOne().secrets()).isEqualTo(own);
    }

    @Test
    void to_one_host_share_a_webhook() {
        insertAll(
                telling(URL),
                telling("https://HOOKS.example.com:443/orders/8?x=y"),
                telling("https://hooks.example.com:8443/"),
                telling("https://other.example.com"));
        assertThat(webhooks().list())
                .allMatch(Webhook::ofJobs)
                .extracting(webhook -> webhook.spec().url())
                .containsExactlyInAnyOrder(
                        "https://hooks.example.com/", "https://hooks.example.com:8443/", "https://other.example.com/");
    }

    @Test
    void are_held_back_together_while_their_host_fails() {
        for (int i = 0; i <= RULES.breakAfter(); i++) {
            cancelledTelling(JobWebhook.to(URL + i));
        }
        List<DueDelivery> due = take();
        due.subList(0, RULES.breakAfter()).forEach(one -> report(one, false));
        cancelledTelling(JobWebhook.to(URL + "new"));
        cancelledTelling(JobWebhook.to("https://other.example.com"));
        assertThat(takeOne().url()).isEqualTo("https://other.example.com");
    }

    @Test
    void are_taken_no_more_at_once_than_the_sender_requests_however_many_hosts_there_are() {
        for (int i = 0; i < 5; i++) {
            cancelledTelling(JobWebhook.to("https://host" + i + ".example.com"));
        }
        assertThat(deliveries().take(Map.of(), MANY, 3, RULES, HOLD)).hasSize(3);
        assertThat(take()).hasSize(2);
    }

    @Test
    void get_nothing_while_their_host_is_disabled() {
        cancelledTelling(JobWebhook.to(URL));
        Webhook shared = webhooks().list().get(0);
        assertThat(deliveries().backlog().oldestDueSince()).isNotNull();
        edit(shared.id(), shared.spec(), false);
        cancelledTelling(JobWebhook.to(URL));
        assertThat(take()).isEmpty();
        assertThat(deliveries().backlog().pending()).isEqualTo(1);
        assertThat(deliveries().backlog().oldestDueSince()).as("not late").isNull();
        edit(shared.id(), shared.spec(), true);
        assertThat(eventsToSend()).containsExactly(JOB_CANCELLED);
    }

    // Repeated inserts

    @Test
    void are_not_duplicated_by_a_repeated_insert() {
        JobSpec spec = telling(URL).idempotencyKey("once").build();
        insert(spec);
        insert(spec);
        insert(aJob().idempotencyKey("once")
                .webhook(JobWebhook.to("https://other.example.com"))
                .build());
        cancel(spec.id());
        assertThat(takeOne().url()).isEqualTo(URL);
        assertThat(webhooks().list()).hasSize(1);
    }

    @Test
    void of_a_rejected_batch_are_not_stored() {
        store().queues().maxDepth(QUEUE, 1);
        assertRefused(ErrorCode.RESOURCE_EXHAUSTED, () -> insertAll(telling(URL), telling(URL)));
        JobId id = insert(aJob()).id();
        cancel(id);
        assertThat(take()).isEmpty();
    }

    @Test
    void are_not_shown_with_the_job() {
        JobId id = insert(telling(URL)).id();
        assertThat(look(id).spec().webhook()).isNull();
    }

    // Removal

    @Test
    void are_removed_with_their_job_but_pending_deliveries_are_still_sent() {
        JobId id = cancelledTelling(JobWebhook.to(URL).secret(WebhookSecret.random()));
        advance(WEEK.plus(Duration.ofDays(2)));
        retain(WEEK);
        assertThat(store().jobs().find(id)).isEmpty();
        DueDelivery due = takeOne();
        assertThat(due.url()).isEqualTo(URL);
        report(due, true);
        advance(WEEK.plus(Duration.ofDays(2)));
        retain(WEEK);
        assertThat(webhooks().list()).as("the unused shared webhook").isEmpty();
    }

    @Test
    void stay_disabled_or_with_an_operators_secret_even_if_unused_for_long() {
        cancelledTelling(JobWebhook.to(URL));
        report(takeOne(), true);
        Webhook shared = webhooks().list().get(0);
        advance(SECOND);
        edit(shared.id(), shared.spec(), false);
        advance(WEEK.multipliedBy(2));
        retain(WEEK);
        cancelledTelling(JobWebhook.to(URL));
        assertThat(take()).isEmpty();
        edit(shared.id(), shared.spec(), true);
        advance(WEEK.multipliedBy(2));
        retain(WEEK);
        cancelledTelling(JobWebhook.to(URL));
        assertThat(takeOne().secrets()).isEqualTo(shared.spec().secrets());
    }

    @Test
    void stay_as_long_as_a_job_may_use_them() {
        JobId id = insert(telling(URL).hold(true)).id();
        advance(WEEK.multipliedBy(2));
        retain(WEEK);
        cancel(id);
        assertThat(eventsToSend()).containsExactly(JOB_CANCELLED);
    }

    @Test
    void are_removed_with_the_shared_webhook_and_created_again_with_the_next_job() {
        JobId first = insert(telling(URL)).id();
        UUID shared = webhooks().list().get(0).id();
        webhooks().delete(shared);
        cancel(first);
        assertThat(take()).isEmpty();
        cancelledTelling(JobWebhook.to(URL));
        Delivery next = takeOne().delivery();
        assertThat(next.webhookId()).isEqualTo(shared);
    }
}
