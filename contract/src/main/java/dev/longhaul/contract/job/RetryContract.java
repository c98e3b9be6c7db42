package dev.longhaul.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Step;
import dev.longhaul.job.Tally;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests how an operator restarts a job. */
public abstract class RetryContract extends StoreContract {
    @Test
    void makes_a_failed_job_due_with_all_its_attempts() {
        JobId id = insert(aJob().maxAttempts(1)).id();
        Claim claim = claimNext().claim();
        save(new RunUpdate(claim, new Progress(30, "on it"), List.of(), List.of()));
        win(Transition.crashed(claim, BOOM));
        Instant before = now();

        Job job = retry(id, "anna");

        assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
        assertThat(job.tally()).isEqualTo(new Tally(1, 0, 0));
        assertThat(job.progress()).isEqualTo(Progress.NONE);
        assertThat(job.failure()).isNull();
        assertThat(job.cancelRequest()).isNull();
        assertThat(job.times().runAt()).isBetween(before, now());
        assertThat(job.times().startedAt()).isNull();
        assertThat(job.times().finishedAt()).isNull();
        assertThat(look(id)).isEqualTo(job);
        assertThat(lastEvent(id).type()).isEqualTo(EventType.RETRIED);
        assertThat(lastEvent(id).run()).isZero();
        assertThat(lastEvent(id).payload()).isEqualTo("{\"by\":\"anna\"}");
    }

    @Test
    void makes_a_cancelled_job_due() {
        Claim claim = cancelling();
        win(Transition.cancelled(claim));

        Job job = retry(claim.jobId(), null);

        assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
        assertThat(job.cancelRequest()).isNull();
        assertThat(idsOf(claim(1))).containsExactly(claim.jobId());
    }

    @Test
    void makes_a_job_due_that_was_cancelled_before_it_ran() {
        JobId id = cancelled();
        retry(id, null);

        assertThat(claimNext().claim()).extracting(Claim::jobId, Claim::run).containsExactly(id, 1);
    }

    @Test
    void keeps_steps_runs_and_events_and_continues_their_numbers() {
        Claim first = running();
        save(RunUpdate.step(first, new Step("fetch", "1")));
        win(Transition.fail(first, BOOM));
        Run firstRun = lastRun(first.jobId());

        retry(first.jobId(), null);
        Claim second = claimNext().claim();
        win(Transition.succeed(second, "{}"));

        JobId id = first.jobId();
        assertThat(second.run()).isEqualTo(2);
        assertThat(store().work().steps(id)).containsExactly(new Step("fetch", "1"));
        assertThat(store().jobs().runs(id)).hasSize(2).startsWith(firstRun);
        assertThat(store().jobs().runs(id))
                .extracting(Run::status)
                .containsExactly(RunStatus.FAILED, RunStatus.SUCCEEDED);
        assertThat(story(id))
                .containsExactly(
                        EventType.CREATED,
                        EventType.STARTED,
                        EventType.STEP,
                        EventType.FAILED,
                        EventType.RETRIED,
                        EventType.STARTED,
                        EventType.SUCCEEDED);
    }

    @Test
    void may_be_repeated_as_often_as_the_job_fails() {
        JobId id = insert(aJob().maxAttempts(1)).id();
        for (int run = 1; run <= 5; run++) {
            Claim claim = claimNext().claim();
            assertThat(claim.run()).isEqualTo(run);
            win(Transition.retry(claim, RunAt.now(), BOOM));
            assertThat(look(id).state()).isEqualTo(JobState.FAILED);
            retry(id, null);
        }

        assertThat(store().jobs().runs(id)).hasSize(5).allMatch(run -> BOOM.equals(run.failure()));
        assertThat(story(id)).hasSize(1 + 5 * 3);
    }

    @Test
    void keeps_the_idempotency_key() {
        Job first = insert(aJob().idempotencyKey("k"));
        win(Transition.fail(claimNext().claim(), BOOM));
        retry(first.id(), null);

        assertThat(insert(aJob().idempotencyKey("k").build()).job().id()).isEqualTo(first.id());
    }

    @Test
    void rejects_a_succeeded_job() {
        JobId id = succeeded();

        LonghaulException refusal = assertRefused(ErrorCode.FAILED_PRECONDITION, () -> retry(id, null));

        assertThat(refusal).hasMessageContaining(id.toString()).hasMessageContaining("succeeded");
    }

    @Test
    void of_an_unknown_job_is_refused() {
        assertRefused(ErrorCode.NOT_FOUND, () -> retry(newId(), null));
    }

    @Test
    void that_races_with_itself_happens_once() {
        JobId id = failed();
        List<Boolean> done = Race.of(8, i -> {
            try {
                storeOf(i).jobs().execute(JobCommand.retry(id, null));
                return true;
            } catch (LonghaulException refused) {
                return false;
            }
        });

        assertThat(done).containsOnlyOnce(true);
        assertThat(story(id))
                .containsExactly(EventType.CREATED, EventType.STARTED, EventType.FAILED, EventType.RETRIED);
    }
}
