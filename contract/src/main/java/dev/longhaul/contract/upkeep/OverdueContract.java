package dev.longhaul.contract.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.StoreContract;
import dev.longhaul.event.EventType;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Tally;
import dev.longhaul.spi.Leadership;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.Overdue;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests ending the runs of remote workers that are past their deadline although the workers renew their leases. */
public abstract class OverdueContract extends StoreContract {
    private static final Duration MARGIN = Duration.ofSeconds(2);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    /** Longer than every deadline in these tests, so that only the deadline ends a run. */
    private static final Duration LONG_LEASE = Duration.ofHours(2);

    private Claim remote(JobSpec.Builder spec) {
        Job job = insert(spec);
        var claimed = store().work().claim(request(1).remote(MARGIN));
        assertThat(claimed)
                .singleElement()
                .satisfies(one -> assertThat(one.job().id()).isEqualTo(job.id()));
        Claim claim = claimed.get(0).claim();
        store().work().extend(List.of(claim), LONG_LEASE);
        return claim;
    }

    private Claim remoteWithTimeout() {
        return remote(aJob().timeout(TIMEOUT));
    }

    private Claim remoteCancelling(@Nullable Duration grace) {
        Claim claim = remote(aJob());
        cancel(claim.jobId(), "anna", "not needed", grace);
        return claim;
    }

    private List<Overdue> endOverdue() {
        return store().upkeep().endOverdue(leader(), 10);
    }

    private void passDeadline() {
        advance(TIMEOUT.plus(MARGIN));
    }

    @Test
    void returns_the_attempt_of_a_run_that_never_began() {
        insert(aJob().timeout(TIMEOUT).maxAttempts(1));
        Claim claim = store().work()
                .claim(request(1).remote(MARGIN).beginning(ClaimRequest.Begin.NONE))
                .get(0)
                .claim();
        store().work().extend(List.of(claim), LONG_LEASE);
        passDeadline();

        assertThat(endOverdue())
                .singleElement()
                .satisfies(one -> assertThat(one.ended().end().runStatus()).isEqualTo(RunStatus.RELEASED));
        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
        assertThat(job.tally()).isEqualTo(new Tally(1, 0, 0));
        assertThat(job.failure()).isNull();
        assertThat(store().work().begin(List.of(claim))).containsExactly(Verdict.LOST);
    }

    @Test
    void fails_the_attempt_of_a_run_past_its_timeout() {
        Claim claim = remoteWithTimeout();
        passDeadline();

        assertThat(endOverdue()).singleElement().satisfies(one -> {
            assertThat(one.claim()).isEqualTo(claim);
            assertThat(one.workerId()).isEqualTo(WORKER);
            assertThat(one.ended().definitionKey()).isEqualTo(REPORT.key());
            assertThat(one.ended().end().state()).isEqualTo(JobState.WAITING);
        });
        Job job = look(claim.jobId());
        assertThat(job.status()).isIn(JobStatus.RETRYING, JobStatus.QUEUED);
        assertThat(job.tally()).isEqualTo(new Tally(1, 1, 0));
        assertThat(job.lease()).isNull();
        assertThat(present(job.failure()).code()).isEqualTo(Failure.TIMEOUT);
        assertThat(lastRun(job.id()).status()).isEqualTo(RunStatus.FAILED);
        assertThat(story(job.id())).containsExactly(EventType.CREATED, EventType.STARTED, EventType.RETRYING);
    }

    @Test
    void fails_a_job_past_its_timeout_that_has_no_attempts_left() {
        Claim claim = remote(aJob().timeout(TIMEOUT).maxAttempts(1));
        passDeadline();
        endOverdue();

        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(present(job.failure()).code()).isEqualTo(Failure.TIMEOUT);
    }

    @Test
    void cancels_a_run_past_the_grace_period_of_its_cancel_request() {
        Claim claim = remoteCancelling(Duration.ofSeconds(5));
        advance(Duration.ofSeconds(6));
        assertThat(endOverdue()).isEmpty();
        advance(MARGIN);

        assertThat(endOverdue()).extracting(Overdue::claim).containsExactly(claim);
        Job job = look(claim.jobId());
        assertThat(job.status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(lastRun(job.id()).status()).isEqualTo(RunStatus.CANCELLED);
    }

    @Test
    void uses_the_default_grace_period_for_a_cancel_request_without_one() {
        Claim claim = remoteCancelling(null);
        advance(CancelRequest.DEFAULT_GRACE);
        assertThat(endOverdue()).isEmpty();
        advance(MARGIN);

        assertThat(endOverdue()).extracting(Overdue::claim).containsExactly(claim);
    }

    @Test
    void rejects_renewals_and_outcomes_of_a_run_that_it_ended() {
        Claim claim = remoteWithTimeout();
        passDeadline();
        endOverdue();

        assertThat(store().work().extend(List.of(claim), LEASE))
                .extracting(LeaseRenewal::held)
                .containsExactly(false);
        assertThat(List.of(
                        apply(Transition.succeed(claim, "1")),
                        apply(Transition.fail(claim, BOOM)),
                        apply(Transition.retry(claim, RunAt.now(), BOOM)),
                        apply(Transition.giveBack(claim))))
                .containsOnly(Verdict.LOST);
    }

    @Test
    void leaves_runs_unchanged_before_their_deadline_and_its_margin() {
        remoteWithTimeout();
        advance(TIMEOUT.plus(MARGIN).minus(Duration.ofMillis(500)));

        assertThat(endOverdue()).isEmpty();
    }

    @Test
    void leaves_runs_of_workers_that_enforce_deadlines_unchanged() {
        Claim own = running(aJob().timeout(TIMEOUT));
        store().work().extend(List.of(own), LONG_LEASE);
        advance(HOUR);

        assertThat(endOverdue()).isEmpty();
    }

    @Test
    void measures_each_run_by_its_own_start_and_its_own_worker() {
        Claim first = remoteWithTimeout();
        passDeadline();
        endOverdue();
        advance(HOUR);
        store().work()
                .extend(
                        List.of(store().claimById()
                                .claimOne(first.jobId(), Claim.newKey(), WORKER, LEASE)
                                .claim()),
                        LONG_LEASE);
        advance(HOUR);

        assertThat(endOverdue()).isEmpty();
    }

    @Test
    void ends_no_more_than_requested() {
        remoteWithTimeout();
        remoteWithTimeout();
        remoteWithTimeout();
        passDeadline();

        assertThat(store().upkeep().endOverdue(leader(), 2)).hasSize(2);
        assertThat(endOverdue()).hasSize(1);
    }

    @Test
    void does_nothing_for_a_former_leader() {
        remoteWithTimeout();
        passDeadline();
        Leadership former = leader();
        store().upkeep().resign(former);
        assertThat(store().upkeep().lead("another", HOUR, LEASE)).isPresent();

        assertThat(store().upkeep().endOverdue(former, 10)).isEmpty();
    }
}
