package dev.longhaul.contract.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.contract.Whole;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Limits;
import dev.longhaul.job.RunAt;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that transitions take effect only with a valid claim. */
public abstract class FencingContract extends StoreContract {
    /** All ways to end a run without a cancel request. */
    enum Ending {
        SUCCEED,
        RETRY,
        FAIL,
        SNOOZE,
        GIVE_BACK,
        CRASHED;

        Transition of(Claim claim) {
            return switch (this) {
                case SUCCEED -> Transition.succeed(claim, "{}");
                case RETRY -> Transition.retry(claim, RunAt.after(HOUR), BOOM);
                case FAIL -> Transition.fail(claim, BOOM);
                case SNOOZE -> Transition.snooze(claim, RunAt.after(HOUR));
                case GIVE_BACK -> Transition.giveBack(claim);
                case CRASHED -> Transition.crashed(claim, BOOM);
            };
        }
    }

    @Test
    void returns_one_verdict_per_transition_in_order() {
        insertJobs(200);
        List<Claim> claims = claim(200).stream().map(ClaimedJob::claim).toList();
        var transitions = new ArrayList<Transition>();
        var verdicts = new ArrayList<Verdict.Kind>();
        for (int i = 0; i < claims.size(); i++) {
            Claim claim = claims.get(i);
            Claim stale = new Claim(claim.jobId(), claim.run(), Claim.newKey());
            switch (i % 4) {
                case 0 -> transitions.add(Transition.succeed(claim, "{\"n\":" + i + "}"));
                case 1 -> transitions.add(Transition.fail(stale, BOOM));
                case 2 -> transitions.add(Transition.cancelled(claim));
                default -> transitions.add(Transition.retry(claim, RunAt.after(HOUR), BOOM));
            }
            verdicts.add(i % 4 == 1 ? Verdict.Kind.LOST : i % 4 == 2 ? Verdict.Kind.REFUSED : Verdict.Kind.WON);
        }

        assertThat(store().work().apply(transitions)).extracting(Verdict::kind).isEqualTo(verdicts);
        assertThat(look(claims.get(196).jobId()).result()).isEqualTo("{\"n\":196}");
    }

    @Test
    void returns_no_verdicts_for_no_transitions() {
        assertThat(store().work().apply(List.of())).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void a_claim_with_another_key_loses(Ending ending) {
        Claim claim = running();
        loses(ending.of(new Claim(claim.jobId(), claim.run(), Claim.newKey())));
    }

    @ParameterizedTest
    @EnumSource
    void a_claim_of_another_run_loses(Ending ending) {
        Claim claim = running();
        loses(ending.of(new Claim(claim.jobId(), 2, claim.key())));
    }

    @ParameterizedTest
    @EnumSource
    void a_claim_whose_lease_expired_and_was_ended_loses(Ending ending) {
        Claim claim = running();
        lapse();
        loses(ending.of(claim));
    }

    @ParameterizedTest
    @EnumSource
    void an_owner_whose_job_another_worker_runs_now_loses(Ending ending) {
        Claim claim = running();
        lapse();
        assertThat(claimNext().claim().jobId()).isEqualTo(claim.jobId());
        loses(ending.of(claim));
    }

    @ParameterizedTest
    @EnumSource
    void a_claim_of_an_unknown_job_loses(Ending ending) {
        assertThat(apply(ending.of(new Claim(newId(), 1, Claim.newKey())))).isEqualTo(Verdict.LOST);
    }

    @ParameterizedTest
    @EnumSource
    void a_claim_on_a_job_that_never_ran_loses(Ending ending) {
        JobId id = insert(aJob()).id();
        loses(ending.of(new Claim(id, 0, Claim.newKey())));
    }

    private void loses(Transition transition) {
        JobId id = transition.claim().jobId();
        Whole before = whole(id);

        assertThat(apply(transition)).isEqualTo(Verdict.LOST);

        assertThat(whole(id)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void an_expired_lease_holds_until_it_is_ended(Ending ending) {
        Claim claim = running();
        advance(LEASE.plus(HOUR));

        win(ending.of(claim));

        assertThat(expire(10)).isEmpty();
    }

    // Repeated transitions

    @ParameterizedTest
    @EnumSource
    void the_same_transition_again_is_won_and_changes_nothing(Ending ending) {
        Claim claim = running();
        win(ending.of(claim));
        Whole before = whole(claim.jobId());
        advance(SECOND);

        assertThat(anotherStore().work().apply(List.of(ending.of(claim)))).containsExactly(Verdict.WON);

        assertThat(whole(claim.jobId())).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void the_same_transition_again_is_won_for_a_cancelled_job_too(Ending ending) {
        Claim claim = cancelling();
        win(ending.of(claim));
        Whole before = whole(claim.jobId());
        advance(SECOND);

        win(ending.of(claim));

        assertThat(whole(claim.jobId())).isEqualTo(before);
    }

    @Test
    void the_same_transition_again_is_won_while_another_worker_runs_the_job() {
        Claim first = running();
        win(Transition.giveBack(first));
        claimNext();
        Whole before = whole(first.jobId());

        win(Transition.giveBack(first));

        assertThat(whole(first.jobId())).isEqualTo(before);
    }

    @Test
    void the_same_transition_again_is_won_after_an_operator_has_retried_the_job() {
        Claim first = running();
        win(Transition.fail(first, BOOM));
        retry(first.jobId(), null);
        Whole before = whole(first.jobId());

        win(Transition.fail(first, BOOM));

        assertThat(whole(first.jobId())).isEqualTo(before);
    }

    @Test
    void of_a_stale_and_a_current_claim_in_one_batch_only_the_current_one_wins() {
        Claim stale = running();
        lapse();
        Claim current = claimNext().claim();
        assertThat(current.jobId()).isEqualTo(stale.jobId());

        assertThat(store().work()
                        .apply(List.of(Transition.fail(stale, BOOM), Transition.retry(current, RunAt.now(), BOOM))))
                .extracting(Verdict::kind)
                .containsExactly(Verdict.Kind.LOST, Verdict.Kind.WON);
        assertThat(look(stale.jobId()).state()).isEqualTo(JobState.WAITING);
        Claim last = claimNext().claim();
        assertThat(store().work().apply(List.of(Transition.succeed(current, "1"), Transition.succeed(last, "2"))))
                .extracting(Verdict::kind)
                .containsExactly(Verdict.Kind.LOST, Verdict.Kind.WON);
        assertThat(look(stale.jobId()).result()).isEqualTo("2");
    }

    @Test
    void a_result_that_cannot_be_stored_is_lost_when_its_claim_is() {
        Claim stale = running();
        lapse();
        assertThat(apply(Transition.succeed(stale, "\0"))).isEqualTo(Verdict.LOST);
    }

    @Test
    void another_outcome_of_a_run_that_has_ended_loses() {
        Claim succeeded = running();
        win(Transition.succeed(succeeded, "{}"));
        loses(Transition.fail(succeeded, BOOM));
        loses(Transition.giveBack(succeeded));
        Claim failed = running();
        win(Transition.fail(failed, BOOM));
        loses(Transition.succeed(failed, "{}"));
        Claim givenBack = running(aJob().priority(1));
        win(Transition.giveBack(givenBack));
        loses(Transition.succeed(givenBack, "{}"));
        loses(Transition.fail(givenBack, BOOM));
    }

    // Results that cannot be stored

    @Test
    void cancelled_is_rejected_without_a_cancel_request() {
        Claim claim = running();
        isRefused(Transition.cancelled(claim));
        win(Transition.succeed(claim, "{}"));
    }

    // Named by index, because the values are not valid text and would break the test report.
    @ParameterizedTest(name = "{index}")
    @ValueSource(strings = {"\"a\u0000b\"", "\"\ud83d\"", "\"\udc4b\ud83d\""})
    void a_result_that_is_not_storable_text_is_rejected(String result) {
        Claim claim = running();
        isRefused(Transition.succeed(claim, result));
        win(Transition.fail(claim, BOOM));
    }

    @Test
    void a_result_over_the_limit_is_refused() {
        isRefused(Transition.succeed(running(), jsonOf("x", Limits.JSON_BYTES - 1)));
        // The limit is in bytes of UTF-8, not in characters.
        isRefused(Transition.succeed(running(), jsonOf("ü", Limits.JSON_BYTES / 2)));
    }

    @Test
    void a_result_at_the_limit_is_stored() {
        Claim claim = running();
        String result = jsonOf("x", Limits.JSON_BYTES - 2);
        win(Transition.succeed(claim, result));

        assertThat(look(claim.jobId()).result()).isEqualTo(result);
    }

    @Test
    void a_rejected_transition_does_not_affect_others_of_the_batch() {
        insertJobs(3);
        List<Claim> claims = claim(3).stream().map(ClaimedJob::claim).toList();

        List<Verdict> verdicts = store().work()
                .apply(List.of(
                        Transition.succeed(claims.get(0), "{}"),
                        Transition.succeed(claims.get(1), "\"\u0000\""),
                        Transition.succeed(claims.get(2), "{}")));

        assertThat(verdicts)
                .extracting(Verdict::kind)
                .containsExactly(Verdict.Kind.WON, Verdict.Kind.REFUSED, Verdict.Kind.WON);
        assertThat(claims)
                .extracting(claim -> look(claim.jobId()).state())
                .containsExactly(JobState.SUCCEEDED, JobState.RUNNING, JobState.SUCCEEDED);
    }

    private void isRefused(Transition transition) {
        JobId id = transition.claim().jobId();
        Whole before = whole(id);

        Verdict verdict = apply(transition);

        assertThat(verdict.kind()).isEqualTo(Verdict.Kind.REFUSED);
        assertThat(verdict.reason()).isNotBlank();
        assertThat(whole(id)).isEqualTo(before);
    }

    private static String jsonOf(String character, int count) {
        return "\"" + character.repeat(count) + "\"";
    }

    // Races

    @Test
    void of_outcomes_that_race_one_wins() {
        for (int round = 0; round < 5; round++) {
            Claim claim = running();
            List<Verdict> verdicts = Race.of(8, i -> {
                Transition mine = i % 2 == 0 ? Transition.succeed(claim, "{}") : Transition.fail(claim, BOOM);
                return storeOf(i).work().apply(List.of(mine)).get(0);
            });

            boolean succeeded = look(claim.jobId()).state() == JobState.SUCCEEDED;
            Stream<Verdict> winners = Stream.of(0, 2, 4, 6).map(i -> verdicts.get(succeeded ? i : i + 1));
            assertThat(winners).allMatch(Verdict::won);
            assertThat(verdicts).filteredOn(Verdict::won).hasSize(4);
            assertThat(events(claim.jobId())).hasSize(3);
        }
    }

    @Test
    void of_a_completion_and_an_expiry_that_race_one_wins() {
        for (int round = 0; round < 10; round++) {
            Claim claim = running(aJob().maxAttempts(1));
            advance(LEASE.plus(SECOND));
            List<Boolean> won = Race.of(
                    2,
                    i -> i == 0
                            ? store().work()
                                    .apply(List.of(Transition.succeed(claim, "{}")))
                                    .get(0)
                                    .won()
                            : anotherStore().upkeep().expireLeases(leader(), 10).size() == 1);

            assertThat(won).containsExactlyInAnyOrder(true, false);
            assertThat(look(claim.jobId()).state()).isEqualTo(won.get(0) ? JobState.SUCCEEDED : JobState.FAILED);
        }
    }
}
