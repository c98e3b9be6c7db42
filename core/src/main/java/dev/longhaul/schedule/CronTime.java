package dev.longhaul.schedule;

import java.time.LocalTime;
import org.jspecify.annotations.Nullable;

/**
 * The times of day of a cron expression, as {@link Bits}.
 *
 * @param everyHour whether the hour field begins with a star
 */
record CronTime(long seconds, long minutes, long hours, boolean everyHour) {
    /** The first of these times that is not before {@code from}; null when the day has none left. */
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
