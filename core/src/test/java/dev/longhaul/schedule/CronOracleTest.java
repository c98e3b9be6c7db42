package dev.longhaul.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.schedule.Timing.Cron;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.scheduling.support.CronExpression;

/**
 * Compares with Spring's cron expressions. The fires must be the same for eighteen months in twelve zones, except for
 * the known {@link Differences}.
 */
class CronOracleTest {
    private static final Instant FROM = Instant.parse("2027-07-01T00:00:00Z");
    private static final Instant TO = Instant.parse("2029-01-01T00:00:00Z");
    private static final ZoneId UTC = ZoneId.of("UTC");
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final ZoneId HAVANA = ZoneId.of("America/Havana");
    private static final AtomicInteger COMPARED = new AtomicInteger();

    static final List<String> EXPRESSIONS = List.of(
            "0 0 * * *",
            "30 2 * * *",
            "45 1 * * MON-FRI",
            "0 */6 * * *",
            "30 */2 * * *",
            "15 * 1-7 * *",
            "7/20 8-10 * * *",
            "0 12 1 * ?",
            "0 12 1,15,L * *",
            "0 12 L * *",
            "0 12 L-3 * *",
            "0 12 LW * *",
            "0 12 1W * *",
            "0 12 15W,25W * *",
            "0 12 29 2 *",
            "0 12 * JAN-MAR,NOV *",
            "0 12 * * 0",
            "0 12 * * 7",
            "0 12 * * 1/2",
            "0 12 * * FRI-SUN",
            "0 12 * * 5#3",
            "0 12 * * 7#1",
            "0 12 * * MON#5",
            "0 12 * * 5L",
            "0 12 * * 0L",
            "0 12 */2 * MON",
            "10,50 59 23 * * *",
            "*/30 */30 3 1-7 * *",
            "@weekly",
            "@monthly",
            "@yearly");

    /** Spring skips local times that do not exist, so this test uses the same setting. */
    @ParameterizedTest
    @FieldSource("EXPRESSIONS")
    void agrees(String expression) {
        for (String id : CronWalkTest.ZONES) {
            var zone = ZoneId.of(id);
            // No clock changes at noon, so the days on which clocks change are compared too.
            List<Span> spans = expression.startsWith("0 12 ") ? List.of(new Span(FROM, TO)) : ordinaryDays(zone);
            for (Span span : spans) {
                List<Instant> ours = ours(expression, zone, span);

                assertThat(ours).as("%s in %s", expression, id).isEqualTo(spring(expression, zone, span));
                COMPARED.addAndGet(ours.size());
            }
        }
    }

    @AfterAll
    static void fires_were_compared() {
        assertThat(COMPARED.get()).isGreaterThan(150_000);
    }

    /**
     * All differences found when the expressions above were compared on all days, and more kinds of expressions tried.
     */
    @Nested
    class Differences {
        @Test
        void a_time_that_comes_twice_fires_twice_in_spring() {
            var day = new Span(Instant.parse("2026-10-24T12:00:00Z"), Instant.parse("2026-10-25T12:00:00Z"));
            var first = Instant.parse("2026-10-25T00:30:00Z");

            assertThat(spring("30 2 * * *", BERLIN, day)).containsExactly(first, first.plusSeconds(3600));
            assertThat(ours("30 2 * * *", BERLIN, day)).containsExactly(first);
        }

        @Test
        void midnight_that_comes_twice_fires_the_second_time_only_in_spring() {
            var day = new Span(Instant.parse("2026-10-31T12:00:00Z"), Instant.parse("2026-11-01T12:00:00Z"));
            var first = Instant.parse("2026-11-01T04:00:00Z");

            assertThat(spring("0 0 * * *", HAVANA, day)).containsExactly(first.plusSeconds(3600));
            assertThat(ours("0 0 * * *", HAVANA, day)).containsExactly(first);
        }

        @Test
        void a_day_without_midnight_fires_not_at_all_in_spring() {
            var day = new Span(Instant.parse("2026-03-08T04:30:00Z"), Instant.parse("2026-03-09T04:00:00Z"));

            assertThat(spring("0 */6 * * *", HAVANA, day)).isEmpty();
            assertThat(ours("0 */6 * * *", HAVANA, day))
                    .containsExactly(
                            Instant.parse("2026-03-08T10:00:00Z"),
                            Instant.parse("2026-03-08T16:00:00Z"),
                            Instant.parse("2026-03-08T22:00:00Z"));
        }

        @Test
        void half_an_hour_that_comes_twice_holds_spring_for_ever() {
            var zone = ZoneId.of("Australia/Lord_Howe");
            var before = Instant.parse("2026-04-04T14:15:00Z").atZone(zone);

            assertThat(CronExpression.parse("0 15 * * * *").next(before)).isEqualTo(before);
            assertThat(Cron.of("15 * * * *").zone(zone.getId()).nextAfter(before.toInstant()))
                    .contains(Instant.parse("2026-04-04T15:45:00Z"));
        }

        @Test
        void a_day_must_fit_both_day_fields_in_spring() {
            var month = new Span(Instant.parse("2026-01-01T00:00:00Z"), Instant.parse("2026-02-14T00:00:00Z"));
            var both = Instant.parse("2026-02-13T12:00:00Z");

            assertThat(spring("0 12 13 * FRI", UTC, month)).containsExactly(both);
            assertThat(ours("0 12 13 * FRI", UTC, month))
                    .hasSize(8)
                    .contains(both, Instant.parse("2026-01-02T12:00:00Z"), Instant.parse("2026-01-13T12:00:00Z"));
        }

        @Test
        void the_weekday_nearest_to_a_last_day_that_is_sunday_is_none_in_spring() {
            var may = new Span(Instant.parse("2026-05-01T00:00:00Z"), Instant.parse("2026-06-01T00:00:00Z"));

            assertThat(spring("0 12 31W * *", UTC, may)).isEmpty();
            assertThat(ours("0 12 31W * *", UTC, may)).containsExactly(Instant.parse("2026-05-29T12:00:00Z"));
        }

        @Test
        void thirty_days_before_the_last_holds_spring_for_ever_in_shorter_months() {
            var january = Instant.parse("2026-01-29T12:00:00Z").atZone(UTC);

            assertThat(CronExpression.parse("0 0 12 L-30 * *").next(january)).isEqualTo(january);
            assertThat(Cron.of("0 12 L-30 * *").nextAfter(january.toInstant()))
                    .contains(Instant.parse("2026-03-01T12:00:00Z"));
        }
    }

    /** From after {@code after} to before {@code to}. */
    private record Span(Instant after, Instant to) {}

    /** The time between the days on which clocks change. */
    private static List<Span> ordinaryDays(ZoneId zone) {
        var spans = new ArrayList<Span>();
        Instant after = FROM;
        ZoneOffsetTransition change = zone.getRules().nextTransition(after);
        while (change != null && change.getInstant().isBefore(TO)) {
            LocalDate day = change.getDateTimeAfter().toLocalDate();
            spans.add(new Span(after, day.minusDays(1).atStartOfDay(zone).toInstant()));
            after = day.plusDays(2).atStartOfDay(zone).toInstant();
            change = zone.getRules().nextTransition(after);
        }
        spans.add(new Span(after, TO));
        return spans;
    }

    private static List<Instant> ours(String expression, ZoneId zone, Span span) {
        var cron = new Cron(dev.longhaul.schedule.CronExpression.parse(expression), zone.getId(), Cron.Dst.SKIP);
        var fires = new ArrayList<Instant>();
        Optional<Instant> next = cron.nextAfter(span.after);
        while (next.isPresent() && next.get().isBefore(span.to)) {
            fires.add(next.get());
            next = cron.nextAfter(next.get());
        }
        return fires;
    }

    private static List<Instant> spring(String expression, ZoneId zone, Span span) {
        boolean five = expression.split(" ").length == 5;
        CronExpression cron = CronExpression.parse(five ? "0 " + expression : expression);
        var fires = new ArrayList<Instant>();
        ZonedDateTime next = cron.next(span.after.atZone(zone));
        while (next != null && next.toInstant().isBefore(span.to)) {
            fires.add(next.toInstant());
            next = cron.next(next);
        }
        return fires;
    }
}
