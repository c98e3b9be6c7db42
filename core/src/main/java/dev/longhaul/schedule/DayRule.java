package dev.longhaul.schedule;

import java.time.DayOfWeek;
import java.time.YearMonth;

/** Which days of a month an item of one of the two day fields means. Days of the week count from Sunday, 0. */
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

    /** {@code L} and {@code L-3}: the last day, or so many days before it. */
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
