package dev.longhaul.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobQuery;
import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RunAt;
import dev.longhaul.work.Transition;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the limit of waiting jobs in a queue. */
public abstract class DepthContract extends StoreContract {
    @Test
    void rejects_the_job_that_exceeds_the_limit() {
        store().queues().maxDepth(QUEUE, 2);
        insertJobs(2);

        JobSpec third = aJob().build();
        LonghaulException refusal = assertRefused(ErrorCode.RESOURCE_EXHAUSTED, () -> insert(third));

        assertThat(refusal).hasMessageContaining(QUEUE);
        assertThat(store().jobs().find(third.id())).isEmpty();
    }

    @Test
    void stores_nothing_of_a_batch_that_does_not_fit() {
        store().queues().maxDepth(QUEUE, 2);

        assertRefused(
                ErrorCode.RESOURCE_EXHAUSTED,
                () -> insertAll(aJob(), aJob().queue("other").idempotencyKey("k"), aJob(), aJob()));

        assertThat(store().jobs().list(JobQuery.ALL).jobs()).isEmpty();
        insert(aJob().queue("other").idempotencyKey("k"));
        insertJobs(2);
    }

    @Test
    void counts_jobs_whose_run_time_is_in_the_future() {
        store().queues().maxDepth(QUEUE, 1);
        insert(aJob().runTime(RunAt.after(HOUR)));

        assertRefused(ErrorCode.RESOURCE_EXHAUSTED, () -> insertJobs(1));
    }

    @Test
    void does_not_count_held_jobs() {
        store().queues().maxDepth(QUEUE, 1);
        insertAll(aJob().hold(true), aJob().hold(true), aJob());

        insert(aJob().hold(true));
    }

    @Test
    void makes_room_as_jobs_are_claimed_or_cancelled() {
        store().queues().maxDepth(QUEUE, 2);
        List<JobId> ids = insertJobs(2);
        claimNext();
        insertJobs(1);
        cancel(ids.get(1));

        insertJobs(1);
        assertRefused(ErrorCode.RESOURCE_EXHAUSTED, () -> insertJobs(1));
    }

    @Test
    void never_rejects_an_insert_that_finds_an_existing_job() {
        JobSpec known = aJob().idempotencyKey("k").build();
        insert(known);
        store().queues().maxDepth(QUEUE, 1);

        assertThat(insert(known).isNew()).isFalse();
        assertThat(insert(aJob().idempotencyKey("k").build()).isNew()).isFalse();
    }

    @Test
    void never_rejects_jobs_that_return_to_waiting() {
        Claim givenBack = running();
        JobId failed = failed();
        JobId held = insert(aJob().hold(true)).id();
        store().queues().maxDepth(QUEUE, 0);

        win(Transition.giveBack(givenBack));
        retry(failed, null);
        release(held, null);

        assertThat(claim(10)).hasSize(3);
    }

    @Test
    void bounds_one_queue_only() {
        store().queues().maxDepth("small", 1);
        insert(aJob().queue("small"));

        insertJobs(5);
    }

    @Test
    void may_be_set_below_the_number_of_waiting_jobs_and_removed_again() {
        insertJobs(3);
        store().queues().maxDepth(QUEUE, 1);
        assertRefused(ErrorCode.RESOURCE_EXHAUSTED, () -> insertJobs(1));
        store().queues().maxDepth(QUEUE, null);

        insertJobs(1);
    }

    @Test
    void cannot_be_negative() {
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> store().queues().maxDepth(QUEUE, -1));
    }

    @Test
    void holds_when_16_callers_race() {
        store().queues().maxDepth(QUEUE, 5);
        List<JobSpec> specs =
                IntStream.range(0, 16).mapToObj(i -> aJob().build()).toList();

        List<Boolean> stored = Race.of(16, i -> {
            try {
                return storeOf(i).jobs().insert(List.of(specs.get(i))).get(0).isNew();
            } catch (LonghaulException full) {
                assertThat(full.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
                return false;
            }
        });

        assertThat(stored).filteredOn(isNew -> isNew).hasSize(5);
        assertThat(claim(20)).hasSize(5);
    }
}
