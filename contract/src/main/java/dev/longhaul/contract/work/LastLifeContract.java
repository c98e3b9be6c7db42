package dev.longhaul.contract.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.RunAt;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import dev.longhaul.work.WorkFilter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that jobs on their last life, whose next crash quarantines them, are claimed only on request. */
public abstract class LastLifeContract extends StoreContract {
    private List<ClaimedJob> claimLastLife(int max) {
        return store().work().claim(request(max).forLastLife());
    }

    private boolean due(@Nullable Set<DefinitionRef> definitions) {
        return store().work()
                .untilNextDue(WorkFilter.of(List.of(QUEUE), definitions).forLastLife())
                .isPresent();
    }

    @Test
    void is_not_handed_out_with_other_jobs() {
        JobId last = onItsLastLife(aJob().priority(9));
        JobId other = insert(aJob()).id();

        assertThat(idsOf(claim(10))).containsExactly(other);
        assertThat(idsOf(claimLastLife(10))).containsExactly(last);
    }

    @Test
    void is_all_that_a_claim_for_it_hands_out() {
        insertJobs(3);

        assertThat(claimLastLife(10)).isEmpty();
    }

    @Test
    void begins_with_the_second_crash() {
        JobId id = insert(aJob().maxAttempts(100)).id();
        win(Transition.crashed(claimNext().claim(), BOOM));
        assertThat(due(null)).isFalse();
        win(Transition.crashed(claimNext().claim(), BOOM));

        assertThat(due(null)).isTrue();
        assertThat(claim(10)).isEmpty();
        assertThat(idsOf(claimLastLife(10))).containsExactly(id);
        assertThat(due(null)).isFalse();
    }

    @Test
    void continues_when_the_run_ends_without_a_crash() {
        JobId id = onItsLastLife(aJob());
        win(Transition.retry(claimLastLife(1).get(0).claim(), RunAt.now(), BOOM));

        assertThat(claim(10)).isEmpty();
        assertThat(idsOf(claimLastLife(10))).containsExactly(id);
    }

    @Test
    void ends_in_quarantine_with_the_next_crash() {
        JobId id = onItsLastLife(aJob());
        win(Transition.crashed(claimLastLife(1).get(0).claim(), BOOM));

        assertThat(look(id).state()).isEqualTo(JobState.FAILED);
        assertThat(present(look(id).failure()).code()).isEqualTo(Failure.QUARANTINED);
    }

    @Test
    void ends_when_an_operator_retries_the_job() {
        JobId id = onItsLastLife(aJob());
        win(Transition.crashed(claimLastLife(1).get(0).claim(), BOOM));
        retry(id, null);

        assertThat(due(null)).isFalse();
        assertThat(idsOf(claim(10))).containsExactly(id);
    }

    @Test
    void is_handed_out_in_the_usual_order() {
        JobId low = onItsLastLife(aJob().priority(1));
        JobId high = onItsLastLife(aJob(IMPORT).priority(7));
        JobId middle = onItsLastLife(aJob().priority(5));

        assertThat(idsOf(claimLastLife(2))).containsExactly(high, middle);
        assertThat(idsOf(claimLastLife(2))).containsExactly(low);
    }

    @Test
    void is_due_only_in_open_queues_of_known_definitions_within_their_limits() {
        JobId id = onItsLastLife(aJob());
        assertThat(due(null)).isTrue();
        assertThat(due(Set.of(REPORT))).isTrue();
        assertThat(due(Set.of(IMPORT))).isFalse();
        assertThat(store().work()
                        .untilNextDue(WorkFilter.of(List.of("other"), null).forLastLife())
                        .isPresent())
                .isFalse();

        store().queues().pause(QUEUE, null, null);
        assertThat(due(null)).isFalse();
        assertThat(claimLastLife(10)).isEmpty();
        store().queues().resume(QUEUE);

        limitRuns(1);
        Claim running = running();
        assertThat(due(null)).isFalse();
        assertThat(claimLastLife(10)).isEmpty();
        win(Transition.succeed(running, "{}"));
        assertThat(idsOf(claimLastLife(10))).containsExactly(id);
        insert(aJob());
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void is_due_at_its_run_time() {
        onItsLastLife(aJob());
        win(Transition.retry(claimLastLife(1).get(0).claim(), RunAt.after(HOUR), BOOM));
        assertThat(due(null)).isFalse();
        advance(HOUR.plus(SECOND));

        assertThat(due(null)).isTrue();
    }

    @Test
    void is_ignored_by_waits_for_ordinary_jobs() {
        onItsLastLife(aJob());
        assertThat(store().queues().dueCount(List.of(QUEUE), null)).isZero();
        assertThat(store().work().untilNextDue(WorkFilter.of(List.of(QUEUE), null)))
                .isEmpty();
        insert(aJob());

        assertThat(store().queues().dueCount(List.of(QUEUE), null)).isEqualTo(1);
        assertThat(store().work().untilNextDue(WorkFilter.of(List.of(QUEUE), null)))
                .contains(Duration.ZERO);
    }

    @Test
    void counts_towards_the_depth_of_its_queue() {
        onItsLastLife(aJob());
        onItsLastLife(aJob());
        insert(aJob());
        store().queues().maxDepth(QUEUE, 4);
        insert(aJob());

        assertRefused(ErrorCode.RESOURCE_EXHAUSTED, () -> insert(aJob()));
    }

    @Test
    void goes_to_one_claimer_when_many_race() {
        for (int i = 0; i < 10; i++) {
            onItsLastLife(aJob());
        }

        List<JobId> taken = Race.of(8, i -> storeOf(i).work().claim(request(2).forLastLife())).stream()
                .flatMap(List::stream)
                .map(claimed -> claimed.job().id())
                .toList();

        assertThat(taken).doesNotHaveDuplicates();
        assertThat(taken.size() + claimLastLife(10).size()).isEqualTo(10);
    }
}
