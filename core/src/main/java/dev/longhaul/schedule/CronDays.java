package dev.longhaul.schedule;

import java.time.LocalDate;
import java.time.YearMonth;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The days of a cron expression.
 *
 * @param either whether a day that fits one of the two day fields is enough: so it is when neither begins with a star
 */
record CronDays(List<DayRule> dates, List<DayRule> weekdays, long months, boolean either) {
    /** The first of these days that is not before {@code from}; null when there is none up to {@code limit}. */
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
