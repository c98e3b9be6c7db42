package dev.longhaul.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.contract.Whole;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.event.EventType;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

public abstract class CancelContract extends StoreContract {
    @Test
    void ends_a_waiting_job_at_once() {
        JobId id = insert(aJob()).id();
        Instant before = now();

        Job job = cancel(id, "anna", "not needed", null);

        assertThat(job.status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(job.times().finishedAt()).isBetween(before, now());
        assertThat(job.cancelRequest()).isEqualTo(new CancelRequest(finishedAt(job), "not needed", null));
        assertThat(look(id)).isEqualTo(job);
        assertThat(story(id)).containsExactly(EventType.CREATED, EventType.CANCELLED);
        assertThat(lastEvent(id).run()).isZero();
        assertThat(lastEvent(id).payload()).isEqualTo("{\"reason\":\"not needed\",\"by\":\"anna\"}");
        assertThat(claim(1)).isEmpty();
    }

    @Test
    void ends_a_held_and_a_scheduled_job_at_once() {
        JobId held = insert(aJob().hold(true)).id();
        JobId scheduled = insert(aJob().runTime(RunAt.after(HOUR))).id();

        Job job = cancel(held, null, null, Duration.ofSeconds(20));
        assertThat(job.state()).isEqualTo(JobState.CANCELLED);
        assertThat(job.cancelRequest()).isEqualTo(new CancelRequest(finishedAt(job), null, Duration.ofSeconds(20)));
        assertThat(cancel(scheduled).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void ends_a_job_between_two_attempts_and_clears_the_failure_of_the_first() {
        Claim claim = running();
        win(Transition.retry(claim, RunAt.after(HOUR), BOOM));

        Job job = cancel(claim.jobId());

        assertThat(job.state()).isEqualTo(JobState.CANCELLED);
        assertThat(job.failure()).isNull();
        assertThat(lastEvent(job.id()).type()).isEqualTo(EventType.CANCELLED);
        assertThat(lastEvent(job.id()).run()).isZero();
        assertThat(lastRun(job.id()).failure()).isEqualTo(BOOM);
    }

    @Test
    void of_a_waiting_job_is_cleared_when_the_job_is_retried() {
        JobId id = insert(aJob()).id();
        cancel(id, "anna", "not needed", null);

        assertThat(retry(id, "anna").cancelRequest()).isNull();
    }

    private static Instant finishedAt(Job job) {
        return present(job.times().finishedAt());
    }

    @Test
    void needs_neither_a_name_nor_a_reason() {
        JobId id = insert(aJob()).id();
        cancel(id, null, null, null);

        assertThat(lastEvent(id).payload()).isNull();
    }

    @Test
    void requests_a_running_job_to_end() {
        Claim claim = running();
        Instant before = now();

        Job job = cancel(claim.jobId(), "anna", "not needed", Duration.ofSeconds(20));

        CancelRequest request = present(job.cancelRequest());
        assertThat(job.status()).isEqualTo(JobStatus.CANCELLING);
        assertThat(request.at()).isBetween(before, now());
        assertThat(request.reason()).isEqualTo("not needed");
        assertThat(request.grace()).isEqualTo(Duration.ofSeconds(20));
        assertThat(job.lease()).isNotNull();
        assertThat(job.times().finishedAt()).isNull();
        assertThat(look(job.id())).isEqualTo(job);
        assertThat(story(job.id())).containsExactly(EventType.CREATED, EventType.STARTED, EventType.CANCEL_REQUESTED);
        assertThat(lastEvent(job.id()).run()).isZero();
        assertThat(lastEvent(job.id()).payload()).isEqualTo("{\"reason\":\"not needed\",\"by\":\"anna\"}");
    }

    @Test
    void leaves_the_grace_to_the_worker_when_none_is_given() {
        Claim claim = running();
        Job job = cancel(claim.jobId(), null, null, null);

        CancelRequest request = present(job.cancelRequest());
        assertThat(request.reason()).isNull();
        assertThat(request.grace()).isNull();
    }

    @Test
    void is_remembered_once_the_job_is_cancelled() {
        Claim claim = cancelling();
        CancelRequest request = look(claim.jobId()).cancelRequest();
        win(Transition.cancelled(claim));

        assertThat(look(claim.jobId()).cancelRequest()).isNotNull().isEqualTo(request);
    }

    @Test
    void of_a_job_that_is_being_cancelled_changes_nothing() {
        JobId id = cancelling().jobId();
        Whole before = whole(id);
        advance(SECOND);

        Job again = cancel(id, "bert", "really", Duration.ZERO);

        assertThat(again).isEqualTo(before.job());
        assertThat(whole(id)).isEqualTo(before);
    }

    @Test
    void of_a_cancelled_job_changes_nothing() {
        JobId id = cancelled();
        Whole before = whole(id);
        advance(SECOND);

        assertThat(cancel(id)).isEqualTo(before.job());
        assertThat(whole(id)).isEqualTo(before);
    }

    @Test
    void reports_whether_it_changed_the_job() {
        JobId running = running().jobId();
        JobId waiting = insert(aJob()).id();
        for (JobId id : List.of(running, waiting)) {
            var first = store().jobs().execute(JobCommand.cancel(id, "anna", null, null));
            var second = store().jobs().execute(JobCommand.cancel(id, "anna", null, null));

            assertThat(first.changed()).isTrue();
            assertThat(second.changed()).isFalse();
            assertThat(second.job()).isEqualTo(first.job());
        }
    }

    @Test
    void of_an_unknown_job_is_refused() {
        assertRefused(ErrorCode.NOT_FOUND, () -> cancel(newId()));
    }

    @Test
    void accepts_any_text_as_its_reason() {
        Claim claim = running();
        Job job = cancel(claim.jobId(), "an\u0000na", "half \ud83d, \"none\" \u0000", null);
        JobId waiting = insert(aJob()).id();
        cancel(waiting, "an\u0000na", "half \ud83d, \"none\" \u0000", null);

        assertThat(present(job.cancelRequest()).reason()).isEqualTo("half \ufffd, \"none\" \ufffd");
        String payload = "{\"reason\":\"half \ufffd, \\\"none\\\" \ufffd\",\"by\":\"an\ufffdna\"}";
        assertThat(lastEvent(job.id()).payload()).isEqualTo(payload);
        assertThat(lastEvent(waiting).payload()).isEqualTo(payload);
    }

    @Test
    void that_races_with_itself_is_recorded_once() {
        JobId id = running().jobId();
        List<Job> results = Race.of(
                8,
                i -> storeOf(i)
                        .jobs()
                        .execute(JobCommand.cancel(id, null, "reason " + i, null))
                        .job());

        assertThat(results.stream().map(Job::cancelRequest).distinct()).hasSize(1);
        assertThat(story(id)).hasSize(3);
    }

    @Test
    void and_a_completion_agree_on_their_order() {
        for (int round = 0; round < 10; round++) {
            Claim claim = running();
            List<Boolean> won = Race.of(2, i -> {
                if (i == 0) {
                    return store().work()
                            .apply(List.of(Transition.retry(claim, RunAt.after(HOUR), BOOM)))
                            .get(0)
                            .won();
                }
                anotherStore().jobs().execute(JobCommand.cancel(claim.jobId(), null, null, null));
                return true;
            });

            // The job is cancelled in either order: a retry of a job with a cancel request cancels it, and a job that
            // waits for its retry is cancelled immediately.
            assertThat(won).containsExactly(true, true);
            assertThat(look(claim.jobId()).state()).isEqualTo(JobState.CANCELLED);
            assertThat(story(claim.jobId())).hasSize(4).endsWith(EventType.CANCELLED);
        }
    }
}
