package dev.longhaul.contract.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.contract.Whole;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.Tally;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests claiming a given job. */
public abstract class ClaimOneContract extends StoreContract {
    private ClaimedJob claimOne(JobId id) {
        return store().claimById().claimOne(id, Claim.newKey(), WORKER, LEASE);
    }

    @Test
    void hands_out_that_job_and_no_other() {
        insert(aJob().priority(9));
        JobId id = insert(aJob()).id();
        UUID key = Claim.newKey();
        ClaimedJob claimed = store().claimById().claimOne(id, key, WORKER, LEASE);

        assertThat(claimed.claim()).isEqualTo(new Claim(id, 1, key));
        assertThat(claimed.job()).isEqualTo(look(id));
        assertThat(claimed.job().status()).isEqualTo(JobStatus.RUNNING);
        assertThat(claimed.job().tally()).isEqualTo(new Tally(1, 1, 0));
        assertThat(present(claimed.job().lease()).workerId()).isEqualTo(WORKER);
        assertThat(story(id)).containsExactly(EventType.CREATED, EventType.STARTED);
        assertThat(store().work().claimed(key)).containsExactly(claimed);
        win(Transition.succeed(claimed.claim(), "{}"));
    }

    @Test
    void needs_neither_a_due_job_nor_an_open_queue() {
        JobId later = insert(aJob().runTime(RunAt.after(HOUR))).id();
        JobId due = insert(aJob()).id();
        store().queues().pause(QUEUE, null, null);

        assertThat(claimOne(later).job().id()).isEqualTo(later);
        assertThat(claimOne(due).job().id()).isEqualTo(due);
    }

    @Test
    void hands_out_a_job_on_its_last_life() {
        JobId id = onItsLastLife(aJob());

        assertThat(claimOne(id).job().tally().crashes()).isEqualTo(2);
    }

    @Test
    void returns_the_same_claim_for_the_same_key() {
        JobId id = insert(aJob()).id();
        UUID key = Claim.newKey();
        ClaimedJob first = store().claimById().claimOne(id, key, WORKER, LEASE);

        assertThat(anotherStore().claimById().claimOne(id, key, WORKER, LEASE)).isEqualTo(first);
        assertThat(store().jobs().runs(id)).hasSize(1);
    }

    @Test
    void takes_no_job_from_its_owner() {
        Claim owner = running();
        LonghaulException refusal = assertRefused(ErrorCode.FAILED_PRECONDITION, () -> claimOne(owner.jobId()));

        assertThat(refusal.getMessage()).contains("is running; run needs scheduled, queued or retrying");
        win(Transition.succeed(owner, "{}"));
    }

    @Test
    void rejects_jobs_that_do_not_wait() {
        JobId held = insert(aJob().hold(true)).id();

        for (JobId id :
                List.of(held, succeeded(), failed(), cancelled(), cancelling().jobId())) {
            Whole before = whole(id);
            assertRefused(ErrorCode.FAILED_PRECONDITION, () -> claimOne(id));
            assertThat(whole(id)).isEqualTo(before);
        }
    }

    @Test
    void finds_no_job_that_is_unknown() {
        assertRefused(ErrorCode.NOT_FOUND, () -> claimOne(newId()));
    }

    @Test
    void needs_an_owner_and_a_lease() {
        JobId id = insert(aJob()).id();

        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> store().claimById().claimOne(id, Claim.newKey(), "", LEASE));
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                () -> store().claimById().claimOne(id, Claim.newKey(), WORKER, SECOND.dividedBy(20)));
    }

    @Test
    void respects_the_limit_of_the_definition() {
        limitRuns(2);
        List<JobId> ids = insertJobs(4);
        Claim first = claimOne(ids.get(3)).claim();
        assertThat(claim(10)).hasSize(1);
        LonghaulException refusal = assertRefused(ErrorCode.RESOURCE_EXHAUSTED, () -> claimOne(ids.get(2)));
        assertThat(refusal.getMessage()).contains("report").contains("2");

        win(Transition.succeed(first, "{}"));
        claimOne(ids.get(2));
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void uses_one_slot_however_often_it_is_called_with_the_same_key() {
        limitRuns(2);
        List<JobId> ids = insertJobs(3);
        UUID key = Claim.newKey();
        store().claimById().claimOne(ids.get(0), key, WORKER, LEASE);
        store().claimById().claimOne(ids.get(0), key, WORKER, LEASE);

        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void gives_the_job_to_one_of_many_racing_callers() {
        JobId id = insert(aJob()).id();

        List<Boolean> won = Race.of(8, i -> {
            try {
                storeOf(i).claimById().claimOne(id, Claim.newKey(), "worker-" + i, LEASE);
                return true;
            } catch (LonghaulException refused) {
                assertThat(refused.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION);
                return false;
            }
        });

        assertThat(won).containsOnlyOnce(true);
        assertThat(store().jobs().runs(id)).hasSize(1);
    }

    @Test
    void keeps_the_limit_exact_when_it_races_with_other_claims() {
        limitRuns(5);
        List<JobId> ids = insertJobs(40);

        int taken = Race.of(8, i -> {
                    int mine = 0;
                    for (int n = 0; n < 5; n++) {
                        mine += i % 2 == 0
                                ? storeOf(i / 2).work().claim(request(1)).size()
                                : claimed(ids.get(39 - i - 8 * n));
                    }
                    return mine;
                })
                .stream()
                .mapToInt(Integer::intValue)
                .sum();

        assertThat(taken).isEqualTo(5);
        assertThat(claim(10)).isEmpty();
    }

    private int claimed(JobId id) {
        try {
            claimOne(id);
            return 1;
        } catch (LonghaulException refused) {
            return 0;
        }
    }
}
