package dev.longhaul.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.EnumSet;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JobStateTest {
    @Nested
    class States {
        @Test
        void can_all_be_reached_from_created() {
            var reached = EnumSet.of(JobState.CREATED);
            var next = new ArrayDeque<>(reached);
            while (!next.isEmpty()) {
                for (JobState state : next.remove().next()) {
                    if (reached.add(state)) {
                        next.add(state);
                    }
                }
            }

            assertThat(reached).containsExactlyInAnyOrder(JobState.values());
        }

        @Test
        void that_are_terminal_lead_only_to_waiting() {
            assertThat(JobState.SUCCEEDED.next()).isEmpty();
            assertThat(JobState.FAILED.next()).containsExactly(JobState.WAITING);
            assertThat(JobState.CANCELLED.next()).containsExactly(JobState.WAITING);
        }

        @ParameterizedTest
        @EnumSource
        void are_found_by_their_code(JobState state) {
            assertThat(JobState.ofCode(state.code())).isEqualTo(state);
        }

        @ParameterizedTest
        @EnumSource
        void that_ended_have_an_event_of_their_own(JobState state) {
            if (state.terminal()) {
                assertThat(EventType.ofEnd(state).wireName()).isEqualTo(state.wireName());
            } else {
                assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> EventType.ofEnd(state));
            }
        }

        @Test
        void are_leased_only_while_a_worker_holds_the_job() {
            assertThat(JobState.values())
                    .filteredOn(JobState::leased)
                    .containsExactly(JobState.RUNNING, JobState.CANCELLING);
        }
    }

    @Nested
    class Status {
        private final Instant now = Instant.parse("2026-05-01T00:00:00Z");

        @Test
        void of_a_waiting_job_depends_on_its_run_time_and_attempts() {
            assertThat(JobStatus.of(JobState.WAITING, now, 0, now)).isEqualTo(JobStatus.QUEUED);
            assertThat(JobStatus.of(JobState.WAITING, now.minusSeconds(1), 2, now))
                    .isEqualTo(JobStatus.QUEUED);
            assertThat(JobStatus.of(JobState.WAITING, now.plusNanos(1000), 0, now))
                    .isEqualTo(JobStatus.SCHEDULED);
            assertThat(JobStatus.of(JobState.WAITING, now.plusNanos(1000), 1, now))
                    .isEqualTo(JobStatus.RETRYING);
        }

        @ParameterizedTest
        @EnumSource
        void always_belongs_to_the_state(JobState state) {
            assertThat(JobStatus.of(state, now, 0, now).state()).isEqualTo(state);
        }

        @ParameterizedTest
        @EnumSource
        void is_found_by_its_name(JobStatus status) {
            assertThat(JobStatus.parse(status.wireName())).isEqualTo(status);
        }

        @Test
        void that_is_unknown_is_an_error_that_names_the_known_ones() {
            assertThatExceptionOfType(LonghaulException.class)
                    .isThrownBy(() -> JobStatus.parse("pending"))
                    .withMessageContaining("status: pending")
                    .withMessageContaining("queued");
        }
    }
}
