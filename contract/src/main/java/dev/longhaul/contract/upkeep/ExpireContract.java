package dev.longhaul.contract.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Tally;
import dev.longhaul.work.Expired;
import dev.longhaul.work.Lapse;
import dev.longhaul.work.Transition;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests ending the runs of workers that no longer renew their leases. */
public abstract class ExpireContract extends StoreContract {
    @Test
    void ends_nothing_while_leases_last() {
        running();
        advance(LEASE.minus(SECOND));

        assertThat(expire(10)).isEmpty();
    }

    @Test
    void makes_the_job_due_again_and_counts_a_crash() {
        Claim claim = running();
        advance(LEASE.plus(SECOND));
        Instant before = now();

        List<Expired> expired = expire(10);

        assertThat(expired)
                .containsExactly(new Expired(
                        claim,
                        WORKER,
                        JobState.WAITING,
                        look(claim.jobId()).spec().definition().key()));
        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
        assertThat(job.times().runAt()).isBetween(before, now());
        assertThat(job.tally()).isEqualTo(new Tally(1, 1, 1));
        assertThat(job.lease()).isNull();
        assertThat(present(job.failure()).code()).isEqualTo(Failure.LOST);
        assertThat(claimNext().claim().run()).isEqualTo(2);
    }

    @Test
    void records_that_the_run_was_lost() {
        Claim claim = running();
        lapse();

        Run run = lastRun(claim.jobId());
        Failure failure = present(run.failure());
        assertThat(run.status()).isEqualTo(RunStatus.LOST);
        assertThat(run.endedAt()).isNotNull();
        assertThat(failure.code()).isEqualTo(Failure.LOST);
        assertThat(failure.message()).doesNotContain(WORKER);
        assertThat(story(claim.jobId())).containsExactly(EventType.CREATED, EventType.STARTED, EventType.LOST);
        assertThat(lastEvent(claim.jobId()).run()).isEqualTo(1);
        assertThat(lastEvent(claim.jobId()).payload()).isEqualTo(Payload.of(failure));
    }

    @Test
    void ends_each_expired_run_once() {
        insertJobs(3);
        claim(3);
        advance(LEASE.plus(SECOND));

        assertThat(expire(10)).hasSize(3);
        assertThat(expire(10)).isEmpty();
    }

    @Test
    void takes_no_more_than_asked_for() {
        insertJobs(5);
        claim(5);
        advance(LEASE.plus(SECOND));

        assertThat(expire(2)).hasSize(2);
        assertThat(expire(10)).hasSize(3);
    }

    @Test
    void leaves_runs_with_longer_leases_unchanged() {
        Claim lapsing = running();
        Claim lasting = running();
        advance(LEASE.minus(SECOND));
        store().work().extend(List.of(lasting), LEASE);
        advance(SECOND.multipliedBy(2));

        assertThat(expire(10)).extracting(Expired::claim).containsExactly(lapsing);
    }

    @Test
    void fails_a_job_that_has_no_attempts_left() {
        Claim claim = running(aJob().maxAttempts(1));
        advance(LEASE.plus(SECOND));

        assertThat(expire(10)).extracting(Expired::state).containsExactly(JobState.FAILED);
        Job job = look(claim.jobId());
        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(present(job.failure()).code()).isEqualTo(Failure.LOST);
        assertThat(job.times().finishedAt()).isNotNull();
        assertThat(lastRun(job.id()).status()).isEqualTo(RunStatus.LOST);
        assertThat(story(job.id()))
                .containsExactly(EventType.CREATED, EventType.STARTED, EventType.LOST, EventType.FAILED);
        assertThat(lastEvent(job.id()).run()).isEqualTo(1);
    }

    @Test
    void quarantines_a_job_at_its_fourth_crash() {
        JobId id = insert(aJob().maxAttempts(100)).id();
        claimNext();
        lapse();
        win(Transition.crashed(claimNext().claim(), BOOM));
        store().work().claim(request(1).forLastLife());
        lapse();
        assertThat(look(id).state()).isEqualTo(JobState.WAITING);
        store().work().claim(request(1).forLastLife());
        lapse();

        Job job = look(id);
        Failure failure = present(job.failure());
        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(failure.code()).isEqualTo(Failure.QUARANTINED);
        assertThat(job.tally()).isEqualTo(new Tally(4, 4, 4));
        assertThat(store().jobs().runs(id))
                .extracting(run -> present(run.failure()).code())
                .containsExactly(Failure.LOST, Failure.EXCEPTION, Failure.LOST, Failure.LOST);
        assertThat(store().jobs().runs(id))
                .extracting(Run::status)
                .containsExactly(RunStatus.LOST, RunStatus.FAILED, RunStatus.LOST, RunStatus.LOST);
        assertThat(lastEvent(id).type()).isEqualTo(EventType.FAILED);
        assertThat(lastEvent(id).payload()).isEqualTo(Payload.of(failure));
    }

    @Test
    void counts_no_crash_when_the_run_had_lasted_for_a_while() {
        JobId id = insert(aJob().maxAttempts(6)).id();
        for (int death = 1; death <= 5; death++) {
            Claim claim = claimNext().claim();
            advance(Lapse.PROBATION.plus(SECOND));
            store().work().extend(List.of(claim), LEASE);
            lapse();

            assertThat(look(id).tally()).isEqualTo(new Tally(death, death, 0));
            assertThat(lastRun(id).status()).isEqualTo(RunStatus.LOST);
        }
        assertThat(look(id).status()).isEqualTo(JobStatus.QUEUED);
    }

    @Test
    void cancels_a_job_that_was_being_cancelled() {
        Claim claim = cancelling();
        advance(LEASE.plus(SECOND));

        assertThat(expire(10)).extracting(Expired::state).containsExactly(JobState.CANCELLED);
        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(job.failure()).isNull();
        assertThat(lastRun(job.id()).status()).isEqualTo(RunStatus.LOST);
        assertThat(story(job.id()))
                .containsExactly(
                        EventType.CREATED,
                        EventType.STARTED,
                        EventType.CANCEL_REQUESTED,
                        EventType.LOST,
                        EventType.CANCELLED);
        assertThat(lastEvent(job.id()).run()).isEqualTo(1);
    }

    @Test
    void ends_each_expired_run_once_when_reapers_race() {
        List<JobId> all = insertJobs(60);
        claim(60);
        advance(LEASE.plus(SECOND));

        List<JobId> taken = Race.of(8, i -> storeOf(i).upkeep().expireLeases(leader(), 20)).stream()
                .flatMap(List::stream)
                .map(expired -> expired.claim().jobId())
                .toList();

        assertThat(taken).doesNotHaveDuplicates();
        assertThat(taken.size() + expire(100).size()).isEqualTo(all.size());
        assertThat(all).allMatch(id -> look(id).tally().crashes() == 1);
    }
}
