package dev.longhaul.contract.webhook;

import static dev.longhaul.job.WebhookEvent.JOB_CANCELLED;
import static dev.longhaul.job.WebhookEvent.JOB_ENDED;
import static dev.longhaul.job.WebhookEvent.JOB_FAILED;
import static dev.longhaul.job.WebhookEvent.JOB_RETRYING;
import static dev.longhaul.job.WebhookEvent.JOB_STARTED;
import static dev.longhaul.job.WebhookEvent.JOB_SUCCEEDED;
import static dev.longhaul.job.WebhookEvent.QUEUE_STALLED;
import static dev.longhaul.job.WebhookEvent.SCHEDULE_MISSED;
import static dev.longhaul.job.WebhookEvent.WEBHOOK_TEST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.JobSummary;
import dev.longhaul.webhook.SystemEvent;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.webhook.WebhookStore;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests subscriptions and the deliveries of their events. */
public abstract class WebhookContract extends WebhookWords {
    private static WebhookSpec everything() {
        return to(URL, EnumSet.complementOf(EnumSet.of(WEBHOOK_TEST)));
    }

    // Subscriptions

    @Test
    void can_be_created_read_and_listed() {
        WebhookSpec spec = new WebhookSpec(
                URL,
                Set.of(JOB_FAILED, JOB_ENDED),
                Set.of("report"),
                Set.of("fast", "slow"),
                Map.of("team", "a=b"),
                List.of(WebhookSecret.random(), WebhookSecret.random()));
        Webhook first = subscribed(spec);
        advance(SECOND);
        Webhook second = subscribed(JOB_STARTED);

        assertThat(first.spec()).isEqualTo(spec);
        assertThat(first.enabled()).isTrue();
        assertThat(first.createdBy()).isEqualTo("anna");
        assertThat(webhooks().find(first.id())).contains(first);
        assertThat(webhooks().list()).containsExactly(first, second);
        assertThat(webhooks().find(UUID.randomUUID())).isEmpty();
    }

    @Test
    void are_checked() {
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> to("ftp://example.com", Set.of(JOB_ENDED)));
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> to("https://user@example.com", Set.of(JOB_ENDED)));
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> to(URL, Set.of()));
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> to(URL, Set.of(WEBHOOK_TEST)));
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                () -> new WebhookSpec(URL, Set.of(JOB_ENDED), Set.of(), Set.of(), Map.of(), List.of("short")));
    }

    @Test
    void of_a_topic_are_stored_and_taken_like_others() {
        Webhook webhook = subscribed(to("kafka:orders.v1", Set.of(JOB_SUCCEEDED)));
        succeeded();
        assertThat(webhooks().find(webhook.id())).contains(webhook);
        assertThat(take()).extracting(DueDelivery::url).containsExactly("kafka:orders.v1");
    }

    @Test
    void of_a_topic_are_checked() {
        for (String topic : List.of("", "a/b", ".hidden", "a b", "x".repeat(201), "longhaul.intake")) {
            assertRefused(ErrorCode.INVALID_ARGUMENT, () -> to("kafka:" + topic, Set.of(JOB_ENDED)));
        }
        // Callers who may only submit jobs cannot choose a topic.
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> JobWebhook.to("kafka:orders.v1"));
    }

    @Test
    void that_are_deleted_lose_their_deliveries() {
        Webhook webhook = subscribed(JOB_SUCCEEDED);
        succeeded();
        Delivery delivery = takeOne().delivery();
        webhooks().delete(webhook.id());

        assertThat(webhooks().list()).isEmpty();
        assertThat(webhooks().findDelivery(delivery.id())).isEmpty();
        assertRefused(ErrorCode.NOT_FOUND, () -> webhooks().delete(webhook.id()));
    }

    // Events

    @Test
    void get_the_events_of_a_job_that_succeeds() {
        subscribed(everything());
        succeeded();
        assertThat(eventsToSend()).containsExactly(JOB_STARTED, JOB_SUCCEEDED, JOB_ENDED);
    }

    @Test
    void get_events_of_retries_failures_and_lost_runs() {
        subscribed(everything());
        win(Transition.retry(running(aJob().maxAttempts(3)), RunAt.now(), BOOM));
        win(Transition.crashed(claimNext().claim(), BOOM));
        claimNext();
        lapse();
        assertThat(eventsToSend())
                .containsExactly(
                        JOB_STARTED, JOB_RETRYING, JOB_STARTED, JOB_RETRYING, JOB_STARTED, JOB_FAILED, JOB_ENDED);
    }

    @Test
    void get_events_of_cancelled_jobs_whether_they_ran_or_not() {
        subscribed(JOB_CANCELLED, JOB_ENDED);
        cancelled();
        assertThat(eventsToSend()).containsExactly(JOB_CANCELLED, JOB_ENDED);
        win(Transition.cancelled(cancelling()));
        assertThat(eventsToSend()).containsExactly(JOB_CANCELLED, JOB_ENDED);
    }

    @Test
    void get_events_of_a_job_that_is_claimed_by_its_id() {
        subscribed(JOB_STARTED);
        JobId id = insert(aJob()).id();
        store().claimById().claimOne(id, Claim.newKey(), WORKER, LEASE);
        assertThat(eventsToSend()).containsExactly(JOB_STARTED);
    }

    @Test
    void get_no_events_of_snoozes_and_jobs_given_back() {
        subscribed(JOB_RETRYING, JOB_ENDED);
        win(Transition.giveBack(running()));
        var unreadable = Failure.of(Failure.PARAMS_UNREADABLE, "params.note: missing (expected: required)");
        win(Transition.leave(claimNext().claim(), RunAt.now(), unreadable));
        win(Transition.snooze(claimNext().claim(), RunAt.after(HOUR)));
        assertThat(take()).isEmpty();
    }

    @Test
    void get_no_events_of_transitions_of_a_lost_claim() {
        subscribed(JOB_SUCCEEDED);
        Claim claim = running();
        lapse();
        apply(Transition.succeed(claim, "{}"));
        assertThat(take()).isEmpty();
    }

    @Test
    void get_one_event_when_a_transition_is_repeated() {
        subscribed(JOB_SUCCEEDED);
        Claim claim = running();
        win(Transition.succeed(claim, "{}"));
        win(Transition.succeed(claim, "{}"));
        assertThat(take()).hasSize(1);
    }

    @Test
    void filter_by_definition_queue_and_label() {
        String secret = WebhookSecret.random();
        subscribed(new WebhookSpec(
                URL, Set.of(JOB_CANCELLED), Set.of("import"), Set.of(QUEUE), Map.of("team", "red"), List.of(secret)));
        cancel(insert(aJob(IMPORT)).id());
        cancel(insert(aJob().labels(Map.of("team", "red"))).id());
        cancel(insert(aJob(IMPORT).labels(Map.of("team", "blue"))).id());
        cancel(insert(aJob(IMPORT).queue("other").labels(Map.of("team", "red"))).id());
        JobId wanted =
                insert(aJob(IMPORT).labels(Map.of("team", "red", "site", "x"))).id();
        cancel(wanted);

        assertThat(jobOf(takeOne())).isEqualTo(wanted);
    }

    @Test
    void get_the_job_as_it_was_at_the_event() {
        Webhook webhook = subscribed(JOB_RETRYING);
        Claim claim = running(aJob().name("a name").correlationId("c-1").labels(Map.of("a", "b")));
        win(Transition.retry(claim, RunAt.now(), BOOM));
        claimNext();

        DueDelivery due = takeOne();
        assertThat(due.secrets()).isEqualTo(webhook.spec().secrets());
        assertThat(due.delivery().webhookId()).isEqualTo(webhook.id());
        assertThat(due.delivery().tries()).isEqualTo(1);
        assertThat(due.delivery().job())
                .isEqualTo(new JobSummary(
                        claim.jobId(),
                        3,
                        JobStatus.RETRYING,
                        REPORT,
                        QUEUE,
                        1,
                        1,
                        "a name",
                        "c-1",
                        Map.of("a", "b"),
                        "exception",
                        "boom",
                        null));
    }

    @Test
    void get_the_final_status_also_with_the_event_of_every_end() {
        subscribed(JOB_STARTED, JOB_RETRYING, JOB_FAILED, JOB_ENDED);
        succeeded();
        assertThat(statuses()).containsExactly(JobStatus.RUNNING, JobStatus.SUCCEEDED);
        win(Transition.retry(running(aJob()), RunAt.now(), BOOM));
        win(Transition.fail(claimNext().claim(), BOOM));
        assertThat(statuses())
                .containsExactly(
                        JobStatus.RUNNING, JobStatus.RETRYING, JobStatus.RUNNING, JobStatus.FAILED, JobStatus.FAILED);
        win(Transition.cancelled(cancelling()));
        assertThat(statuses()).containsExactly(JobStatus.RUNNING, JobStatus.CANCELLED);
        cancelled();
        assertThat(statuses()).containsExactly(JobStatus.CANCELLED);
    }

    @Test
    void each_get_the_events_they_subscribe_to() {
        Webhook first = subscribed(JOB_SUCCEEDED);
        Webhook second = subscribed(JOB_ENDED);
        succeeded();
        assertThat(take().stream().map(due -> due.delivery().webhookId()))
                .containsExactlyInAnyOrder(first.id(), second.id());
    }

    // Sending

    @Test
    void can_be_tested() {
        Webhook webhook = subscribed(JOB_FAILED);
        Delivery test = webhooks().test(webhook.id());

        assertThat(test.event()).isEqualTo(WEBHOOK_TEST);
        assertThat(takeOne().delivery().id()).isEqualTo(test.id());
        assertRefused(ErrorCode.NOT_FOUND, () -> webhooks().test(UUID.randomUUID()));
        edit(webhook.id(), webhook.spec(), false);
        assertRefused(ErrorCode.FAILED_PRECONDITION, () -> webhooks().test(webhook.id()));
        assertThat(webhooks().deliveries(webhook.id(), null, null, MANY)).hasSize(1);
    }

    @Test
    void show_their_deliveries_newest_first_in_pages() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        for (int i = 0; i < 5; i++) {
            cancelled();
            advance(SECOND);
        }
        List<Delivery> all = webhooks().deliveries(webhook.id(), null, null, MANY);
        List<Delivery> page = webhooks().deliveries(webhook.id(), null, null, 2);
        Delivery last = page.get(1);
        List<Delivery> next =
                webhooks().deliveries(webhook.id(), null, new WebhookStore.Cursor(last.at(), last.id()), MANY);

        assertThat(all)
                .hasSize(5)
                .isSortedAccordingTo(Comparator.comparing(Delivery::at).reversed());
        assertThat(page).isEqualTo(all.subList(0, 2));
        assertThat(next).isEqualTo(all.subList(2, 5));
        assertThat(webhooks().deliveries(webhook.id(), Delivery.State.PARKED, null, MANY))
                .isEmpty();
        assertThat(webhooks().deliveries(webhook.id(), Delivery.State.PENDING, null, MANY))
                .hasSize(5);
    }

    @Test
    void have_old_ended_deliveries_removed() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        cancelled();
        report(takeOne(), true);
        cancelled();
        advance(Duration.ofDays(9));
        retain(Duration.ofDays(7));

        assertThat(webhooks().deliveries(webhook.id(), null, null, MANY)).hasSize(1);
    }

    @Test
    void have_deliveries_that_no_server_sent_for_a_month_removed() {
        Webhook webhook = subscribed(JOB_CANCELLED);
        cancelled();
        advance(Duration.ofDays(29));
        retain(Duration.ofDays(7));
        assertThat(webhooks().deliveries(webhook.id(), null, null, MANY))
                .as("a server may still send it")
                .hasSize(1);
        advance(Duration.ofDays(2));
        retain(Duration.ofDays(40));
        assertThat(webhooks().deliveries(webhook.id(), null, null, MANY))
                .as("kept as long as jobs")
                .hasSize(1);
        edit(webhook.id(), webhook.spec(), false);
        retain(Duration.ofDays(7));
        assertThat(webhooks().deliveries(webhook.id(), null, null, MANY))
                .as("waits for an operator")
                .hasSize(1);
        edit(webhook.id(), webhook.spec(), true);
        retain(Duration.ofDays(7));
        assertThat(webhooks().deliveries(webhook.id(), null, null, MANY)).isEmpty();
    }

    // Events that do not belong to one job

    @Test
    void get_events_of_queues_and_schedules_that_they_subscribe_to() {
        Webhook all = subscribed(QUEUE_STALLED);
        Webhook slow = subscribed(new WebhookSpec(
                URL, Set.of(QUEUE_STALLED), Set.of(), Set.of("slow"), Map.of(), List.of(WebhookSecret.random())));
        Webhook reports = subscribed(new WebhookSpec(
                URL,
                Set.of(QUEUE_STALLED, SCHEDULE_MISSED),
                Set.of("report"),
                Set.of(),
                Map.of("team", "a"),
                List.of(WebhookSecret.random())));
        subscribed(JOB_ENDED);
        SystemEvent stalled = SystemEvent.stalled("fast", Duration.ofMinutes(6));
        var missed = new SystemEvent("nightly", "{\"missed\":3}", "report", "slow", Map.of("team", "a", "x", "y"));
        webhooks().publish(QUEUE_STALLED, stalled);
        webhooks().publish(SCHEDULE_MISSED, missed);

        assertThat(webhooks().deliveries(slow.id(), null, null, MANY)).isEmpty();
        Delivery first = webhooks().deliveries(all.id(), null, null, MANY).get(0);
        assertThat(first.event()).isEqualTo(QUEUE_STALLED);
        assertThat(first.happening()).isEqualTo(stalled);
        assertThat(first.job()).isNull();
        List<Delivery> other = webhooks().deliveries(reports.id(), null, null, MANY);
        assertThat(other).hasSize(1);
        assertThat(other.get(0).happening()).isEqualTo(missed);
        assertThat(take().stream().map(due -> due.delivery().happening())).containsExactlyInAnyOrder(stalled, missed);
    }
}
