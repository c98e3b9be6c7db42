package dev.longhaul.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.event.EventType;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Tally;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RunEndTest {
    private static final Claim CLAIM = new Claim(JobId.next(), 1, new UUID(1, 2));
    private static final Failure BOOM = Failure.of(Failure.EXCEPTION, "boom");
    private static final RunAt LATER = RunAt.after(Duration.ofMinutes(1));
    private static final Tally FIRST = new Tally(1, 1, 0);
    private static final List<Transition> ALL = List.of(
            Transition.succeed(CLAIM, "{}"),
            Transition.retry(CLAIM, LATER, BOOM),
            Transition.fail(CLAIM, BOOM),
            Transition.snooze(CLAIM, LATER),
            Transition.giveBack(CLAIM),
            Transition.cancelled(CLAIM),
            Transition.crashed(CLAIM, BOOM));

    private static RunEnd end(Transition transition, JobState state, Tally tally, int maxAttempts) {
        return RunEnd.of(transition, state, tally, maxAttempts).orElseThrow();
    }

    @Nested
    class WhileRunning {
        @Test
        void a_retry_waits_while_attempts_are_left() {
            RunEnd end = end(Transition.retry(CLAIM, LATER, BOOM), JobState.RUNNING, FIRST, 2);

            assertThat(end.state()).isEqualTo(JobState.WAITING);
            assertThat(end.when()).isEqualTo(LATER);
            assertThat(end.jobFailure()).isEqualTo(BOOM);
            assertThat(end.tally(FIRST)).isEqualTo(FIRST);
        }

        @Test
        void a_retry_fails_with_the_last_attempt() {
            RunEnd end = end(Transition.retry(CLAIM, LATER, BOOM), JobState.RUNNING, FIRST, 1);

            assertThat(end.state()).isEqualTo(JobState.FAILED);
            assertThat(end.runStatus()).isEqualTo(RunStatus.FAILED);
            assertThat(end.when()).isNull();
        }

        @Test
        void snooze_and_give_back_return_their_attempt() {
            RunEnd snooze = end(Transition.snooze(CLAIM, LATER), JobState.RUNNING, FIRST, 1);
            RunEnd giveBack = end(Transition.giveBack(CLAIM), JobState.RUNNING, FIRST, 1);

            assertThat(snooze.tally(FIRST)).isEqualTo(new Tally(1, 0, 0));
            assertThat(giveBack.tally(FIRST)).isEqualTo(new Tally(1, 0, 0));
            assertThat(giveBack.when()).isNull();
        }

        @Test
        void cancelled_is_allowed_only_after_a_request() {
            assertThat(RunEnd.of(Transition.cancelled(CLAIM), JobState.RUNNING, FIRST, 3))
                    .isEmpty();
        }

        @Test
        void a_crash_spends_the_attempt_and_counts() {
            RunEnd end = end(Transition.crashed(CLAIM, BOOM), JobState.RUNNING, FIRST, 3);

            assertThat(end.state()).isEqualTo(JobState.WAITING);
            assertThat(end.when()).isEqualTo(RunAt.now());
            assertThat(end.tally(FIRST)).isEqualTo(new Tally(1, 1, 1));
        }

        @Test
        void the_third_crash_is_quarantine_and_the_run_keeps_its_own_failure() {
            RunEnd end = end(Transition.crashed(CLAIM, BOOM), JobState.RUNNING, new Tally(3, 3, 2), 100);

            assertThat(end.state()).isEqualTo(JobState.FAILED);
            assertThat(end.runFailure()).isEqualTo(BOOM);
            assertThat(Objects.requireNonNull(end.jobFailure()).code()).isEqualTo(Failure.QUARANTINED);
            assertThat(end.jobFailure().message()).contains("3 crashes").contains("boom");
            assertThat(end.needsOwnRecord()).isTrue();
        }

        @Test
        void one_attempt_never_runs_twice() {
            for (Transition transition : List.of(Transition.crashed(CLAIM, BOOM), ALL.get(1), ALL.get(2))) {
                assertThat(end(transition, JobState.RUNNING, FIRST, 1).state()).isEqualTo(JobState.FAILED);
            }
            assertThat(RunEnd.lapsed(JobState.RUNNING, FIRST, 1, Lapse.YOUNG).state())
                    .isEqualTo(JobState.FAILED);
        }
    }

    @Nested
    class WhileCancelling {
        @Test
        void success_stays_success_and_every_other_end_is_cancelled() {
            for (Transition transition : ALL) {
                RunEnd end = end(transition, JobState.CANCELLING, FIRST, 3);
                boolean success = transition instanceof Transition.Succeed;
                assertThat(end.state()).isEqualTo(success ? JobState.SUCCEEDED : JobState.CANCELLED);
                assertThat(end.jobFailure()).isNull();
            }
        }

        @Test
        void an_expired_lease_is_a_lost_run_of_a_cancelled_job() {
            RunEnd end = RunEnd.lapsed(JobState.CANCELLING, FIRST, 3, Lapse.YOUNG);

            assertThat(end.state()).isEqualTo(JobState.CANCELLED);
            assertThat(end.runStatus()).isEqualTo(RunStatus.LOST);
            assertThat(end.lostThenEnded()).isTrue();
        }
    }

    @Nested
    class InEveryState {
        @ParameterizedTest
        @EnumSource
        void an_end_takes_an_edge_of_the_state_machine(JobState state) {
            for (Transition transition : ALL) {
                for (int attempts = 1; attempts <= 3; attempts++) {
                    RunEnd end = RunEnd.of(transition, state, new Tally(3, attempts, 2), 3)
                            .orElse(null);
                    assertThat(end == null || state.next().contains(end.state()))
                            .isTrue();
                    assertHasItsEvents(end);
                }
            }
        }

        @ParameterizedTest
        @EnumSource
        void nothing_ends_a_job_that_no_worker_has_claimed(JobState state) {
            for (Transition transition : ALL) {
                assertThat(state.leased()
                                || RunEnd.of(transition, state, FIRST, 3).isEmpty())
                        .isTrue();
            }
        }

        private void assertHasItsEvents(@Nullable RunEnd end) {
            if (end != null && end.state().terminal()) {
                assertThat(EventType.ofEnd(end.state())).isNotNull();
            } else if (end != null) {
                assertThat(EventType.ofRunEnd(end.runStatus())).isNotNull();
            }
        }
    }

    @Nested
    class Lapsed {
        @Test
        void makes_the_job_due_again() {
            RunEnd end = RunEnd.lapsed(JobState.RUNNING, FIRST, 3, Lapse.YOUNG);

            assertThat(end.state()).isEqualTo(JobState.WAITING);
            assertThat(end.when()).isEqualTo(RunAt.now());
            assertThat(Objects.requireNonNull(end.runFailure()).code()).isEqualTo(Failure.LOST);
            assertThat(end.lostThenEnded()).isFalse();
        }

        @Test
        void soon_after_the_start_quarantines_at_the_fourth_time() {
            assertThat(RunEnd.lapsed(JobState.RUNNING, new Tally(3, 3, 2), 100, Lapse.YOUNG)
                            .state())
                    .isEqualTo(JobState.WAITING);
            RunEnd end = RunEnd.lapsed(JobState.RUNNING, new Tally(4, 4, 3), 100, Lapse.YOUNG);

            assertThat(Objects.requireNonNull(end.jobFailure()).code()).isEqualTo(Failure.QUARANTINED);
            assertThat(Objects.requireNonNull(end.runFailure()).code()).isEqualTo(Failure.LOST);
            assertThat(end.lostThenEnded()).isTrue();
        }
    }

    @Nested
    class LapsedLate {
        @Test
        void spends_the_attempt_and_counts_no_crash() {
            RunEnd end = RunEnd.lapsed(JobState.RUNNING, new Tally(5, 3, 2), 5, Lapse.LATE);

            assertThat(end.state()).isEqualTo(JobState.WAITING);
            assertThat(end.runStatus()).isEqualTo(RunStatus.LOST);
            assertThat(end.tally(new Tally(5, 3, 2))).isEqualTo(new Tally(5, 3, 2));
        }

        @Test
        void fails_the_job_without_attempts_left() {
            RunEnd end = RunEnd.lapsed(JobState.RUNNING, new Tally(3, 3, 0), 3, Lapse.LATE);

            assertThat(end.state()).isEqualTo(JobState.FAILED);
            assertThat(Objects.requireNonNull(end.jobFailure()).code()).isEqualTo(Failure.LOST);
        }
    }

    @Nested
    class LapsedUnbegun {
        @Test
        void returns_the_attempt_and_requires_the_next_run_to_store_its_begin_first() {
            RunEnd end = RunEnd.lapsed(JobState.RUNNING, FIRST, 1, Lapse.UNBEGUN);

            assertThat(end.state()).isEqualTo(JobState.WAITING);
            assertThat(end.runStatus()).isEqualTo(RunStatus.RELEASED);
            assertThat(end.tally(FIRST)).isEqualTo(new Tally(FIRST.run(), 0, 0));
            assertThat(end.jobFailure()).isNull();
            assertThat(end.beginFirst()).isTrue();
        }

        @Test
        void is_cancelled_if_that_was_requested() {
            assertThat(RunEnd.lapsed(JobState.CANCELLING, FIRST, 1, Lapse.UNBEGUN)
                            .state())
                    .isEqualTo(JobState.CANCELLED);
        }
    }

    @Nested
    class OwnRecord {
        @Test
        void is_saved_for_runs_that_the_row_of_their_job_does_not_describe() {
            assertThat(end(ALL.get(0), JobState.RUNNING, FIRST, 3).needsOwnRecord())
                    .isFalse();
            assertThat(end(ALL.get(2), JobState.RUNNING, FIRST, 3).needsOwnRecord())
                    .isFalse();
            assertThat(end(ALL.get(1), JobState.RUNNING, FIRST, 3).needsOwnRecord())
                    .isTrue();
            assertThat(RunEnd.lapsed(JobState.RUNNING, FIRST, 1, Lapse.YOUNG).needsOwnRecord())
                    .isTrue();
        }
    }

    @Nested
    class Repeats {
        @Test
        void are_recognised_by_the_end_of_the_run() {
            for (Transition transition : ALL) {
                for (JobState state : List.of(JobState.RUNNING, JobState.CANCELLING)) {
                    RunEnd.of(transition, state, FIRST, 3)
                            .ifPresent(end ->
                                    assertThat(end.repeatedBy(transition)).isTrue());
                }
            }
        }

        @Test
        void never_contradict_the_end() {
            assertThat(RunEnd.repeats(Transition.fail(CLAIM, BOOM), RunStatus.SUCCEEDED, null))
                    .isFalse();
            assertThat(RunEnd.repeats(Transition.succeed(CLAIM, "{}"), RunStatus.FAILED, BOOM.code()))
                    .isFalse();
            assertThat(RunEnd.repeats(Transition.succeed(CLAIM, "{}"), RunStatus.CANCELLED, null))
                    .isFalse();
            assertThat(RunEnd.repeats(Transition.fail(CLAIM, BOOM), RunStatus.FAILED, Failure.TIMEOUT))
                    .isFalse();
            assertThat(ALL).noneMatch(transition -> RunEnd.repeats(transition, RunStatus.LOST, Failure.LOST));
            assertThat(ALL).noneMatch(transition -> RunEnd.repeats(transition, RunStatus.RUNNING, null));
        }
    }
}
