package dev.longhaul.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.schedule.Timing.Cron;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * 40 expressions in 12 zones over every change of the clocks from 2024 to 2035, against a walk over the local time
 * line.
 */
class CronWalkTest {
    private static final LocalDateTime FROM = LocalDateTime.parse("2024-01-01T12:00:00");
    private static final LocalDateTime TO = LocalDateTime.parse("2036-01-01T12:00:00");
    private static final AtomicInteger COMPARED = new AtomicInteger();

    static final List<String> ZONES = List.of(
            "Africa/Cairo", // gap and repetition at midnight
            "Africa/Casablanca", // back for Ramadan, at other dates every year
            "America/Havana", // gap at midnight, repetition after it
            "America/New_York",
            "America/Santiago", // gap after midnight, repetition before it
            "Antarctica/Troll", // two hours
            "Asia/Beirut", // gap after midnight, repetition before it
            "Asia/Kathmandu", // no changes, an odd offset
            "Australia/Lord_Howe", // half an hour
            "Europe/Berlin",
            "Europe/Dublin", // winter time is the exception
            "Pacific/Chatham"); // changes at a quarter to

    /** Once a day or less: walked around the changes, and through all twelve years. */
    static final List<String> RARE = List.of(
            "0 0 * * *",
            "30 0 * * *",
            "0 1 * * *",
            "30 1 * * *",
            "45 1 * * *",
            "0 2 * * *",
            "15 2 * * *",
            "30 2 * * SUN",
            "0 3 * * *",
            "30 3 * * 0",
            "30 23 * * SAT",
            "59 23 L * *",
            "15 0 * * FRI",
            "30 2 29 3 *",
            "0 0 8-14 3 7",
            "30 2 */2 * SUN",
            "0 0 29 2 *",
            "30 2 * * 7L",
            "30 1 * * 0#1",
            "0 2 LW * *",
            "30 2 L-3 MAR,OCT *",
            "45 2 25W * *",
            "0 4 1W,31W * ?",
            "10 2 * * SUN#2,SUNL",
            "15 30 2 * * *");

    /** More often: walked around the changes, and through a week of ordinary days. */
    static final List<String> FREQUENT = List.of(
            "* * * * *",
            "*/15 * * * *",
            "0 * * * *",
            "30 * * * *",
            "5,50 * * * *",
            "* 2 * * *",
            "*/20 0-3 * * *",
            "0 0-23 * * *",
            "30 */2 * * *",
            "20/20 1,2,3 * * *",
            "0 1,23 * * *",
            "30 23,0 * * *",
            "*/5 2 * * SUN",
            "*/30 */20 * * * *",
            "0,59 59 * * * *");

    @ParameterizedTest
    @FieldSource({"RARE", "FREQUENT"})
    void all_agree_around_every_change(String expression) {
        var walk = new CronWalk(expression);
        for (String zone : ZONES) {
            Cron run = Cron.of(expression).zone(zone);
            Cron skip = run.dst(Cron.Dst.SKIP);
            for (LocalDateTime change : changes(ZoneId.of(run.zone()))) {
                LocalDateTime from = change.minusHours(8);
                LocalDateTime to = change.plusHours(8);
                List<LocalDateTime> times = walk.localTimes(from, to);
                compare(run, from, to, walk.fires(times, ZoneId.of(run.zone()), run.dst()));
                compare(skip, from, to, walk.fires(times, ZoneId.of(skip.zone()), skip.dst()));
            }
        }
    }

    @ParameterizedTest
    @FieldSource("RARE")
    void rare_expressions_agree_on_all_days(String expression) {
        agreeInAllZones(expression, FROM, TO);
    }

    @ParameterizedTest
    @FieldSource("FREQUENT")
    void frequent_expressions_agree_on_ordinary_days(String expression) {
        agreeInAllZones(
                expression, LocalDateTime.parse("2028-02-26T12:00:00"), LocalDateTime.parse("2028-03-03T12:00:00"));
    }

    @Test
    void there_is_something_to_compare() {
        assertThat(RARE.size() + FREQUENT.size()).isEqualTo(40);
        assertThat(ZONES).hasSize(12);
        // Eleven zones, twelve years, twice a year; a failure means that this Java has different zone rules.
        assertThat(ZONES.stream()
                        .mapToInt(zone -> changes(ZoneId.of(zone)).size())
                        .sum())
                .isGreaterThanOrEqualTo(11 * 12 * 2);
    }

    @AfterAll
    static void fires_were_compared() {
        assertThat(COMPARED.get()).isGreaterThan(1_000_000);
    }

    private static void agreeInAllZones(String expression, LocalDateTime from, LocalDateTime to) {
        var walk = new CronWalk(expression);
        List<LocalDateTime> times = walk.localTimes(from, to);
        for (String zone : ZONES) {
            Cron cron = Cron.of(expression).zone(zone);
            compare(cron, from, to, walk.fires(times, ZoneId.of(cron.zone()), cron.dst()));
        }
    }

    private static void compare(Cron cron, LocalDateTime from, LocalDateTime to, Set<Instant> expected) {
        Instant end = to.atZone(ZoneId.of(cron.zone())).toInstant();
        var found = new ArrayList<Instant>();
        Optional<Instant> next =
                cron.nextAfter(from.atZone(ZoneId.of(cron.zone())).toInstant().minusNanos(1));
        while (next.isPresent() && next.get().isBefore(end)) {
            found.add(next.get());
            next = cron.nextAfter(next.get());
        }
        if (!found.equals(List.copyOf(expected))) { // AssertJ compares well, but slowly.
            assertThat(found).as(cron.toString()).containsExactlyElementsOf(expected);
        }
        COMPARED.addAndGet(expected.size());
    }

    /** The local times before clock changes. */
    private static List<LocalDateTime> changes(ZoneId zone) {
        var changes = new ArrayList<LocalDateTime>();
        Instant end = TO.atZone(zone).toInstant();
        ZoneOffsetTransition change =
                zone.getRules().nextTransition(FROM.atZone(zone).toInstant());
        while (change != null && change.getInstant().isBefore(end)) {
            changes.add(change.getDateTimeBefore());
            change = zone.getRules().nextTransition(change.getInstant());
        }
        return changes;
    }
}
