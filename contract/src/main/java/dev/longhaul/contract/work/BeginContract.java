package dev.longhaul.contract.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.StoreContract;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Progress;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Tally;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests when a claimed run begins: when its code starts. If the lease of a run expires before that, the job loses no
 * attempt.
 */
public abstract class BeginContract extends StoreContract {
    private ClaimedJob claim(JobSpec.Builder spec, ClaimRequest.Begin begin) {
        insert(spec);
        return claim(begin);
    }

    private ClaimedJob claim(ClaimRequest.Begin begin) {
        List<ClaimedJob> claimed = store().work().claim(request(1).beginning(begin));
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    private void begin(Claim claim) {
        assertThat(store().work().begin(List.of(claim))).containsExactly(Verdict.WON);
    }

    @Test
    void is_part_of_the_claim_unless_the_claimer_requests_otherwise() {
        assertThat(claim(aJob(), ClaimRequest.Begin.ALL).begin()).isEqualTo(ClaimedJob.Begin.STORED);
        assertThat(claim(aJob().maxAttempts(1), ClaimRequest.Begin.ALL).begin()).isEqualTo(ClaimedJob.Begin.STORED);
        assertThat(claim(aJob(), ClaimRequest.Begin.ORDINARY).begin()).isEqualTo(ClaimedJob.Begin.STORED);
        assertThat(claim(aJob().maxAttempts(1), ClaimRequest.Begin.ORDINARY).begin())
                .isEqualTo(ClaimedJob.Begin.FIRST);
        assertThat(claim(aJob(), ClaimRequest.Begin.NONE).begin()).isEqualTo(ClaimedJob.Begin.SOON);
        assertThat(claim(aJob().maxAttempts(1), ClaimRequest.Begin.NONE).begin())
                .isEqualTo(ClaimedJob.Begin.FIRST);
    }

    @Test
    void is_part_of_the_claim_of_one_given_ordinary_job() {
        JobId ordinary = insert(aJob()).id();
        JobId single = insert(aJob().maxAttempts(1)).id();

        assertThat(store().claimById()
                        .claimOne(ordinary, Claim.newKey(), WORKER, LEASE)
                        .begin())
                .isEqualTo(ClaimedJob.Begin.STORED);
        assertThat(store().claimById()
                        .claimOne(single, Claim.newKey(), WORKER, LEASE)
                        .begin())
                .isEqualTo(ClaimedJob.Begin.FIRST);
    }

    @Test
    void is_returned_again_when_a_claim_is_read_again() {
        insert(aJob());
        insert(aJob().maxAttempts(1));
        ClaimRequest request = request(2).beginning(ClaimRequest.Begin.ORDINARY);
        List<ClaimedJob> claimed = store().work().claim(request);

        assertThat(store().work().claimed(request.batch())).containsExactlyInAnyOrderElementsOf(claimed);
    }

    @Test
    void that_was_never_stored_returns_the_attempt() {
        ClaimedJob claimed = claim(aJob().maxAttempts(1), ClaimRequest.Begin.NONE);
        lapse();

        Job job = look(claimed.job().id());
        assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
        assertThat(job.tally()).isEqualTo(new Tally(1, 0, 0));
        assertThat(job.failure()).isNull();
        assertThat(job.times().runAt()).isEqualTo(claimed.job().times().runAt());
        assertThat(lastRun(job.id()).status()).isEqualTo(RunStatus.RELEASED);
        assertThat(story(job.id())).hasSize(3).startsWith(EventType.CREATED, EventType.STARTED);
        assertThat(apply(Transition.succeed(claimed.claim(), "{}"))).isEqualTo(Verdict.LOST);
    }

    @Test
    void that_was_stored_spends_the_attempt() {
        Claim claim = claim(aJob().maxAttempts(1), ClaimRequest.Begin.NONE).claim();
        begin(claim);
        begin(claim);
        lapse();

        assertThat(look(claim.jobId()).state()).isEqualTo(JobState.FAILED);
    }

    @Test
    void is_implied_by_reports_of_the_run() {
        Claim claim = claim(aJob(), ClaimRequest.Begin.NONE).claim();
        assertThat(save(RunUpdate.progress(claim, new Progress(1, null)))).isEqualTo(Verdict.WON);
        lapse();

        assertThat(look(claim.jobId()).tally()).isEqualTo(new Tally(1, 1, 1));
    }

    @Test
    void must_be_stored_first_after_a_run_expired_without_one() {
        ClaimedJob trusted = claim(aJob(), ClaimRequest.Begin.NONE);
        lapse();
        ClaimedJob second = claim(ClaimRequest.Begin.ORDINARY);
        assertThat(second.job().id()).isEqualTo(trusted.job().id());
        assertThat(second.begin()).isEqualTo(ClaimedJob.Begin.FIRST);
        begin(second.claim());
        lapse();

        assertThat(look(trusted.job().id()).tally()).isEqualTo(new Tally(2, 1, 1));
        assertThat(claim(ClaimRequest.Begin.NONE).begin()).isEqualTo(ClaimedJob.Begin.FIRST);
    }

    @Test
    void need_not_be_stored_first_after_an_operator_retried_the_job() {
        JobId id = claim(aJob(), ClaimRequest.Begin.NONE).job().id();
        lapse();
        win(Transition.fail(claim(ClaimRequest.Begin.ALL).claim(), BOOM));
        retry(id, null);

        assertThat(claim(ClaimRequest.Begin.NONE).begin()).isEqualTo(ClaimedJob.Begin.SOON);
    }

    @Test
    void is_lost_with_the_claim() {
        Claim held = claim(aJob(), ClaimRequest.Begin.NONE).claim();
        Claim over = running();
        win(Transition.succeed(over, "{}"));
        var forged = new Claim(held.jobId(), held.run(), Claim.newKey());

        assertThat(store().work().begin(List.of(over, held, forged)))
                .containsExactly(Verdict.LOST, Verdict.WON, Verdict.LOST);
    }

    @Test
    void that_was_never_stored_ends_in_a_requested_cancel() {
        Claim claim = claim(aJob(), ClaimRequest.Begin.NONE).claim();
        cancel(claim.jobId());
        lapse();

        assertThat(look(claim.jobId()).state()).isEqualTo(JobState.CANCELLED);
    }
}
