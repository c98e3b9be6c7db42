package dev.longhaul.contract.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.event.Payload;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.HookSource;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests hooks, the code that runs after a job has ended. */
public abstract class HooksContract extends StoreContract {
    private static final Duration HOLD = Duration.ofMinutes(5);

    private List<JobId> take() {
        return take(10);
    }

    private List<JobId> take(int max) {
        return store().work().hooks().takeHooks(Set.of(REPORT, IMPORT), max, HOLD).stream()
                .map(Job::id)
                .toList();
    }

    private void letTheHeadStartPass() {
        advance(HookSource.HOOK_HEAD_START.plus(SECOND));
    }

    @Test
    void are_due_at_once_when_a_job_is_cancelled_while_it_waits() {
        store().catalog().hooks("report", true);
        JobId id = cancelled();

        assertThat(take()).containsExactly(id);
    }

    @Test
    void are_due_at_once_when_an_expired_lease_ends_the_job() {
        store().catalog().hooks("report", true);
        JobId id = running(aJob().maxAttempts(1)).jobId();
        lapse();

        assertThat(take()).containsExactly(id);
    }

    @Test
    void are_left_to_the_worker_that_ended_the_job_for_a_while() {
        store().catalog().hooks("report", true);
        JobId succeeded = succeeded();
        JobId failed = failed();
        Claim cancelling = cancelling();
        win(Transition.cancelled(cancelling));
        assertThat(take()).isEmpty();
        letTheHeadStartPass();

        assertThat(take()).containsExactlyInAnyOrder(succeeded, failed, cancelling.jobId());
    }

    @Test
    void are_not_due_once_they_are_done() {
        store().catalog().hooks("report", true);
        JobId id = succeeded();
        store().work().hooks().hooksDone(id, List.of());
        letTheHeadStartPass();

        assertThat(take()).isEmpty();
        assertThat(story(id)).containsExactly(EventType.CREATED, EventType.STARTED, EventType.SUCCEEDED);
    }

    @Test
    void are_not_due_while_the_job_continues() {
        store().catalog().hooks("report", true);
        win(Transition.retry(running(), RunAt.now(), BOOM));
        claimNext();
        letTheHeadStartPass();

        assertThat(take()).isEmpty();
    }

    @Test
    void are_due_only_for_definitions_that_have_some() {
        store().catalog().hooks("import", true);
        cancelled();
        JobId other = insert(aJob(IMPORT)).id();
        cancel(other);

        assertThat(take()).containsExactly(other);
    }

    @Test
    void may_be_registered_again_and_removed() {
        store().catalog().hooks("report", true);
        store().catalog().hooks("report", true);
        JobId first = cancelled();
        store().catalog().hooks("report", false);
        store().catalog().hooks("report", false);
        cancelled();

        assertThat(take()).containsExactly(first);
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> store().catalog().hooks("", true));
    }

    @Test
    void get_the_job_after_its_end() {
        store().catalog().hooks("report", true);
        JobId id = succeeded();
        letTheHeadStartPass();

        assertThat(store().work().hooks().takeHooks(Set.of(REPORT), 10, HOLD)).containsExactly(look(id));
    }

    @Test
    void go_only_to_callers_that_know_the_definition_and_version() {
        store().catalog().hooks("report", true);
        JobId id = cancelled();

        assertThat(store().work().hooks().takeHooks(Set.of(IMPORT, new DefinitionRef("report", 2)), 10, HOLD))
                .isEmpty();
        assertThat(store().work().hooks().takeHooks(Set.of(), 10, HOLD)).isEmpty();
        assertThat(take()).containsExactly(id);
    }

    @Test
    void go_to_one_caller_who_holds_them_for_a_while() {
        store().catalog().hooks("report", true);
        JobId id = cancelled();
        assertThat(take()).containsExactly(id);
        assertThat(anotherStore().work().hooks().takeHooks(Set.of(REPORT), 10, HOLD))
                .isEmpty();
        advance(HOLD.minus(SECOND));
        assertThat(take()).isEmpty();
        advance(SECOND.multipliedBy(2));

        assertThat(take()).containsExactly(id);
    }

    @Test
    void come_longest_due_first_and_no_more_than_asked_for() {
        store().catalog().hooks("report", true);
        store().catalog().hooks("import", true);
        JobId first = cancelled();
        advance(SECOND);
        JobId second = insert(aJob(IMPORT)).id();
        cancel(second);
        advance(SECOND);
        JobId third = cancelled();

        assertThat(take(1)).containsExactly(first);
        assertThat(take(1)).containsExactly(second);
        assertThat(take()).containsExactly(third);
    }

    @Test
    void go_to_one_of_many_callers_who_race() {
        store().catalog().hooks("report", true);
        List<JobId> ids = insertJobs(40);
        ids.forEach(this::cancel);

        List<JobId> taken = Race.of(8, i -> storeOf(i).work().hooks().takeHooks(Set.of(REPORT), 10, HOLD)).stream()
                .flatMap(List::stream)
                .map(Job::id)
                .toList();

        assertThat(taken).doesNotHaveDuplicates();
        assertThat(taken.size() + take(40).size()).isEqualTo(40);
    }

    @Test
    void that_fail_leave_an_event_each() {
        store().catalog().hooks("report", true);
        JobId id = failed();
        store().work().hooks().hooksDone(id, List.of("no mail", "no \"chat\""));

        assertThat(story(id))
                .containsExactly(
                        EventType.CREATED,
                        EventType.STARTED,
                        EventType.FAILED,
                        EventType.HOOK_FAILED,
                        EventType.HOOK_FAILED);
        JobEvent event = events(id).get(3);
        assertThat(event.run()).isEqualTo(1);
        assertThat(event.payload()).isEqualTo(Payload.of(Failure.of("hook_failed", "no mail")));
        assertThat(look(id).failure()).isEqualTo(BOOM);
    }

    @Test
    void record_their_failures_once() {
        store().catalog().hooks("report", true);
        JobId id = cancelled();
        take();
        store().work().hooks().hooksDone(id, List.of("no mail"));
        store().work().hooks().hooksDone(id, List.of("no mail"));

        assertThat(story(id)).containsExactly(EventType.CREATED, EventType.CANCELLED, EventType.HOOK_FAILED);
        assertThat(lastEvent(id).run()).isZero();
    }

    @Test
    void are_not_due_for_a_job_that_was_retried() {
        store().catalog().hooks("report", true);
        JobId id = cancelled();
        retry(id, null);
        assertThat(take()).isEmpty();

        win(Transition.succeed(claimNext().claim(), "{}"));
        assertThat(take()).isEmpty();
        letTheHeadStartPass();
        assertThat(take()).containsExactly(id);
    }

    @Test
    void are_due_again_when_a_retried_job_ends_again() {
        store().catalog().hooks("report", true);
        JobId id = failed();
        store().work().hooks().hooksDone(id, List.of("no mail"));
        retry(id, null);
        win(Transition.succeed(claimNext().claim(), "{}"));
        letTheHeadStartPass();

        assertThat(take()).containsExactly(id);
        store().work().hooks().hooksDone(id, List.of("no chat"));
        assertThat(story(id))
                .containsExactly(
                        EventType.CREATED,
                        EventType.STARTED,
                        EventType.FAILED,
                        EventType.HOOK_FAILED,
                        EventType.RETRIED,
                        EventType.STARTED,
                        EventType.SUCCEEDED,
                        EventType.HOOK_FAILED);
        assertThat(lastEvent(id).run()).isEqualTo(2);
    }

    @Test
    void are_removed_with_their_job() {
        store().catalog().hooks("report", true);
        JobId id = cancelled();
        // This job of the same day stays, so that the day's partition is not dropped as a whole.
        insert(aJob().hold(true));
        JobId other = cancelled();
        advance(Duration.ofDays(9));
        retain(Duration.ofDays(7));

        assertThat(store().jobs().find(id)).isEmpty();
        assertThat(store().jobs().find(other)).isEmpty();
        assertThat(take()).isEmpty();
        store().work().hooks().hooksDone(id, List.of("too late"));
    }

    @Test
    void of_an_unknown_job_may_be_reported_without_harm() {
        store().work().hooks().hooksDone(newId(), List.of("no mail"));
    }
}
