package dev.longhaul.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Helper methods for tests of isolated jobs. */
final class Isolated {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);
    /** A short pause, because the awaited processes need the processors. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Longhaul longhaul;

    Isolated(Longhaul longhaul) {
        this.longhaul = longhaul;
    }

    Job await(JobId id, Predicate<Job> condition) {
        long end = System.nanoTime() + PATIENCE;
        while (true) {
            Job job = longhaul.store().jobs().find(id).orElseThrow();
            if (condition.test(job)) {
                return job;
            }
            assertThat(System.nanoTime()).as("%s", job).isLessThan(end);
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    Job ended(JobId id) {
        return await(id, job -> job.state().terminal());
    }

    Failure failure(JobId id) {
        return Objects.requireNonNull(ended(id).failure());
    }

    List<JsonNode> payloads(JobId id, EventType type) {
        return events(id, type).stream().map(Isolated::payload).toList();
    }

    private static JsonNode payload(JobEvent event) {
        return Objects.requireNonNull(Json.read(String.valueOf(event.payload()), JsonNode.class));
    }

    String output(JobId id) {
        return payloads(id, EventType.OUTPUT).stream()
                .map(payload -> payload.path("text").asText())
                .collect(Collectors.joining());
    }

    String log(JobId id) {
        return payloads(id, EventType.LOG).stream()
                .map(payload -> payload.path("message").asText())
                .collect(Collectors.joining("\n"));
    }

    /** All events: a page of large ones ends early. */
    private List<JobEvent> events(JobId id, EventType type) {
        var all = new ArrayList<JobEvent>();
        EventQuery query = EventQuery.of(id).types(type);
        for (List<JobEvent> page = longhaul.store().jobs().events(query);
                !page.isEmpty();
                page = longhaul.store()
                        .jobs()
                        .events(query.after(all.get(all.size() - 1).position()))) {
            all.addAll(page);
        }
        return all;
    }
}
