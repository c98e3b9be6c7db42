package dev.longhaul.schedule;

import dev.longhaul.error.Problems;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.jspecify.annotations.Nullable;

/**
 * A cron expression that was understood: a set of local times, in no zone yet. Five fields, or six with the second first; what may
 * stand in them is in {@code docs/schedules.md}.
 */
public final class CronExpression {
    /** Between 1901 and 2099, dates and days of the week repeat after so many years. */
    private static final int CALENDAR_CYCLE = 28;

    private static final LocalDate SOME_DAY = LocalDate.of(2000, 1, 1);

    private final String text;
    private final CronTime time;
    private final CronDays days;

    CronExpression(String text, CronTime time, CronDays days) {
        this.text = text;
        this.time = time;
        this.days = days;
        boolean fires = days.nextFrom(SOME_DAY, SOME_DAY.plusYears(CALENDAR_CYCLE)) != null;
        new Problems()
                .require(fires, "cron", text, "a date that exists; this never fires")
                .throwIfAny();
    }

    /** Reads an expression; one that cannot be read, or that never fires, is refused with all its problems. */
    public static CronExpression parse(String text) {
        return CronParser.parse(text);
    }

    /** What the expression means, such as {@code At 03:00 every Monday}. */
    public String describe() {
        return CronWords.describe(time, days);
    }

    /** The first local time that fits and is not before {@code from}; null when no day up to {@code limit} does. */
    @Nullable
    LocalDateTime nextFrom(LocalDateTime from, LocalDate limit) {
        LocalDate day = days.nextFrom(from.toLocalDate(), limit);
        if (day != null && day.equals(from.toLocalDate())) {
            LocalTime left = time.nextFrom(from.toLocalTime());
            if (left != null) {
                return day.atTime(left);
            }
            day = days.nextFrom(day.plusDays(1), limit);
        }
        return day == null ? null : day.atTime(time.first());
    }

    /** Whether the hour field begins with a star: then it counts hours, rather than naming times of day. */
    boolean everyHour() {
        return time.everyHour();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CronExpression that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The expression as it was written, with names in capitals and single blanks. */
    @Override
    public String toString() {
        return text;
    }
}
