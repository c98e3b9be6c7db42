package dev.longhaul.schedule;

import dev.longhaul.schedule.CronExpression.DayRule;
import java.time.DayOfWeek;
import java.time.Month;
import java.time.format.TextStyle;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** Describes fire times in plain English. */
final class CronWords {
    /** The most times of day that are listed individually. */
    private static final int MOST_TIMES = 6;

    private static final List<String> ORDINALS = List.of("first", "second", "third", "fourth", "fifth");

    private CronWords() {}

    static String describe(CronExpression.Time time, CronExpression.Days days) {
        String at = listed(time);
        String on = days(days, !at.isEmpty());
        return (at.isEmpty() ? repeated(time) : at) + on + months(days.months());
    }

    /** {@code Every second}, {@code Every 2 hours}. */
    static String every(long count, String unit) {
        return count == 1 ? "Every " + unit : "Every " + count + " " + unit + "s";
    }

    static String singular(ChronoUnit unit) {
        String plural = unit.toString().toLowerCase(Locale.ROOT);
        return plural.substring(0, plural.length() - 1);
    }

    static String weekday(int weekday) {
        return DayOfWeek.SUNDAY.plus(weekday).getDisplayName(TextStyle.FULL, Locale.ENGLISH);
    }

    static String ordinal(int nth) {
        return ORDINALS.get(nth - 1);
    }

    /** {@code 1, 5 to 9 and 12}. */
    static String list(long bits, IntFunction<String> name) {
        var parts = new ArrayList<String>();
        for (int first = Bits.next(bits, 0); first != Bits.NONE; first = Bits.next(bits, first + 1)) {
            int last = Bits.next(~bits, first) - 1;
            if (last - first >= 2) {
                parts.add(name.apply(first) + " to " + name.apply(last));
                first = last;
            } else {
                parts.add(name.apply(first));
            }
        }
        return join(parts);
    }

    /** {@code At 03:00 and 15:30}; empty when there are too many times to list. */
    private static String listed(CronExpression.Time time) {
        boolean few = Long.bitCount(time.seconds()) == 1
                && Long.bitCount(time.minutes()) * Long.bitCount(time.hours()) <= MOST_TIMES;
        if (!few || time.hours() == CronField.HOUR.all()) {
            return "";
        }
        int second = Bits.next(time.seconds(), 0);
        return "At "
                + join(Bits.members(time.hours())
                        .boxed()
                        .flatMap(hour -> Bits.members(time.minutes()).mapToObj(minute -> clock(hour, minute, second)))
                        .toList());
    }

    private static String repeated(CronExpression.Time time) {
        boolean allHours = time.hours() == CronField.HOUR.all();
        String hours = allHours ? "" : hours(time.hours());
        if (time.seconds() != Bits.of(0)) {
            boolean allMinutes = time.minutes() == CronField.MINUTE.all();
            String minutes = allMinutes ? "" : " of minute " + list(time.minutes(), Integer::toString);
            return repeated(time.seconds(), CronField.SECOND) + minutes + hours;
        }
        if (Long.bitCount(time.minutes()) > 1) {
            boolean evenly = stepOf(time.minutes(), CronField.MINUTE) > 0;
            return repeated(time.minutes(), CronField.MINUTE) + (evenly || !allHours ? hours : " of every hour");
        }
        int step = stepOf(time.hours(), CronField.HOUR);
        return step > 0 && time.minutes() == Bits.of(0)
                ? every(step, "hour")
                : repeated(time.minutes(), CronField.MINUTE) + (allHours ? " of every hour" : hours);
    }

    private static String repeated(long bits, CronField field) {
        int step = stepOf(bits, field);
        return step > 0 ? every(step, field.title) : "At " + field.title + " " + list(bits, Integer::toString);
    }

    /** Returns n if the values are 0, n, 2n, … and n divides the size of the field evenly; otherwise 0. */
    private static int stepOf(long bits, CronField field) {
        int values = field.max + 1;
        int count = Long.bitCount(bits);
        boolean even = count > 1 && bits == Bits.range(0, field.max, values / count);
        return even ? values / count : 0;
    }

    private static String hours(long hours) {
        int first = Bits.next(hours, 0);
        int last = Bits.next(~hours, first) - 1;
        return hours == Bits.range(first, last)
                ? " from " + clock(first, 0, 0) + " to " + clock(last, 59, 0)
                : " in the hours " + list(hours, Integer::toString);
    }

    private static String days(CronExpression.Days days, boolean sayEveryDay) {
        boolean anyDate = days.dates().contains(new DayRule.Dates(CronField.DAY_OF_MONTH.all()));
        boolean anyWeekday = days.weekdays().contains(new DayRule.Weekdays(CronField.DAY_OF_WEEK.all()));
        if ((anyDate && anyWeekday) || (days.either() && (anyDate || anyWeekday))) {
            return sayEveryDay ? " every day" : "";
        }
        String dates = words(days.dates());
        String weekdays = words(days.weekdays());
        if (anyDate || anyWeekday) {
            return " " + (anyDate ? weekdays : dates);
        }
        return " " + (days.either() ? dates + " and " + weekdays : weekdays + ", but only " + dates);
    }

    private static String words(List<DayRule> rules) {
        return rules.stream().map(DayRule::words).collect(Collectors.joining(" and "));
    }

    private static String months(long months) {
        return months == CronField.MONTH.all()
                ? ""
                : " in " + list(months, month -> Month.of(month).getDisplayName(TextStyle.FULL, Locale.ENGLISH));
    }

    private static String clock(int hour, int minute, int second) {
        String clock = String.format(Locale.ROOT, "%02d:%02d", hour, minute);
        return second == 0 ? clock : String.format(Locale.ROOT, "%s:%02d", clock, second);
    }

    private static String join(List<String> parts) {
        int last = parts.size() - 1;
        return last < 1
                ? String.join("", parts)
                : String.join(", ", parts.subList(0, last)) + " and " + parts.get(last);
    }
}
