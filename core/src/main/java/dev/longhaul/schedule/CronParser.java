package dev.longhaul.schedule;

import dev.longhaul.error.Problems;
import dev.longhaul.schedule.CronExpression.DayRule;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses one cron expression, and finds all of its problems before it fails. */
final class CronParser {
    private static final int LONGEST = 200;
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    /** A star, a value or a range, with an optional step. */
    private static final Pattern PLAIN = Pattern.compile("(?:(\\*)|(\\w+)(?:-(\\w+))?)(?:/(\\w+))?");

    private static final Pattern BEFORE_LAST = Pattern.compile("L-(\\d{1,2})");
    private static final Pattern NEAREST = Pattern.compile("(\\d{1,2})W");
    private static final Pattern LAST_WEEKDAY = Pattern.compile("(\\w+)L");
    private static final Pattern NTH_WEEKDAY = Pattern.compile("(\\w+)#(\\d+)");
    private static final Map<String, String> NICKNAMES = Map.of(
            "@YEARLY", "0 0 1 1 *",
            "@ANNUALLY", "0 0 1 1 *",
            "@MONTHLY", "0 0 1 * *",
            "@WEEKLY", "0 0 * * 0",
            "@DAILY", "0 0 * * *",
            "@MIDNIGHT", "0 0 * * *",
            "@HOURLY", "0 * * * *");
    private static final String NICKNAMES_EXPECTED =
            "@yearly, @annually, @monthly, @weekly, @daily, @midnight or @hourly";

    private final Problems problems = new Problems();

    private CronParser() {}

    static CronExpression parse(String text) {
        new Problems()
                .require(text.length() <= LONGEST, "cron", text.length() + " characters", "<= " + LONGEST)
                .throwIfAny();
        String trimmed = BLANKS.matcher(text.strip()).replaceAll(" ");
        String upper = trimmed.toUpperCase(Locale.ROOT);
        boolean nickname = upper.startsWith("@");
        String spelledOut = nickname ? NICKNAMES.getOrDefault(upper, "") : upper;
        List<String> fields = List.of(spelledOut.replace('?', '*').split(" "));
        new Problems()
                .require(!nickname || !spelledOut.isEmpty(), "cron", trimmed, NICKNAMES_EXPECTED)
                .require(
                        nickname || fields.size() == 5 || fields.size() == 6,
                        "cron",
                        trimmed,
                        "5 fields: minute, hour, day of month, month, day of week; or 6 with the second first")
                .throwIfAny();
        return new CronParser().read(nickname ? trimmed.toLowerCase(Locale.ROOT) : upper, fields);
    }

    private CronExpression read(String text, List<String> fields) {
        Iterator<String> next = fields.iterator();
        long seconds = values(CronField.SECOND, fields.size() == 6 ? next.next() : "0");
        long minutes = values(CronField.MINUTE, next.next());
        String hour = next.next();
        long hours = values(CronField.HOUR, hour);
        String dayOfMonth = next.next();
        List<DayRule> dates = days(CronField.DAY_OF_MONTH, dayOfMonth);
        long months = values(CronField.MONTH, next.next());
        String dayOfWeek = next.next();
        List<DayRule> weekdays = days(CronField.DAY_OF_WEEK, dayOfWeek);
        problems.throwIfAny();
        var time = new CronExpression.Time(seconds, minutes, hours, star(hour));
        var days = new CronExpression.Days(dates, weekdays, months, !star(dayOfMonth) && !star(dayOfWeek));
        return new CronExpression(text, time, days);
    }

    /**
     * Whether the field begins with a star. In cron, a day that matches only one of the two day fields is enough only
     * if neither field begins with a star.
     */
    private static boolean star(String field) {
        return field.startsWith("*");
    }

    private long values(CronField field, String text) {
        long bits = 0;
        for (String item : text.split(",", -1)) {
            bits |= plain(field, item);
        }
        return bits;
    }

    private List<DayRule> days(CronField field, String text) {
        boolean byDate = field == CronField.DAY_OF_MONTH;
        var rules = new ArrayList<DayRule>();
        long bits = 0;
        for (String item : text.split(",", -1)) {
            DayRule special = byDate ? specialDate(item) : specialWeekday(item);
            if (special != null) {
                rules.add(special);
            } else {
                bits |= plain(field, item);
            }
        }
        if (bits != 0) {
            rules.add(0, byDate ? new DayRule.Dates(bits) : new DayRule.Weekdays(bits));
        }
        return List.copyOf(rules);
    }

    private @Nullable DayRule specialDate(String item) {
        if (item.equals("L")) {
            return new DayRule.BeforeLast(0);
        }
        if (item.equals("LW")) {
            return new DayRule.LastWorkday();
        }
        Matcher beforeLast = BEFORE_LAST.matcher(item);
        if (beforeLast.matches()) {
            int days = CronField.number(beforeLast.group(1));
            require(days >= 1 && days <= 30, CronField.DAY_OF_MONTH, item, "L-1 to L-30");
            return new DayRule.BeforeLast(days);
        }
        Matcher nearest = NEAREST.matcher(item);
        return nearest.matches() ? new DayRule.NearestWorkday(value(CronField.DAY_OF_MONTH, nearest.group(1))) : null;
    }

    private @Nullable DayRule specialWeekday(String item) {
        Matcher last = LAST_WEEKDAY.matcher(item);
        if (last.matches()) {
            return new DayRule.LastWeekday(value(CronField.DAY_OF_WEEK, last.group(1)) % 7);
        }
        Matcher nth = NTH_WEEKDAY.matcher(item);
        if (nth.matches()) {
            int number = CronField.number(nth.group(2));
            require(number >= 1 && number <= 5, CronField.DAY_OF_WEEK, item, "#1 to #5");
            return new DayRule.NthWeekday(value(CronField.DAY_OF_WEEK, nth.group(1)) % 7, number);
        }
        return null;
    }

    private long plain(CronField field, String item) {
        Matcher parts = PLAIN.matcher(item);
        if (!parts.matches()) {
            require(false, field, item.isEmpty() ? "nothing" : item, field.expected);
            return 0;
        }
        String stepText = parts.group(4);
        int step = stepText == null ? 1 : CronField.number(stepText);
        int values = field.last() - field.min + 1;
        if (step < 1 || step > values) {
            require(false, field, item, "a step of 1-" + values);
            return 0;
        }
        if (parts.group(1) != null) {
            return Bits.range(field.min, field.last(), step);
        }
        int first = value(field, parts.group(2));
        String lastText = parts.group(3);
        int last = lastText != null ? value(field, lastText) : stepText != null ? field.max : first;
        return first == CronField.NONE || last == CronField.NONE ? 0 : range(field, parts, first, last, step);
    }

    /**
     * Returns the numbers of a range. In the day-of-week field, Sunday counts as 0 at the start of a range and as 7 at
     * its end.
     */
    private long range(CronField field, Matcher written, int first, int last, int step) {
        int low = first;
        int high = last;
        if (field == CronField.DAY_OF_WEEK && first == 7) {
            low = 0;
            high = written.group(3) == null && written.group(4) != null ? field.last() : last % 7;
        } else if (field == CronField.DAY_OF_WEEK && last == 0 && first > 0) {
            high = 7;
        }
        String split = written.group(2) + "-" + field.last() + "," + field.min + "-" + written.group(3);
        require(low <= high, field, written.group(), "low to high, such as " + split);
        long bits = Bits.range(low, high, step);
        return field == CronField.DAY_OF_WEEK && Bits.has(bits, 7) ? (bits & field.all()) | Bits.of(0) : bits;
    }

    private int value(CronField field, String text) {
        int value = field.value(text);
        require(value != CronField.NONE, field, text, field.expected);
        return value;
    }

    private void require(boolean holds, CronField field, String value, String expected) {
        problems.require(holds, field.title, value, expected);
    }
}
