package dev.longhaul.schedule;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The fire times of a schedule, before its start, end and maximum number of runs are applied. */
public sealed interface Timing {
    /** The first fire time after {@code after}; empty when there is none, or none within the search range. */
    Optional<Instant> nextAfter(Instant after);

    /** Whether this process can compute the fire times. */
    default boolean known() {
        return true;
    }

    /** A description, such as {@code At 03:00 every Monday}; times that depend on a zone are in that zone. */
    String describe();

    /** Fires by a cron expression, in UTC unless another zone is given. */
    static Cron cron(String expression) {
        return Cron.of(expression);
    }

    /** Fires every {@code period}, counted from {@code anchor}. */
    static Every every(Duration period, Instant anchor) {
        return new Every(period, anchor);
    }

    /** Fires at these instants. */
    static At at(Instant... instants) {
        return new At(List.of(instants));
    }

    /**
     * The fire times of a cron expression in a time zone. Where clocks are put forward, all skipped local times
     * together fire once, at the instant of the change, or not at all ({@link Dst}). Where clocks are put back, a
     * repeated local time fires the first time only, unless the hour field begins with a star: then it fires both
     * times.
     *
     * @param zone of the IANA time zone database. It may be unknown to this process if a process with a newer Java
     * stored it: this process can then show the schedule, but not compute its fire times.
     */
    record Cron(CronExpression expression, String zone, Dst dst) implements Timing {
        static final int LONGEST_WAIT_YEARS = 5;

        private static final Set<String> ZONES = ZoneId.getAvailableZoneIds();

        /** The treatment of local times that do not exist because clocks are put forward. */
        public enum Dst {
            RUN,
            SKIP
        }

        public static Cron of(String expression) {
            return new Cron(CronExpression.parse(expression), "UTC", Dst.RUN);
        }

        /** Returns this timing in another zone of the IANA time zone database, such as {@code Europe/Berlin}. */
        public Cron zone(String id) {
            new Problems()
                    .require(ZONES.contains(id), "timeZone", id, "an IANA time zone, such as Europe/Berlin")
                    .throwIfAny();
            return new Cron(expression, id, dst);
        }

        public Cron dst(Dst dst) {
            return new Cron(expression, zone, dst);
        }

        /**
         * {@inheritDoc} Searches 5 years ahead.
         *
         * <p>Goes from one change of the clocks to the next. Between two of them the offset is fixed, so the
         * expression can be evaluated in local time.
         */
        @Override
        public Optional<Instant> nextAfter(Instant after) {
            ZoneRules rules = rules();
            ZoneOffset offset = rules.getOffset(after);
            ZoneOffsetTransition change = rules.nextTransition(after);
            Instant from = after.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
            LocalDate limit = LocalDate.ofInstant(after, offset).plusYears(LONGEST_WAIT_YEARS);
            while (true) {
                LocalDateTime match = expression.nextFrom(LocalDateTime.ofInstant(from, offset), limit);
                if (match == null) {
                    return Optional.empty();
                }
                Instant instant = match.toInstant(offset);
                if (change == null || instant.isBefore(change.getInstant())) {
                    ZoneOffsetTransition around = expression.everyHour() ? null : rules.getTransition(match);
                    if (around == null || offset.equals(around.getOffsetBefore())) {
                        return Optional.of(instant);
                    }
                    // Clocks were put back, and this local time has already occurred: skip to the end of the repeated
                    // times.
                    from = around.getDateTimeBefore().toInstant(offset);
                } else if (change.isGap() && dst == Dst.RUN && match.isBefore(change.getDateTimeAfter())) {
                    return Optional.of(change.getInstant());
                } else {
                    from = change.getInstant();
                    offset = change.getOffsetAfter();
                    change = rules.nextTransition(from);
                }
            }
        }

        @Override
        public boolean known() {
            return ZONES.contains(zone);
        }

        private ZoneRules rules() {
            if (!known()) {
                throw new LonghaulException(
                        ErrorCode.FAILED_PRECONDITION, "this process's Java does not know the time zone " + zone);
            }
            return ZoneId.of(zone).getRules();
        }

        @Override
        public String describe() {
            return expression.describe();
        }
    }

    /**
     * Fires whenever a whole number of periods has elapsed since the anchor, which is the first fire time. Elapsed
     * time: a day is always 24 hours.
     */
    record Every(Duration period, Instant anchor) implements Timing {
        private static final Duration SHORTEST = Duration.ofSeconds(1);
        private static final Duration LONGEST = Duration.ofDays(366);

        public Every {
            boolean fits =
                    period.compareTo(SHORTEST) >= 0 && period.compareTo(LONGEST) <= 0 && period.toNanosPart() == 0;
            new Problems()
                    .require(fits, "everySeconds", seconds(period), "1 to " + LONGEST.toSeconds())
                    .require(Timetable.sane(anchor), "startAt", anchor, Timetable.SANE)
                    .throwIfAny();
            anchor = storable(anchor);
        }

        @Override
        public Optional<Instant> nextAfter(Instant after) {
            if (after.isBefore(anchor)) {
                return Optional.of(anchor);
            }
            long periods = Duration.between(anchor, after).toSeconds() / period.toSeconds();
            return Optional.of(anchor.plusSeconds((periods + 1) * period.toSeconds()));
        }

        @Override
        public String describe() {
            long seconds = period.toSeconds();
            for (ChronoUnit unit : List.of(ChronoUnit.WEEKS, ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES)) {
                long size = unit.getDuration().toSeconds();
                if (seconds % size == 0) {
                    return CronWords.every(seconds / size, CronWords.singular(unit));
                }
            }
            return CronWords.every(seconds, "second");
        }

        private static String seconds(Duration period) {
            return period.toNanosPart() == 0 ? Long.toString(period.toSeconds()) : period.toString();
        }
    }

    /** Fires at one or more instants, kept in order and without repetition. */
    record At(List<Instant> instants) implements Timing {
        private static final int MOST = 1000;

        public At {
            instants =
                    instants.stream().map(Timing::storable).sorted().distinct().toList();
            int count = instants.size();
            var problems = new Problems().require(count >= 1 && count <= MOST, "at", count + " times", "1 to " + MOST);
            instants.stream()
                    .filter(instant -> !Timetable.sane(instant))
                    .findFirst()
                    .ifPresent(odd -> problems.require(false, "at", odd, Timetable.SANE));
            problems.throwIfAny();
        }

        @Override
        public Optional<Instant> nextAfter(Instant after) {
            int found = Collections.binarySearch(instants, after);
            int next = found >= 0 ? found + 1 : -found - 1;
            return next < instants.size() ? Optional.of(instants.get(next)) : Optional.empty();
        }

        @Override
        public String describe() {
            Instant first = instants.get(0);
            return instants.size() == 1
                    ? "Once at " + first
                    : instants.size() + " times from " + first + " to " + instants.get(instants.size() - 1);
        }
    }

    /** Fire times are keys, so they are truncated to the precision of stores: microseconds. */
    private static Instant storable(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MICROS);
    }
}
