package dev.longhaul.schedule;

import dev.longhaul.error.Problems;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A parsed cron expression: a set of local times, without a time zone. Five fields, or six with the second first;
 * {@code docs/guides/schedules.md} describes their syntax.
 */
public final class CronExpression {
    /** Between 1901 and 2099, dates and days of the week repeat after this many years. */
    private static final int CALENDAR_CYCLE = 28;

    private static final LocalDate SOME_DAY = LocalDate.of(2000, 1, 1);

    private final String text;
    private final Time time;
    private final Days days;

    CronExpression(String text, Time time, Days days) {
        this.text = text;
        this.time = time;
        this.days = days;
        boolean fires = days.nextFrom(SOME_DAY, SOME_DAY.plusYears(CALENDAR_CYCLE)) != null;
        new Problems()
                .require(fires, "cron", text, "a date that exists; this never fires")
                .throwIfAny();
    }

    /** Parses an expression; rejects one that is malformed or never fires, with all its problems. */
    public static CronExpression parse(String text) {
        return CronParser.parse(text);
    }

    /** A description of the expression, such as {@code At 03:00 every Monday}. */
    public String describe() {
        return CronWords.describe(time, days);
    }

    /** The first matching local time that is not before {@code from}; null when there is none up to {@code limit}. */
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

    /** Whether the hour field begins with a star. Then it means an interval of hours, not times of day. */
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

    /**
     * The times of day of a cron expression, as {@link Bits}.
     *
     * @param everyHour whether the hour field begins with a star
     */
    record Time(long seconds, long minutes, long hours, boolean everyHour) {
        /** The first matching time at or after {@code from}; null if there is none left on that day. */
        @Nullable
        LocalTime nextFrom(LocalTime from) {
            int hour = Bits.next(hours, from.getHour());
            if (hour == from.getHour()) {
                int minute = Bits.next(minutes, from.getMinute());
                if (minute == from.getMinute()) {
                    int second = Bits.next(seconds, from.getSecond());
                    if (second != Bits.NONE) {
                        return LocalTime.of(hour, minute, second);
                    }
                    minute = Bits.next(minutes, minute + 1);
                }
                if (minute != Bits.NONE) {
                    return LocalTime.of(hour, minute, Bits.next(seconds, 0));
                }
                hour = Bits.next(hours, hour + 1);
            }
            return hour == Bits.NONE ? null : LocalTime.of(hour, Bits.next(minutes, 0), Bits.next(seconds, 0));
        }

        LocalTime first() {
            return LocalTime.of(Bits.next(hours, 0), Bits.next(minutes, 0), Bits.next(seconds, 0));
        }
    }

    /**
     * The days of a cron expression.
     *
     * @param either whether a day that matches one of the two day fields is enough: true when neither begins with a
     * star
     */
    record Days(List<DayRule> dates, List<DayRule> weekdays, long months, boolean either) {
        /** The first matching day on or after {@code from}; null if there is none up to {@code limit}. */
        @Nullable
        LocalDate nextFrom(LocalDate from, LocalDate limit) {
            int day = from.getDayOfMonth();
            for (var month = YearMonth.from(from); !month.atDay(1).isAfter(limit); month = month.plusMonths(1)) {
                if (Bits.has(months, month.getMonthValue())) {
                    int found = Bits.next(in(month), day);
                    if (found != Bits.NONE) {
                        return month.atDay(found);
                    }
                }
                day = 1;
            }
            return null;
        }

        private long in(YearMonth month) {
            long byDate = in(month, dates);
            long byWeekday = in(month, weekdays);
            return either ? byDate | byWeekday : byDate & byWeekday;
        }

        private static long in(YearMonth month, List<DayRule> rules) {
            long days = 0;
            for (DayRule rule : rules) {
                days |= rule.in(month);
            }
            return days;
        }
    }

    /** The days of a month that an item of one of the two day fields matches. Days of the week count from Sunday, 0. */
    sealed interface DayRule {
        /** The days of that month, as {@link Bits} 1 to 31. */
        long in(YearMonth month);

        String words();

        /** {@code 1,15}: days by their number, as bits. */
        record Dates(long days) implements DayRule {
            @Override
            public long in(YearMonth month) {
                return days & Bits.range(1, month.lengthOfMonth());
            }

            @Override
            public String words() {
                return "on day " + CronWords.list(days, Integer::toString) + " of the month";
            }
        }

        /** {@code L} and {@code L-3}: the last day, or that many days before it. */
        record BeforeLast(int days) implements DayRule {
            @Override
            public long in(YearMonth month) {
                int day = month.lengthOfMonth() - days;
                return day >= 1 ? Bits.of(day) : 0;
            }

            @Override
            public String words() {
                String last = "the last day of the month";
                return days == 0 ? "on " + last : days + (days == 1 ? " day" : " days") + " before " + last;
            }
        }

        /** {@code LW}: the last day that is neither Saturday nor Sunday. */
        record LastWorkday() implements DayRule {
            @Override
            public long in(YearMonth month) {
                return Bits.of(nearestWorkday(month, month.lengthOfMonth()));
            }

            @Override
            public String words() {
                return "on the last weekday of the month";
            }
        }

        /** {@code 15W}: the day nearest to that one, in the same month, that is neither Saturday nor Sunday. */
        record NearestWorkday(int day) implements DayRule {
            @Override
            public long in(YearMonth month) {
                return day <= month.lengthOfMonth() ? Bits.of(nearestWorkday(month, day)) : 0;
            }

            @Override
            public String words() {
                return "on the weekday nearest to day " + day + " of the month";
            }
        }

        /** {@code 1-5}: days of the week, as bits. */
        record Weekdays(long weekdays) implements DayRule {
            @Override
            public long in(YearMonth month) {
                int first = weekdayOf(month, 1);
                long week = ((weekdays >>> first) | (weekdays << (7 - first))) << 1;
                long days = Bits.range(1, 7) & week;
                return (days | days << 7 | days << 14 | days << 21 | days << 28) & Bits.range(1, month.lengthOfMonth());
            }

            @Override
            public String words() {
                long sundayLast = (weekdays >> 1) | ((weekdays & 1) << 6);
                return "every " + CronWords.list(sundayLast, day -> CronWords.weekday(day + 1));
            }
        }

        /** {@code 5#3}: the third Friday. */
        record NthWeekday(int weekday, int nth) implements DayRule {
            @Override
            public long in(YearMonth month) {
                int first = 1 + Math.floorMod(weekday - weekdayOf(month, 1), 7);
                int day = first + 7 * (nth - 1);
                return day <= month.lengthOfMonth() ? Bits.of(day) : 0;
            }

            @Override
            public String words() {
                return "on the " + CronWords.ordinal(nth) + " " + CronWords.weekday(weekday) + " of the month";
            }
        }

        /** {@code 5L}: the last Friday. */
        record LastWeekday(int weekday) implements DayRule {
            @Override
            public long in(YearMonth month) {
                int last = month.lengthOfMonth();
                return Bits.of(last - Math.floorMod(weekdayOf(month, last) - weekday, 7));
            }

            @Override
            public String words() {
                return "on the last " + CronWords.weekday(weekday) + " of the month";
            }
        }

        private static int weekdayOf(YearMonth month, int day) {
            return month.atDay(day).getDayOfWeek().getValue() % 7;
        }

        private static int nearestWorkday(YearMonth month, int day) {
            DayOfWeek weekday = month.atDay(day).getDayOfWeek();
            if (weekday == DayOfWeek.SATURDAY) {
                return day == 1 ? 3 : day - 1;
            }
            if (weekday == DayOfWeek.SUNDAY) {
                return day == month.lengthOfMonth() ? day - 2 : day + 1;
            }
            return day;
        }
    }
}
