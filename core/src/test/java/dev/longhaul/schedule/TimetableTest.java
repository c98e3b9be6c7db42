package dev.longhaul.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import dev.longhaul.error.LonghaulException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimetableTest {
    private static final Instant NOON = Instant.parse("2026-05-01T12:00:00Z");
    private static final Timing HOURLY = Timing.cron("@hourly");

    private static Timetable timetable(
            Timing timing, @Nullable Instant start, @Nullable Instant end, @Nullable Integer maxRuns) {
        return new Timetable(timing, start, end, maxRuns, Duration.ZERO);
    }

    private static Instant hours(long hours) {
        return NOON.plusSeconds(3600 * hours);
    }

    private static LonghaulException refusalOf(ThrowingCallable call) {
        return catchThrowableOfType(LonghaulException.class, call);
    }

    @Nested
    class Intervals {
        private final Timing every = Timing.every(Duration.ofSeconds(90), NOON);

        @Test
        void begin_with_their_anchor() {
            assertThat(every.nextAfter(NOON.minusSeconds(1000))).contains(NOON);
            assertThat(every.nextAfter(NOON.minusNanos(1))).contains(NOON);
        }

        @Test
        void continue_by_elapsed_time() {
            assertThat(every.nextAfter(NOON)).contains(NOON.plusSeconds(90));
            assertThat(every.nextAfter(NOON.plusSeconds(89))).contains(NOON.plusSeconds(90));
            assertThat(every.nextAfter(NOON.plusSeconds(90).minusNanos(1))).contains(NOON.plusSeconds(90));
            assertThat(every.nextAfter(NOON.plusSeconds(90))).contains(NOON.plusSeconds(180));
            assertThat(every.nextAfter(NOON.plusSeconds(90_000_000_001L))).contains(NOON.plusSeconds(90_000_000_090L));
        }

        @Test
        void ignore_clock_changes() {
            Timing day = Timing.every(Duration.ofDays(1), Instant.parse("2026-03-28T12:00:00+01:00"));

            assertThat(day.nextAfter(Instant.parse("2026-03-28T12:00:00+01:00")))
                    .contains(Instant.parse("2026-03-29T13:00:00+02:00"));
        }

        @Test
        void keep_their_anchor_to_the_microsecond() {
            assertThat(Timing.every(Duration.ofSeconds(1), NOON.plusNanos(123_456_789))
                            .nextAfter(NOON))
                    .contains(NOON.plusNanos(123_456_000));
        }

        @ParameterizedTest
        @CsvSource({
            "1, Every second",
            "90, Every 90 seconds",
            "60, Every minute",
            "7200, Every 2 hours",
            "86400, Every day",
            "1209600, Every 2 weeks"
        })
        void are_described_in_their_largest_unit(long seconds, String words) {
            assertThat(Timing.every(Duration.ofSeconds(seconds), NOON).describe())
                    .isEqualTo(words);
        }

        @Test
        void are_whole_seconds_up_to_a_year() {
            assertThat(refusalOf(() -> Timing.every(Duration.ZERO, NOON)))
                    .hasMessage("everySeconds: 0 (expected: 1 to 31622400)");
            assertThat(refusalOf(() -> Timing.every(Duration.ofMillis(1500), NOON)))
                    .hasMessage("everySeconds: PT1.5S (expected: 1 to 31622400)");
            assertThat(refusalOf(() -> Timing.every(Duration.ofDays(367), NOON)))
                    .isNotNull();
        }
    }

    @Nested
    class FixedTimes {
        @Test
        void fire_in_order_and_once_each() {
            Timetable timetable = Timetable.of(Timing.at(hours(3), hours(1), hours(2), hours(1)));

            assertThat(timetable.preview(hours(0), 0, 10)).containsExactly(hours(1), hours(2), hours(3));
            assertThat(timetable.preview(hours(1), 0, 10)).containsExactly(hours(2), hours(3));
            assertThat(timetable.nextAfter(hours(3))).isEmpty();
        }

        @Test
        void are_described_by_the_first_and_the_last() {
            assertThat(Timing.at(NOON).describe()).isEqualTo("Once at 2026-05-01T12:00:00Z");
            assertThat(Timing.at(hours(1), NOON).describe())
                    .isEqualTo("2 times from 2026-05-01T12:00:00Z to 2026-05-01T13:00:00Z");
        }

        @Test
        void are_one_to_a_thousand() {
            assertThat(refusalOf(Timing::at)).hasMessage("at: 0 times (expected: 1 to 1000)");
            List<Instant> many =
                    IntStream.range(0, 1001).mapToObj(NOON::plusSeconds).toList();
            assertThat(refusalOf(() -> new Timing.At(many))).hasMessage("at: 1001 times (expected: 1 to 1000)");
            assertThat(new Timing.At(Collections.nCopies(1001, NOON)).instants())
                    .containsExactly(NOON);
        }

        @Test
        void are_within_reach() {
            assertThat(refusalOf(() -> Timing.at(NOON, Instant.EPOCH)))
                    .hasMessage("at: 1970-01-01T00:00:00Z (expected: between 1970 and 2200)");
            assertThat(refusalOf(() -> Timing.every(Duration.ofSeconds(1), Instant.MAX)))
                    .hasMessageContaining("startAt: ");
        }
    }

    @Nested
    class Limits {
        @Test
        void start_and_end_are_included() {
            Timetable timetable = timetable(HOURLY, hours(2), hours(4), null);

            assertThat(timetable.preview(NOON, 0, 10)).containsExactly(hours(2), hours(3), hours(4));
            assertThat(timetable.fires(hours(2), hours(9), 10)).containsExactly(hours(3), hours(4));
            assertThat(timetable.fires(NOON, hours(3), 10)).containsExactly(hours(2), hours(3));
            assertThat(timetable.fires(NOON, hours(3), 1)).containsExactly(hours(2));
        }

        @Test
        void runs_are_counted_down() {
            Timetable timetable = timetable(HOURLY, null, null, 5);

            assertThat(timetable.preview(NOON, 0, 10)).hasSize(5);
            assertThat(timetable.preview(NOON, 3, 10)).containsExactly(hours(1), hours(2));
            assertThat(timetable.preview(NOON, 5, 10)).isEmpty();
            assertThat(timetable.preview(NOON, 9, 10)).isEmpty();
        }

        @Test
        void that_are_invalid_are_all_reported_at_once() {
            LonghaulException refusal =
                    refusalOf(() -> new Timetable(HOURLY, hours(1), hours(0), 0, Duration.ofDays(2)));

            assertThat(refusal)
                    .hasMessage("endAt: 2026-05-01T12:00:00Z (expected: after startAt, 2026-05-01T13:00:00Z); "
                            + "maxRuns: 0 (expected: >= 1); jitterSeconds: 172800 (expected: 0 to 86400)");
            assertThat(refusalOf(() -> timetable(HOURLY, Instant.MIN, Instant.MAX, null)))
                    .hasMessageContaining("startAt: ")
                    .hasMessageContaining("endAt: ");
        }

        @Test
        void of_time_itself_are_far() {
            assertThat(Timetable.of(HOURLY).nextAfter(Instant.MIN)).contains(Instant.parse("1970-01-01T01:00:00Z"));
            assertThat(Timetable.of(HOURLY).nextAfter(Instant.MAX)).isEmpty();
        }
    }

    @Nested
    class First {
        @Test
        void fire_is_after_now_and_not_before_the_start() {
            assertThat(Timetable.of(HOURLY).firstAfter(NOON)).isEqualTo(hours(1));
            assertThat(timetable(HOURLY, hours(5), null, null).firstAfter(NOON)).isEqualTo(hours(5));
        }

        @Test
        void fire_that_never_happens_is_rejected() {
            assertThat(refusalOf(() -> Timetable.of(Timing.cron("0 0 29 2 */7")).firstAfter(NOON)))
                    .hasMessage("cron: 0 0 29 2 */7 (expected: a time in the next 5 years; this never fires)");
            assertThat(refusalOf(() -> Timetable.of(Timing.at(NOON)).firstAfter(NOON)))
                    .hasMessage("at: Once at 2026-05-01T12:00:00Z (expected: a time in the future; this never fires)");
            assertThat(refusalOf(() ->
                            timetable(HOURLY, null, NOON.plusSeconds(60), null).firstAfter(NOON)))
                    .hasMessage("endAt: 2026-05-01T12:01:00Z (expected: not before the first fire time, "
                            + "2026-05-01T13:00:00Z)");
        }
    }

    @Nested
    class Jitter {
        private final Timetable jittery = new Timetable(HOURLY, null, null, null, Duration.ofSeconds(10));

        @Test
        void moves_the_run_time_and_not_the_fire_time() {
            assertThat(jittery.preview(NOON, 0, 3)).containsExactly(hours(1), hours(2), hours(3));
            assertThat(jittery.runAt("nightly", NOON)).isBetween(NOON, NOON.plusSeconds(10));
        }

        @Test
        void is_the_same_in_every_process_and_every_java() {
            assertThat(jittery.runAt("nightly", NOON)).isEqualTo(jittery.runAt("nightly", NOON));
            assertThat(jittery.runAt("nightly", NOON)).isEqualTo(Instant.parse("2026-05-01T12:00:01.459Z"));
        }

        @Test
        void spreads_schedules_of_one_time_and_the_fires_of_one_schedule_evenly() {
            var bySchedule = new int[10];
            var byFire = new int[10];
            for (int i = 0; i < 10_000; i++) {
                bySchedule[tenth(jittery.runAt("schedule-" + i, NOON), NOON)]++;
                byFire[tenth(jittery.runAt("nightly", hours(i)), hours(i))]++;
            }

            for (int tenth = 0; tenth < 10; tenth++) {
                assertThat(bySchedule[tenth]).isCloseTo(1000, within(150));
                assertThat(byFire[tenth]).isCloseTo(1000, within(150));
            }
        }

        @Test
        void is_zero_unless_requested() {
            assertThat(Timetable.of(HOURLY).runAt("nightly", NOON)).isEqualTo(NOON);
        }

        private int tenth(Instant runAt, Instant fire) {
            return (int) Math.min(9, Duration.between(fire, runAt).toMillis() / 1000);
        }
    }
}
