package dev.longhaul.schedule;

import dev.longhaul.schedule.Timing.Cron;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * A slow and simple reference for the fire times of a cron expression: walks the local time line minute by minute,
 * checks every minute against the expression, and converts it with the zone's rules. Shares no code with the parser or
 * the search that it checks, and does not know when clocks change. Accepts well-formed expressions only.
 */
final class CronWalk {
    private final String[] fields;
    private final boolean[] seconds;
    private final boolean[] minutes;
    private final boolean[] hours;

    CronWalk(String expression) {
        String digits = expression.replace('?', '*');
        String[] months = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
        for (int i = 0; i < months.length; i++) {
            digits = digits.replace(months[i], Integer.toString(i + 1));
        }
        String[] weekdays = "SUN MON TUE WED THU FRI SAT".split(" ");
        for (int i = 0; i < weekdays.length; i++) {
            digits = digits.replace(weekdays[i], Integer.toString(i));
        }
        fields = (digits.split(" ").length == 5 ? "0 " + digits : digits).split(" ");
        seconds = fitting(fields[0], 60);
        minutes = fitting(fields[1], 60);
        hours = fitting(fields[2], 24);
    }

    /** The local times from {@code from} to before {@code to} that match the expression. */
    List<LocalDateTime> localTimes(LocalDateTime from, LocalDateTime to) {
        var times = new ArrayList<LocalDateTime>();
        for (LocalDate date = from.toLocalDate(); !date.isAfter(to.toLocalDate()); date = date.plusDays(1)) {
            if (!fits(date)) {
                continue;
            }
            for (int minute = 0; minute < 24 * 60; minute++) {
                if (hours[minute / 60] && minutes[minute % 60]) {
                    LocalDateTime time = date.atTime(minute / 60, minute % 60);
                    IntStream.range(0, 60)
                            .filter(second -> seconds[second])
                            .mapToObj(time::withSecond)
                            .filter(each -> !each.isBefore(from) && each.isBefore(to))
                            .forEach(times::add);
                }
            }
        }
        return times;
    }

    /** The instants at which these local times fire. */
    NavigableSet<Instant> fires(List<LocalDateTime> localTimes, ZoneId zone, Cron.Dst dst) {
        var fires = new TreeSet<Instant>();
        for (LocalDateTime time : localTimes) {
            List<ZoneOffset> offsets = zone.getRules().getValidOffsets(time);
            if (offsets.isEmpty() && dst == Cron.Dst.RUN) {
                fires.add(firstValidFrom(time, zone));
            } else if (!offsets.isEmpty()) {
                fires.add(time.toInstant(offsets.get(0)));
            }
            if (offsets.size() == 2 && fields[2].startsWith("*")) {
                fires.add(time.toInstant(offsets.get(1)));
            }
        }
        return fires;
    }

    private static Instant firstValidFrom(LocalDateTime missing, ZoneId zone) {
        LocalDateTime time = missing.withSecond(0);
        while (zone.getRules().getValidOffsets(time).isEmpty()) {
            time = time.plusMinutes(1);
        }
        return time.toInstant(zone.getRules().getValidOffsets(time).get(0));
    }

    private boolean fits(LocalDate date) {
        boolean byDate = false;
        for (String item : fields[3].split(",")) {
            byDate |= dateFits(item, date);
        }
        boolean byWeekday = false;
        for (String item : fields[5].split(",")) {
            byWeekday |= weekdayFits(item, date);
        }
        boolean bothRestricted = !fields[3].startsWith("*") && !fields[5].startsWith("*");
        boolean dayFits = bothRestricted ? byDate || byWeekday : byDate && byWeekday;
        return dayFits && anyFits(fields[4], date.getMonthValue(), 1, 12);
    }

    private static boolean dateFits(String item, LocalDate date) {
        int last = date.lengthOfMonth();
        int day = date.getDayOfMonth();
        if (item.equals("L")) {
            return day == last;
        }
        if (item.equals("LW")) {
            LocalDate candidate = date.withDayOfMonth(last);
            while (weekend(candidate)) {
                candidate = candidate.minusDays(1);
            }
            return date.equals(candidate);
        }
        if (item.startsWith("L-")) {
            return day == last - Integer.parseInt(item.substring(2));
        }
        if (item.endsWith("W")) {
            return date.equals(nearestWorkday(date, Integer.parseInt(item.substring(0, item.length() - 1))));
        }
        return itemFits(item, day, 1, 31);
    }

    /** Searches in both directions from the day, without leaving its month. */
    private static LocalDate nearestWorkday(LocalDate month, int day) {
        if (day > month.lengthOfMonth()) {
            return LocalDate.MIN;
        }
        LocalDate wanted = month.withDayOfMonth(day);
        for (int distance = 0; distance <= 2; distance++) {
            for (LocalDate candidate : List.of(wanted.minusDays(distance), wanted.plusDays(distance))) {
                if (!weekend(candidate) && candidate.getMonthValue() == month.getMonthValue()) {
                    return candidate;
                }
            }
        }
        throw new AssertionError("No three days in a row are weekend");
    }

    private static boolean weekdayFits(String item, LocalDate date) {
        int weekday = date.getDayOfWeek().getValue();
        if (item.endsWith("L")) {
            return date.equals(date.with(TemporalAdjusters.lastInMonth(named(item.substring(0, item.length() - 1)))));
        }
        if (item.contains("#")) {
            String[] parts = item.split("#");
            LocalDate nth = date.with(TemporalAdjusters.dayOfWeekInMonth(Integer.parseInt(parts[1]), named(parts[0])));
            return date.equals(nth);
        }
        return itemFits(item, weekday, 0, 7) || (weekday == 7 && itemFits(item, 0, 0, 7));
    }

    private static DayOfWeek named(String number) {
        return number.equals("0") ? DayOfWeek.SUNDAY : DayOfWeek.of(Integer.parseInt(number));
    }

    private static boolean weekend(LocalDate date) {
        return date.getDayOfWeek().getValue() >= 6;
    }

    private static boolean[] fitting(String field, int values) {
        var fitting = new boolean[values];
        for (int value = 0; value < values; value++) {
            fitting[value] = anyFits(field, value, 0, values - 1);
        }
        return fitting;
    }

    private static boolean anyFits(String field, int value, int min, int max) {
        for (String item : field.split(",")) {
            if (itemFits(item, value, min, max)) {
                return true;
            }
        }
        return false;
    }

    private static boolean itemFits(String item, int value, int min, int max) {
        String[] step = item.split("/");
        String[] range = step[0].equals("*") ? new String[] {min + "", max + ""} : step[0].split("-");
        int low = Integer.parseInt(range[0]);
        int high = range.length == 2 ? Integer.parseInt(range[1]) : step.length == 2 ? max : low;
        int by = step.length == 2 ? Integer.parseInt(step[1]) : 1;
        return value >= low && value <= high && (value - low) % by == 0;
    }
}
