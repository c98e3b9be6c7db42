package dev.longhaul.contract.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.StoreContract;
import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Tally;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the effect of each transition on a job. {@link FencingContract} tests which callers may apply one. */
public abstract class TransitionContract extends StoreContract {
    @Test
    void succeed_ends_the_job_with_its_result() {
        Claim claim = running();
        save(RunUpdate.progress(claim, new Progress(40, "on it")));
        Instant before = now();
        win(Transition.succeed(claim, "{\"rows\": 9007199254740993, \"who\":\"Jürgen 👋\"}"));

        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.SUCCEEDED);
        assertThat(job.result()).isEqualTo("{\"rows\": 9007199254740993, \"who\":\"Jürgen 👋\"}");
        assertThat(job.failure()).isNull();
        assertThat(job.lease()).isNull();
        assertThat(job.progress()).isEqualTo(new Progress(40, "on it"));
        assertThat(job.tally()).isEqualTo(new Tally(1, 1, 0));
        assertThat(job.times().finishedAt()).isBetween(before, now());
        assertThat(job.times().updatedAt()).isEqualTo(job.times().finishedAt());
        assertRunEnded(job, RunStatus.SUCCEEDED, null);
        assertThat(lastEvent(job.id()).type()).isEqualTo(EventType.SUCCEEDED);
        assertThat(lastEvent(job.id()).run()).isEqualTo(1);
    }

    @Test
    void succeed_clears_the_failure_of_earlier_attempts() {
        win(Transition.retry(running(), RunAt.now(), BOOM));
        Claim second = claimNext().claim();
        win(Transition.succeed(second, "{}"));

        assertThat(look(second.jobId()).failure()).isNull();
        assertThat(store().jobs().runs(second.jobId())).extracting(Run::failure).containsExactly(BOOM, null);
    }

    @Test
    void retry_lets_the_job_wait_for_its_next_attempt() {
        Claim claim = running();
        Instant before = now();
        win(Transition.retry(claim, RunAt.after(HOUR), BOOM));

        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.RETRYING);
        assertThat(job.times().runAt()).isBetween(before.plus(HOUR), now().plus(HOUR));
        assertThat(job.times().finishedAt()).isNull();
        assertThat(job.failure()).isEqualTo(BOOM);
        assertThat(job.lease()).isNull();
        assertThat(job.tally()).isEqualTo(new Tally(1, 1, 0));
        assertRunEnded(job, RunStatus.FAILED, BOOM);
        assertThat(story(job.id())).containsExactly(EventType.CREATED, EventType.STARTED, EventType.RETRYING);
        assertThat(lastEvent(job.id()).payload()).isEqualTo(Payload.of(BOOM));
        assertThat(claim(1)).isEmpty();
    }

    @Test
    void retry_fails_the_job_when_no_attempts_are_left() {
        JobId id = insert(aJob().maxAttempts(2)).id();
        win(Transition.retry(claimNext().claim(), RunAt.now(), BOOM));
        win(Transition.retry(claimNext().claim(), RunAt.now(), BOOM));

        assertThat(look(id).state()).isEqualTo(JobState.FAILED);
        assertThat(look(id).failure()).isEqualTo(BOOM);
        assertThat(look(id).tally()).isEqualTo(new Tally(2, 2, 0));
        assertThat(store().jobs().runs(id)).extracting(Run::status).containsExactly(RunStatus.FAILED, RunStatus.FAILED);
        assertThat(claim(1)).isEmpty();
    }

    @Test
    void retry_at_a_past_time_is_due_now() {
        Claim claim = running();
        Instant before = now();
        win(Transition.retry(claim, RunAt.at(before.minus(HOUR)), BOOM));

        assertThat(look(claim.jobId()).times().runAt()).isBetween(before, now());
    }

    @Test
    void fail_ends_the_job_whatever_attempts_are_left() {
        Claim claim = running(aJob().maxAttempts(10));
        var failure = new Failure(Failure.EXCEPTION, "no such file", "java.io.IOException", "at Report.main");
        win(Transition.fail(claim, failure));

        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.failure()).isEqualTo(failure);
        assertThat(job.result()).isNull();
        assertThat(job.times().finishedAt()).isNotNull();
        assertRunEnded(job, RunStatus.FAILED, failure);
        assertThat(lastEvent(job.id()).type()).isEqualTo(EventType.FAILED);
        assertThat(lastEvent(job.id()).payload()).isEqualTo(Payload.of(failure));
    }

    @Test
    void snooze_returns_the_attempt_and_waits() {
        Claim claim = running(aJob().maxAttempts(1));
        Instant before = now();
        win(Transition.snooze(claim, RunAt.after(HOUR)));

        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.SCHEDULED);
        assertThat(job.times().runAt()).isBetween(before.plus(HOUR), now().plus(HOUR));
        assertThat(job.tally()).isEqualTo(new Tally(1, 0, 0));
        assertRunEnded(job, RunStatus.SNOOZED, null);
        assertThat(lastEvent(job.id()).type()).isEqualTo(EventType.SNOOZED);
        assertThat(lastEvent(job.id()).run()).isEqualTo(1);
        advance(HOUR.plus(SECOND));
        assertThat(claimNext().claim().run()).isEqualTo(2);
    }

    @Test
    void a_job_that_a_worker_cannot_read_waits_with_the_reason_and_its_attempt() {
        Claim claim = running(aJob().maxAttempts(1));
        var reason = Failure.of(Failure.PARAMS_UNREADABLE, "params.note: missing (expected: required)");
        win(Transition.leave(claim, RunAt.after(HOUR), reason));

        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.SCHEDULED);
        assertThat(job.tally()).isEqualTo(new Tally(1, 0, 0));
        assertThat(job.failure()).isEqualTo(reason);
        assertRunEnded(job, RunStatus.SNOOZED, reason);
        assertThat(lastEvent(job.id()).type()).isEqualTo(EventType.SNOOZED);
        assertThat(lastEvent(job.id()).payload()).isEqualTo(Payload.of(reason));
        advance(HOUR.plus(SECOND));
        ClaimedJob again = claimNext();
        assertThat(again.job().failure()).isEqualTo(reason);
        win(Transition.succeed(again.claim(), "{}"));
        assertThat(look(claim.jobId()).failure()).isNull();
    }

    @Test
    void give_back_returns_the_attempt_and_keeps_the_run_time() {
        Instant asked = insert(aJob().maxAttempts(1)).times().runAt();
        advance(HOUR);
        Claim claim = claimNext().claim();
        win(Transition.giveBack(claim));

        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
        assertThat(job.times().runAt()).isEqualTo(asked);
        assertThat(job.tally()).isEqualTo(new Tally(1, 0, 0));
        assertRunEnded(job, RunStatus.RELEASED, null);
        assertThat(lastEvent(job.id()).type()).isEqualTo(EventType.RELEASED);
        assertThat(lastEvent(job.id()).run()).isEqualTo(1);
        assertThat(claim(1)).hasSize(1);
    }

    @Test
    void crashed_counts_a_crash_beside_the_attempt() {
        Claim claim = running();
        win(Transition.crashed(claim, Failure.of(Failure.SIGNAL, "killed by signal 9")));

        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
        assertThat(job.tally()).isEqualTo(new Tally(1, 1, 1));
        assertThat(lastRun(job.id()).status()).isEqualTo(RunStatus.FAILED);
        assertThat(lastEvent(job.id()).type()).isEqualTo(EventType.RETRYING);
    }

    @Test
    void crashed_for_the_third_time_quarantines_the_job() {
        JobId id = insert(aJob().maxAttempts(100)).id();
        Failure killed = Failure.of(Failure.SIGNAL, "killed by signal 9");
        for (int crash = 1; crash <= Limits.CRASHES; crash++) {
            win(Transition.crashed(
                    store().claimById()
                            .claimOne(id, Claim.newKey(), WORKER, LEASE)
                            .claim(),
                    killed));
        }

        Job job = look(id);
        Failure failure = present(job.failure());
        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(failure.code()).isEqualTo(Failure.QUARANTINED);
        assertThat(job.tally()).isEqualTo(new Tally(3, 3, 3));
        assertThat(store().jobs().runs(id)).extracting(Run::failure).containsExactly(killed, killed, killed);
        assertThat(lastEvent(id).type()).isEqualTo(EventType.FAILED);
        assertThat(lastEvent(id).payload()).isEqualTo(Payload.of(failure));
    }

    @Test
    void crashed_on_the_last_attempt_fails_the_job() {
        Claim claim = running(aJob().maxAttempts(1));
        win(Transition.crashed(claim, BOOM));

        assertThat(look(claim.jobId()).state()).isEqualTo(JobState.FAILED);
        assertThat(look(claim.jobId()).failure()).isEqualTo(BOOM);
    }

    // After a cancel was requested

    @Test
    void every_end_but_success_cancels_a_job_that_is_being_cancelled() {
        cancels(Transition::cancelled);
        cancels(claim -> Transition.retry(claim, RunAt.now(), BOOM));
        cancels(claim -> Transition.fail(claim, BOOM));
        cancels(claim -> Transition.snooze(claim, RunAt.now()));
        cancels(Transition::giveBack);
        cancels(claim -> Transition.crashed(claim, BOOM));
    }

    private void cancels(Function<Claim, Transition> transition) {
        Claim claim = cancelling();
        win(transition.apply(claim));

        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(job.failure()).isNull();
        assertThat(job.lease()).isNull();
        assertThat(job.times().finishedAt()).isNotNull();
        assertThat(lastRun(job.id()).status()).isEqualTo(RunStatus.CANCELLED);
        assertThat(lastEvent(job.id()).type()).isEqualTo(EventType.CANCELLED);
        assertThat(lastEvent(job.id()).run()).isEqualTo(1);
    }

    @Test
    void succeed_of_a_job_that_is_being_cancelled_is_still_a_success() {
        Claim claim = cancelling();
        win(Transition.succeed(claim, "{\"n\":1}"));

        Job job = look(claim.jobId());
        assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
        assertThat(job.result()).isEqualTo("{\"n\":1}");
        assertRunEnded(job, RunStatus.SUCCEEDED, null);
        assertThat(story(job.id()))
                .containsExactly(EventType.CREATED, EventType.STARTED, EventType.CANCEL_REQUESTED, EventType.SUCCEEDED);
    }

    private void assertRunEnded(Job job, RunStatus status, @Nullable Failure failure) {
        Run run = lastRun(job.id());
        assertThat(run.run()).isEqualTo(job.tally().run());
        assertThat(run.status()).isEqualTo(status);
        assertThat(run.failure()).isEqualTo(failure);
        assertThat(run.workerId()).isEqualTo(WORKER);
        assertThat(run.endedAt()).isEqualTo(job.times().updatedAt());
    }
}
