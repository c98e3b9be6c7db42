package dev.longhaul.cli.client.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.cli.client.ResponseText;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Formats schedules. */
final class ScheduleText {
    private static final DateTimeFormatter NEAR = DateTimeFormatter.ofPattern("EEE HH:mm", Locale.ROOT);
    private static final DateTimeFormatter NEAR_TO_THE_SECOND =
            DateTimeFormatter.ofPattern("EEE HH:mm:ss", Locale.ROOT);
    private static final DateTimeFormatter FAR = DateTimeFormatter.ofPattern("EEE uuuu-MM-dd HH:mm", Locale.ROOT);
    private static final Duration A_WEEK = Duration.ofDays(6);

    private ScheduleText() {}

    /** Returns the next fire time, or the reason why there is none. */
    static String next(JsonNode schedule) {
        if (!schedule.path("enabled").asBoolean()) {
            return "paused" + ResponseText.pause(schedule.path("pause"));
        }
        return schedule.hasNonNull("nextRunAt")
                ? ahead(Instant.parse(schedule.get("nextRunAt").asText()), zone(schedule), Instant.now())
                : "none";
    }

    /** Returns the time zone of the schedule; UTC if this Java does not know it. */
    static ZoneId zone(JsonNode schedule) {
        String id = schedule.path("timeZone").asText("UTC");
        return ZoneId.of(ZoneId.getAvailableZoneIds().contains(id) ? id : "UTC");
    }

    /** Formats a fire time, such as {@code in 3 h 12 min (Mon 03:00 Europe/Berlin)}. */
    static String ahead(Instant time, ZoneId zone, Instant now) {
        Duration wait = Duration.between(now, time);
        return (wait.isNegative() ? "due" : "in " + span(wait)) + " (" + local(time, zone, wait) + ")";
    }

    private static String local(Instant time, ZoneId zone, Duration wait) {
        ZonedDateTime local = time.atZone(zone);
        DateTimeFormatter form =
                wait.abs().compareTo(A_WEEK) > 0 ? FAR : local.getSecond() == 0 ? NEAR : NEAR_TO_THE_SECOND;
        return form.format(local) + " " + zone.getId();
    }

    private static String span(Duration span) {
        if (span.toDays() > 0) {
            return span.toDays() + " d" + part(span.toHoursPart(), "h");
        }
        if (span.toHours() > 0) {
            return span.toHours() + " h" + part(span.toMinutesPart(), "min");
        }
        return span.toMinutes() > 0
                ? span.toMinutes() + " min" + part(span.toSecondsPart(), "s")
                : span.toSeconds() + " s";
    }

    private static String part(int count, String unit) {
        return count == 0 ? "" : " " + count + " " + unit;
    }

    /** Describes the fire times, such as {@code At 03:00, Europe/Berlin}. */
    static String when(JsonNode schedule) {
        return schedule.path("description").asText()
                + (schedule.hasNonNull("timeZone")
                                && !schedule.get("timeZone").asText().equals("UTC")
                        ? ", " + schedule.get("timeZone").asText()
                        : "");
    }
}
