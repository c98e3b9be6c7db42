package dev.longhaul.webhook;

import dev.longhaul.event.Payload;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.Schedule;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of an event that is not about one job.
 *
 * @param subject the key of a schedule, the name of a queue, or {@code database}
 * @param details a JSON object
 * @param definitionKey the definition that it is about, for webhooks that subscribe to some definitions only; null if
 * it is about none
 */
public record SystemEvent(
        String subject,
        String details,
        @Nullable String definitionKey,
        @Nullable String queue,
        Map<String, String> labels) {

    public static SystemEvent missed(Schedule schedule, Schedule.Missed missed) {
        JobTemplate job = schedule.spec().job();
        String details = "{\"scheduleKey\":" + Payload.quoted(schedule.key()) + ",\"firstMissedAt\":"
                + Payload.quoted(missed.first().toString()) + ",\"missed\":" + missed.times() + ",\"madeUpFor\":"
                + missed.madeUpFor() + "}";
        return new SystemEvent(schedule.key(), details, job.definition().key(), job.queue(), job.labels());
    }

    public static SystemEvent stalled(String queue, Duration oldestDue) {
        String details = "{\"queue\":" + Payload.quoted(queue) + ",\"oldestDueSeconds\":" + oldestDue.toSeconds() + "}";
        return new SystemEvent(queue, details, null, queue, Map.of());
    }

    /** @param lost jobs that the reporting process had acknowledged and that are missing */
    public static SystemEvent failover(int from, int to, long lost) {
        String details = "{\"previousTimeline\":" + from + ",\"timeline\":" + to + ",\"lostJobs\":" + lost + "}";
        return new SystemEvent("database", details, null, null, Map.of());
    }
}
