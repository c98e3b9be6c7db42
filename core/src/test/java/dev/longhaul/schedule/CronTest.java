package dev.longhaul.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.schedule.Timing.Cron;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronTest {
    private static LonghaulException refusalOf(String expression) {
        return catchThrowableOfType(LonghaulException.class, () -> CronExpression.parse(expression));
    }

    /** Calculated by hand, with a calendar and the published dates of the changes. */
    @Nested
    class NextFire {
        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                0 3 * * *              | 2026-01-01T00:00:00Z | 2026-01-01T03:00:00Z
                0 3 * * *              | 2026-01-01T03:00:00Z | 2026-01-02T03:00:00Z
                0 3 * * *              | 2026-01-01T02:59:59.999Z | 2026-01-01T03:00:00Z
                */15 * * * *           | 2026-01-01T10:46:00Z | 2026-01-01T11:00:00Z
                10-20/5 8 * JUN-AUG *  | 2026-06-01T08:15:00Z | 2026-06-01T08:20:00Z
                10-20/5 8 * JUN-AUG *  | 2026-08-31T08:20:00Z | 2027-06-01T08:10:00Z
                30 59 23 31 12 ?       | 2026-01-01T00:00:00Z | 2026-12-31T23:59:30Z
                0 0 29 2 *             | 2026-03-01T00:00:00Z | 2028-02-29T00:00:00Z
                0 0 13 * FRI           | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z
                0 0 13 * FRI           | 2026-01-09T00:00:00Z | 2026-01-13T00:00:00Z
                0 0 */2 * MON          | 2026-01-05T00:00:00Z | 2026-01-19T00:00:00Z
                0 12 L * *             | 2026-02-01T00:00:00Z | 2026-02-28T12:00:00Z
                0 12 L-3 * *           | 2026-02-01T00:00:00Z | 2026-02-25T12:00:00Z
                0 12 L-30 * *          | 2026-01-31T00:00:00Z | 2026-03-01T12:00:00Z
                0 12 LW * *            | 2026-02-01T00:00:00Z | 2026-02-27T12:00:00Z
                0 12 15W * *           | 2026-02-01T00:00:00Z | 2026-02-16T12:00:00Z
                0 12 1W * *            | 2026-07-15T00:00:00Z | 2026-08-03T12:00:00Z
                0 12 31W * *           | 2026-04-01T00:00:00Z | 2026-05-29T12:00:00Z
                0 12 1,15,L * *        | 2026-01-15T12:00:00Z | 2026-01-31T12:00:00Z
                0 12 * * 5#3           | 2026-01-01T00:00:00Z | 2026-01-16T12:00:00Z
                0 12 * * 7#1           | 2026-01-01T00:00:00Z | 2026-01-04T12:00:00Z
                0 12 * * 0L            | 2026-01-01T00:00:00Z | 2026-01-25T12:00:00Z
                0 12 * * 5L            | 2026-02-01T00:00:00Z | 2026-02-27T12:00:00Z
                0 12 * * MON#5         | 2026-01-01T00:00:00Z | 2026-03-30T12:00:00Z
                0 12 * * FRI-SUN       | 2026-01-05T00:00:00Z | 2026-01-09T12:00:00Z
                0 12 * * 6-7           | 2026-01-03T12:00:00Z | 2026-01-04T12:00:00Z
                @weekly                | 2026-01-01T00:00:00Z | 2026-01-04T00:00:00Z
                @monthly               | 2026-01-01T00:00:00Z | 2026-02-01T00:00:00Z
                @yearly                | 2026-01-01T00:00:00Z | 2027-01-01T00:00:00Z
                @hourly                | 2026-01-01T00:00:00Z | 2026-01-01T01:00:00Z
                """)
        void in_utc(String expression, Instant after, Instant expected) {
            assertThat(Cron.of(expression).nextAfter(after)).contains(expected);
        }

        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                # an hour forward: half past two does not come, three o'clock is the first that does
                30 2 * * *     | Europe/Berlin       | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z
                30 2 * * *     | Europe/Berlin       | 2026-03-29T01:00:00Z | 2026-03-30T00:30:00Z
                # four times that do not come, one fire
                */15 2 * * *   | Europe/Berlin       | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z
                */15 2 * * *   | Europe/Berlin       | 2026-03-29T01:00:00Z | 2026-03-30T00:00:00Z
                0 2,3 * * *    | America/New_York    | 2026-03-08T00:00:00Z | 2026-03-08T07:00:00Z
                0 2,3 * * *    | America/New_York    | 2026-03-08T07:00:00Z | 2026-03-09T06:00:00Z
                30 * * * *     | Europe/Berlin       | 2026-03-29T00:30:00Z | 2026-03-29T01:00:00Z
                30 * * * *     | Europe/Berlin       | 2026-03-29T01:00:00Z | 2026-03-29T01:30:00Z
                # an hour back: half past two comes twice, and fires once
                30 2 * * *     | Europe/Berlin       | 2026-10-24T12:00:00Z | 2026-10-25T00:30:00Z
                30 2 * * *     | Europe/Berlin       | 2026-10-25T00:30:00Z | 2026-10-26T01:30:00Z
                * 2 * * *      | Europe/Berlin       | 2026-10-25T00:59:00Z | 2026-10-26T01:00:00Z
                0 0-23 * * *   | Europe/Berlin       | 2026-10-25T00:00:00Z | 2026-10-25T02:00:00Z
                # but every half past does
                30 * * * *     | Europe/Berlin       | 2026-10-25T00:30:00Z | 2026-10-25T01:30:00Z
                30 */2 * * *   | Europe/Berlin       | 2026-10-25T00:30:00Z | 2026-10-25T01:30:00Z
                # half an hour forward, from two, and back, to half past one
                15 2 * * *     | Australia/Lord_Howe | 2026-10-03T00:00:00Z | 2026-10-03T15:30:00Z
                30 2 * * *     | Australia/Lord_Howe | 2026-10-03T00:00:00Z | 2026-10-03T15:30:00Z
                45 1 * * *     | Australia/Lord_Howe | 2026-04-04T00:00:00Z | 2026-04-04T14:45:00Z
                45 1 * * *     | Australia/Lord_Howe | 2026-04-04T14:45:00Z | 2026-04-05T15:15:00Z
                45 * * * *     | Australia/Lord_Howe | 2026-04-04T14:45:00Z | 2026-04-04T15:15:00Z
                # two hours forward, from one, and back, to one
                30 1 * * *     | Antarctica/Troll    | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z
                30 2 * * *     | Antarctica/Troll    | 2026-10-24T12:00:00Z | 2026-10-25T00:30:00Z
                30 2 * * *     | Antarctica/Troll    | 2026-10-25T00:30:00Z | 2026-10-26T02:30:00Z
                # no midnight
                0 0 * * *      | America/Havana      | 2026-03-07T12:00:00Z | 2026-03-08T05:00:00Z
                0 0 * * *      | Asia/Beirut         | 2026-03-28T12:00:00Z | 2026-03-28T22:00:00Z
                0 0 * * *      | America/Santiago    | 2026-09-05T12:00:00Z | 2026-09-06T04:00:00Z
                15 0 * * FRI   | Africa/Cairo        | 2026-04-23T12:00:00Z | 2026-04-23T22:00:00Z
                # the hour around midnight twice
                30 0 * * *     | America/Havana      | 2026-10-31T12:00:00Z | 2026-11-01T04:30:00Z
                30 0 * * *     | America/Havana      | 2026-11-01T04:30:00Z | 2026-11-02T05:30:00Z
                30 23 * * *    | Asia/Beirut         | 2026-10-24T12:00:00Z | 2026-10-24T20:30:00Z
                30 23 * * *    | Asia/Beirut         | 2026-10-24T20:30:00Z | 2026-10-25T21:30:00Z
                0 0 * * *      | Asia/Beirut         | 2026-10-24T12:00:00Z | 2026-10-24T22:00:00Z
                30 23 * * SAT  | America/Santiago    | 2026-04-05T02:30:00Z | 2026-04-12T03:30:00Z
                # Ramadan
                30 2 * * *     | Africa/Casablanca   | 2026-02-14T12:00:00Z | 2026-02-15T01:30:00Z
                30 2 * * *     | Africa/Casablanca   | 2026-02-15T01:30:00Z | 2026-02-16T02:30:00Z
                30 2 * * *     | Africa/Casablanca   | 2026-03-21T12:00:00Z | 2026-03-22T02:00:00Z
                # odd offsets
                0 9 * * *      | Asia/Kathmandu      | 2026-01-01T00:00:00Z | 2026-01-01T03:15:00Z
                0 3 * * *      | Pacific/Chatham     | 2026-09-26T00:00:00Z | 2026-09-26T14:00:00Z
                # a day that was left out
                0 12 30 12 *   | Pacific/Apia        | 2011-12-29T00:00:00Z | 2011-12-30T10:00:00Z
                0 12 * * *     | Pacific/Apia        | 2011-12-29T22:00:00Z | 2011-12-30T10:00:00Z
                0 12 * * *     | Pacific/Apia        | 2011-12-30T10:00:00Z | 2011-12-30T22:00:00Z
                """)
        void where_clocks_change(String expression, String zone, Instant after, Instant expected) {
            assertThat(Cron.of(expression).zone(zone).nextAfter(after)).contains(expected);
        }

        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                30 2 * * *     | Europe/Berlin       | 2026-03-28T12:00:00Z | 2026-03-30T00:30:00Z
                */15 2 * * *   | Europe/Berlin       | 2026-03-28T12:00:00Z | 2026-03-30T00:00:00Z
                0 2,3 * * *    | America/New_York    | 2026-03-08T00:00:00Z | 2026-03-08T07:00:00Z
                30 * * * *     | Europe/Berlin       | 2026-03-29T00:30:00Z | 2026-03-29T01:30:00Z
                15 2 * * *     | Australia/Lord_Howe | 2026-10-03T00:00:00Z | 2026-10-04T15:15:00Z
                0 0 * * *      | America/Havana      | 2026-03-07T12:00:00Z | 2026-03-09T04:00:00Z
                0 12 30 12 *   | Pacific/Apia        | 2011-12-29T00:00:00Z | 2012-12-29T22:00:00Z
                """)
        void where_nonexistent_local_times_are_skipped(
                String expression, String zone, Instant after, Instant expected) {
            assertThat(Cron.of(expression).zone(zone).dst(Cron.Dst.SKIP).nextAfter(after))
                    .contains(expected);
        }

        @Test
        void is_searched_for_five_years_ahead() {
            Cron leapSunday = Cron.of("0 0 29 2 */7"); // in 2032, and then in 2060

            assertThat(leapSunday.nextAfter(Instant.parse("2026-06-01T00:00:00Z")))
                    .isEmpty();
            assertThat(leapSunday.nextAfter(Instant.parse("2027-06-01T00:00:00Z")))
                    .contains(Instant.parse("2032-02-29T00:00:00Z"));
        }
    }

    @Nested
    class Properties {
        private final Random random = new Random(20260301);

        @Test
        void hold_for_random_expressions_zones_and_instants() {
            for (int i = 0; i < 3_000; i++) {
                String expression = randomExpression();
                Cron cron = cronOrNull(expression);
                if (cron == null) {
                    continue; // 30 February, say.
                }
                Instant after =
                        Instant.ofEpochSecond(random.nextLong(0, 4_000_000_000L), random.nextInt(1_000_000_000));

                cron.nextAfter(after).ifPresent(next -> {
                    assertThat(next).as(expression).isAfter(after);
                    assertThat(cron.nextAfter(next.minusNanos(1)))
                            .as(expression)
                            .contains(next);
                    Instant between = after.plusNanos(
                            random.nextLong(Duration.between(after, next).toNanos()));
                    assertThat(cron.nextAfter(between)).as(expression).contains(next);
                });
                assertThat(CronExpression.parse(cron.expression().toString())).isEqualTo(cron.expression());
                assertThat(cron.describe()).isNotBlank();
            }
        }

        private @Nullable Cron cronOrNull(String expression) {
            String zone = CronWalkTest.ZONES.get(random.nextInt(CronWalkTest.ZONES.size()));
            var dst = random.nextBoolean() ? Cron.Dst.RUN : Cron.Dst.SKIP;
            LonghaulException refusal = refusalOf(expression);
            if (refusal != null) {
                assertThat(refusal).as(expression).hasMessageContaining("never fires");
                return null;
            }
            return new Cron(CronExpression.parse(expression), zone, dst);
        }

        private String randomExpression() {
            String seconds = random.nextInt(4) == 0 ? field(0, 59) + " " : "";
            String dates = oneOf(field(1, 31), field(1, 31), "L", "LW", "L-" + number(1, 30), number(1, 31) + "W", "?");
            String months = oneOf(field(1, 12), "*", "*", "jan-mar,OCT");
            String weekdays = oneOf(field(0, 7), "*", number(0, 7) + "L", number(0, 7) + "#" + number(1, 5), "Fri-Sun");
            return seconds + field(0, 59) + "  " + field(0, 23) + " " + dates + "\t" + months + " " + weekdays;
        }

        private String field(int min, int max) {
            int low = number(min, max);
            int high = number(low, max);
            int step = number(1, max - min);
            return oneOf(
                    "*",
                    "*/" + step,
                    low + "",
                    low + "-" + high,
                    low + "-" + high + "/" + step,
                    low + "/" + step,
                    low + "," + high);
        }

        private int number(int min, int max) {
            return random.nextInt(min, max + 1);
        }

        private String oneOf(String... choices) {
            return choices[random.nextInt(choices.length)];
        }
    }

    @Nested
    class Refusals {
        @ParameterizedTest
        @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = true, textBlock = """
                0 25 * * *         | hour: 25 (expected: 0-23)
                60 * * * *         | minute: 60 (expected: 0-59)
                61 * * * * *       | second: 61 (expected: 0-59)
                -1 * * * *         | minute: -1 (expected: 0-59)
                1.5 * * * *        | minute: 1.5 (expected: 0-59)
                99999999999 * * * * | minute: 99999999999 (expected: 0-59)
                ٣ * * * *          | minute: ٣ (expected: 0-59)
                H * * * *          | minute: H (expected: 0-59)
                1,,2 * * * *       | minute: nothing (expected: 0-59)
                1- * * * *         | minute: 1- (expected: 0-59)
                1-2-3 * * * *      | minute: 1-2-3 (expected: 0-59)
                1/2/3 * * * *      | minute: 1/2/3 (expected: 0-59)
                ** * * * *         | minute: ** (expected: 0-59)
                */0 * * * *        | minute: */0 (expected: a step of 1-60)
                */90 * * * *       | minute: */90 (expected: a step of 1-60)
                */x * * * *        | minute: */X (expected: a step of 1-60)
                0 22-2 * * *       | hour: 22-2 (expected: low to high, such as 22-23,0-2)
                0 9-25 * * *       | hour: 25 (expected: 0-23)
                0 L * * *          | hour: L (expected: 0-23)
                0 0 0 * *          | dayOfMonth: 0 (expected: 1-31, L, L-3, LW or 15W)
                0 0 32W * *        | dayOfMonth: 32 (expected: 1-31, L, L-3, LW or 15W)
                0 0 1-5W * *       | dayOfMonth: 5W (expected: 1-31, L, L-3, LW or 15W)
                0 0 L-31 * *       | dayOfMonth: L-31 (expected: L-1 to L-30)
                0 0 * 13 *         | month: 13 (expected: 1-12 or JAN-DEC)
                0 0 * MON *        | month: MON (expected: 1-12 or JAN-DEC)
                0 0 * * 8          | dayOfWeek: 8 (expected: 0-7, SUN-SAT, 5L or 5#3)
                0 0 * * L          | dayOfWeek: L (expected: 0-7, SUN-SAT, 5L or 5#3)
                0 0 * * 8L         | dayOfWeek: 8 (expected: 0-7, SUN-SAT, 5L or 5#3)
                0 0 * * FRI#6      | dayOfWeek: FRI#6 (expected: #1 to #5)
                0 0 * * FRI#       | dayOfWeek: FRI# (expected: 0-7, SUN-SAT, 5L or 5#3)
                0 0 * * SATURDAY   | dayOfWeek: SATURDAY (expected: 0-7, SUN-SAT, 5L or 5#3)
                0 0 * * FRI-MON    | dayOfWeek: FRI-MON (expected: low to high, such as FRI-6,0-MON)
                0 0 30 2 *         | cron: 0 0 30 2 * (expected: a date that exists; this never fires)
                0 0 31 4,6,9,11 *  | cron: 0 0 31 4,6,9,11 * (expected: a date that exists; this never fires)
                0 0 31W 4 *        | cron: 0 0 31W 4 * (expected: a date that exists; this never fires)
                """)
        void name_the_field_its_value_and_the_expectation(String expression, String message) {
            assertThat(refusalOf(expression)).hasMessage(message);
        }

        @ParameterizedTest
        @ValueSource(strings = {"", " ", "*", "* * * *", "* * * * * * *", "0 0 12 1 1 ? 2026", "every day"})
        void require_five_or_six_fields(String expression) {
            assertThat(refusalOf(expression)).hasMessageContaining("expected: 5 fields");
        }

        @ParameterizedTest
        @ValueSource(strings = {"@reboot", "@every 5m", "@", "@daily 3"})
        void require_a_known_nickname(String expression) {
            assertThat(refusalOf(expression)).hasMessageContaining(expression + " (expected: @yearly, ");
        }

        @Test
        void report_all_problems_at_once() {
            LonghaulException refusal = refusalOf("60 24,25 32 13 8");

            assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(refusal.errors())
                    .extracting("field")
                    .containsExactly("minute", "hour", "hour", "dayOfMonth", "month", "dayOfWeek");
        }

        @Test
        void include_expressions_that_are_too_long() {
            String longest = "0," + "1,".repeat(94) + "2 * * * *";

            assertThat(longest).hasSizeLessThanOrEqualTo(200);
            assertThat(CronExpression.parse(longest)).isNotNull();
            assertThat(refusalOf("0 ".repeat(5000))).hasMessage("cron: 10000 characters (expected: <= 200)");
        }

        @ParameterizedTest
        @ValueSource(strings = {"Mars/Base", "", "+02:00", "europe/berlin", "GMT+2"})
        void include_zones_that_are_not_in_the_database(String zone) {
            assertThat(catchThrowableOfType(
                            LonghaulException.class, () -> Cron.of("@daily").zone(zone)))
                    .hasMessage("timeZone: " + zone + " (expected: an IANA time zone, such as Europe/Berlin)");
        }
    }

    @Nested
    class Spellings {
        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                0 0 * * 7      | 0 0 * * SUN
                0 0 * * 5-0    | 0 0 * * 0,5,6
                0 0 * * 7-2    | 0 0 * * SUN-TUE
                0 0 * * 7-7    | 0 0 * * 0
                0 0 * * 0-7    | 0 0 * * *
                0 0 * * */2    | 0 0 * * 0,2,4,6
                0 0 * * 1/2    | 0 0 * * 1,3,5,7
                0 0 * * 7/2    | 0 0 * * 0,2,4,6
                0 0 * * 7#2    | 0 0 * * sun#2
                0 0 * * 7L     | 0 0 * * 0L
                0 0 ? * ?      | @midnight
                0 0 1 JAN *    | @annually
                0 0 0 * * *    | @daily
                05 07 * * *    | 5 7 * * *
                """)
        void of_the_same_times_fire_at_the_same_times(String one, String other) {
            Instant from = Instant.parse("2026-01-01T00:00:00Z");

            assertThat(Timetable.of(Cron.of(one)).preview(from, 0, 50))
                    .isEqualTo(Timetable.of(Cron.of(other)).preview(from, 0, 50));
        }

        @Test
        void are_kept_but_for_blanks_and_small_letters() {
            assertThat(CronExpression.parse(" 0  3\t* * mon ")).hasToString("0 3 * * MON");
            assertThat(CronExpression.parse("@Daily")).hasToString("@daily");
        }
    }

    @Nested
    class Description {
        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                0 3 * * 1              | At 03:00 every Monday
                @daily                 | At 00:00 every day
                30 6,18 * * *          | At 06:30 and 18:30 every day
                15 30 9 * * SAT-SUN    | At 09:30:15 every Saturday and Sunday
                0 9 * * MON-FRI        | At 09:00 every Monday to Friday
                * * * * *              | Every minute
                */15 * * * *           | Every 15 minutes
                */10 * * * * *         | Every 10 seconds
                * * * * * *            | Every second
                @hourly                | Every hour
                0 */6 * * *            | At 00:00, 06:00, 12:00 and 18:00 every day
                0 */2 * * *            | Every 2 hours
                5,35 * * * *           | At minute 5 and 35 of every hour
                */25 * * * *           | At minute 0, 25 and 50 of every hour
                20 * * * MON           | At minute 20 of every hour every Monday
                */15 9-17 * * *        | Every 15 minutes from 09:00 to 17:59
                30 */2 * * *           | At minute 30 in the hours 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20 and 22
                */30 0-5 9 * * *       | Every 30 seconds of minute 0 to 5 from 09:00 to 09:59
                @yearly                | At 00:00 on day 1 of the month in January
                0 6 * 6-8,12 *         | At 06:00 every day in June to August and December
                0 0 13 * FRI           | At 00:00 on day 13 of the month and every Friday
                0 0 */10 * MON         | At 00:00 every Monday, but only on day 1, 11, 21 and 31 of the month
                0 9 1,L * *            | At 09:00 on day 1 of the month and on the last day of the month
                0 9 L-1 * *            | At 09:00 1 day before the last day of the month
                0 9 LW * *             | At 09:00 on the last weekday of the month
                0 9 15W * *            | At 09:00 on the weekday nearest to day 15 of the month
                0 9 * * 5#3            | At 09:00 on the third Friday of the month
                0 9 * * 7L             | At 09:00 on the last Sunday of the month
                0 9 1-31 * MON         | At 09:00 every day
                """)
        void describes_the_expression_in_words(String expression, String words) {
            assertThat(Cron.of(expression).describe()).isEqualTo(words);
        }

        @Test
        void matches_the_documentation() throws IOException {
            String page = Files.readString(Path.of("..", "docs", "guides", "schedules.md"));
            List<MatchResult> examples = Pattern.compile("\\| `([^`]+)` \\| (.+) \\|")
                    .matcher(page.substring(page.indexOf("## Examples")))
                    .results()
                    .toList();

            assertThat(examples).isNotEmpty();
            for (MatchResult example : examples) {
                assertThat(Cron.of(example.group(1)).describe()).isEqualTo(example.group(2));
            }
        }
    }

    @Test
    void crons_are_equal_when_they_mean_the_same() {
        assertThat(List.of(Cron.of("0 3 * * mon").zone("Asia/Tokyo"), Cron.of("0 3 * * MON")))
                .contains(Cron.of("0 3 * * MON").zone("Asia/Tokyo"), Cron.of("0 3 * * MON"))
                .contains(Cron.of("0 3 * * MON").zone("UTC"))
                .doesNotContain(Cron.of("0 3 * * 1"), Cron.of("0 3 * * MON").dst(Cron.Dst.SKIP));
    }
}
