package dev.longhaul.schedule;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.schedule.CatchUp.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CatchUpTest {
    private static final Instant NOON = Instant.parse("2026-05-01T12:00:00Z");
    private static final Timetable HOURLY = Timetable.of(Timing.cron("@hourly"));
    private static final Timetable EVERY_SECOND = Timetable.of(Timing.cron("* * * * * *"));

    private static CatchUp catchUp(Policy policy) {
        return new CatchUp(policy, 100, ofDays(1));
    }

    private static Instant hours(long hours) {
        return NOON.plusSeconds(3600 * hours);
    }

    @Nested
    class OnTime {
        @ParameterizedTest
        @EnumSource
        void a_fire_happens(Policy policy) {
            List<Instant> due = HOURLY.due(catchUp(policy), NOON, hours(1).plusMillis(3), 7);

            assertThat(due).containsExactly(hours(1));
        }

        @ParameterizedTest
        @EnumSource
        void nothing_happens_before_its_time(Policy policy) {
            List<Instant> due = HOURLY.due(catchUp(policy), NOON, hours(1).minusNanos(1), 7);

            assertThat(due).isEmpty();
        }

        @ParameterizedTest
        @EnumSource
        void all_fires_happen_while_a_new_leader_takes_over(Policy policy) {
            List<Instant> due = EVERY_SECOND.due(catchUp(policy), NOON, NOON.plusSeconds(10), 0);

            assertThat(due)
                    .isEqualTo(IntStream.rangeClosed(1, 10)
                            .mapToObj(NOON::plusSeconds)
                            .toList());
        }

        @Test
        void means_at_most_fifteen_seconds_late() {
            assertThat(EVERY_SECOND.due(CatchUp.DEFAULT, NOON, NOON.plusSeconds(16), 0))
                    .hasSize(16);
            assertThat(EVERY_SECOND.due(CatchUp.DEFAULT, NOON, NOON.plusSeconds(17), 0))
                    .containsExactly(NOON.plusSeconds(17));
        }

        @ParameterizedTest
        @EnumSource
        void nothing_fires_twice_when_the_clock_is_set_back(Policy policy) {
            List<Instant> due = HOURLY.due(catchUp(policy), hours(1), NOON, 1);

            assertThat(due).isEmpty();
        }
    }

    @Nested
    class AfterThreeHours {
        private final Instant now = hours(3).plusSeconds(1800);

        @Test
        void skip_fires_nothing_until_the_next_fire() {
            assertThat(HOURLY.due(catchUp(Policy.SKIP), NOON, now, 0)).isEmpty();
        }

        @Test
        void skip_still_fires_the_one_that_is_due_now() {
            assertThat(HOURLY.due(catchUp(Policy.SKIP), NOON, hours(3).plusSeconds(2), 0))
                    .containsExactly(hours(3));
        }

        @Test
        void once_fires_the_last_one() {
            assertThat(HOURLY.due(CatchUp.DEFAULT, NOON, now, 0)).containsExactly(hours(3));
            assertThat(EVERY_SECOND.due(CatchUp.DEFAULT, NOON, now, 0)).containsExactly(now);
        }

        @Test
        void all_fires_all() {
            assertThat(HOURLY.due(catchUp(Policy.ALL), NOON, now, 0)).containsExactly(hours(1), hours(2), hours(3));
        }

        @Test
        void all_fires_the_last_ones_up_to_the_cap() {
            var atMostTwo = new CatchUp(Policy.ALL, 2, ofDays(1));

            assertThat(HOURLY.due(atMostTwo, NOON, now, 0)).containsExactly(hours(2), hours(3));
        }

        @Test
        void nothing_older_than_the_window_fires() {
            assertThat(HOURLY.due(new CatchUp(Policy.ALL, 100, ofHours(2)), NOON, hours(3), 0))
                    .containsExactly(hours(1), hours(2), hours(3));
            assertThat(HOURLY.due(new CatchUp(Policy.ALL, 100, ofHours(2)), NOON, now, 0))
                    .containsExactly(hours(2), hours(3));
            assertThat(HOURLY.due(new CatchUp(Policy.ONCE, 100, ofSeconds(1799)), NOON, now, 0))
                    .isEmpty();
            assertThat(HOURLY.due(new CatchUp(Policy.ONCE, 100, Duration.ZERO), NOON, hours(3).plusSeconds(5), 0))
                    .containsExactly(hours(3));
        }

        @Test
        void no_more_fires_than_runs_are_left() {
            var fiveRuns = new Timetable(HOURLY.timing(), null, null, 5, Duration.ZERO);

            assertThat(fiveRuns.due(catchUp(Policy.ALL), NOON, now, 1)).containsExactly(hours(1), hours(2), hours(3));
            assertThat(fiveRuns.due(catchUp(Policy.ALL), NOON, now, 3)).containsExactly(hours(1), hours(2));
            assertThat(fiveRuns.due(catchUp(Policy.ALL), NOON, now, 5)).isEmpty();
        }

        @Test
        void a_schedule_that_ended_meanwhile_fires_up_to_its_end() {
            var ended = new Timetable(HOURLY.timing(), null, hours(2), null, Duration.ZERO);

            assertThat(ended.due(catchUp(Policy.ALL), NOON, now, 0)).containsExactly(hours(1), hours(2));
            assertThat(ended.due(CatchUp.DEFAULT, NOON, now, 0)).containsExactly(hours(2));
        }
    }

    @Nested
    class AfterTenYears {
        private final Instant now = NOON.plus(ofDays(3650));

        @ParameterizedTest
        @EnumSource
        @Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
        void a_schedule_of_every_second_soon_catches_up(Policy policy) {
            List<Instant> due = EVERY_SECOND.due(new CatchUp(policy, 1000, ofDays(366)), NOON, now, 0);

            int expected = policy == Policy.ALL ? 1000 : 1;
            assertThat(due).hasSize(expected).endsWith(now).startsWith(now.minusSeconds(expected - 1));
        }
    }

    @Test
    void the_last_fires_are_those_that_a_plain_list_ends_with() {
        var random = new Random(7);
        List<Timing> timings = List.of(
                Timing.cron("*/7 9,13 * * *").zone("Europe/Berlin"),
                Timing.cron("30 2 * * *").zone("America/Havana"),
                Timing.cron("*/40 * 3 * * SUN"),
                Timing.every(ofSeconds(1234), NOON.plusMillis(500)),
                new Timing.At(IntStream.range(0, 900)
                        .mapToObj(i -> NOON.plusMillis(random.nextInt(20_000)))
                        .toList()));
        for (int i = 0; i < 500; i++) {
            var timetable = Timetable.of(timings.get(i % timings.size()));
            Instant after = NOON.plusMillis(random.nextInt(10_000));
            Instant upTo = after.plusSeconds(random.nextInt(i % 2 == 0 ? 20 : 900_000));
            int most = 1 + random.nextInt(50);

            var all = new ArrayList<Instant>();
            Optional<Instant> next = timetable.nextAfter(after);
            while (next.isPresent() && !next.get().isAfter(upTo)) {
                all.add(next.get());
                next = timetable.nextAfter(next.get());
            }
            assertThat(timetable.lastFires(after, upTo, most))
                    .isEqualTo(all.subList(Math.max(0, all.size() - most), all.size()));
        }
    }

    @Test
    void invalid_numbers_are_rejected() {
        assertThat(catchThrowableOfType(LonghaulException.class, () -> new CatchUp(Policy.ALL, 0, ofSeconds(-1))))
                .hasMessage("catchUp.max: 0 (expected: 1 to 1000); "
                        + "catchUp.windowSeconds: -1 (expected: 0 to 31622400)");
    }
}
