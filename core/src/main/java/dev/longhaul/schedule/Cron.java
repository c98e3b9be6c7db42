package dev.longhaul.schedule;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;
import java.util.Set;

/**
 * The fire times of a cron expression in a time zone. Where clocks are put forward, the local times that are left out fire once
 * and together, at the instant of the change, or not at all ({@link Dst}). Where clocks are put back, a time that comes twice
 * fires the first time only, unless the hour field begins with a star: then it fires both times.
 *
 * @param zone of the IANA time zone database. Where another process with a newer Java has stored it, this one may not know it: it can
 *     show such a schedule, but not say when it fires.
 */
public record Cron(CronExpression expression, String zone, Dst dst) implements Timing {
    static final int LONGEST_WAIT_YEARS = 5;

    private static final Set<String> ZONES = ZoneId.getAvailableZoneIds();

    /** What becomes of the local times that a change of the clocks leaves out. */
    public enum Dst {
        RUN,
        SKIP
    }

    public static Cron of(String expression) {
        return new Cron(CronExpression.parse(expression), "UTC", Dst.RUN);
    }

    /** The same in another zone of the IANA time zone database, such as {@code Europe/Berlin}. */
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
     * {@inheritDoc} Looks 5 years ahead.
     *
     * <p>Goes from one change of the clocks to the next. Between two of them the offset is fixed, so the expression can be asked
     * for local times.
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
                // Where clocks were put back, and this time has been before: on to where new times begin.
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
                    ErrorCode.FAILED_PRECONDITION, "the Java of this process does not know the time zone " + zone);
        }
        return ZoneId.of(zone).getRules();
    }

    @Override
    public String describe() {
        return expression.describe();
    }
}
