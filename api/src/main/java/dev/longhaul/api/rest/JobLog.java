package dev.longhaul.api.rest;

import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.event.LogLines;
import dev.longhaul.job.JobId;
import dev.longhaul.json.Json;
import dev.longhaul.spi.Store;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats a job's log lines and the output of its processes as text. */
final class JobLog {
    static final int MOST_LINES = 100_000;
    private static final long MOST_CHARACTERS = 16 << 20;

    private final Store store;
    private final JobId id;

    JobLog(Store store, JobId id) {
        this.store = store;
        this.id = id;
    }

    /**
     * Returns the lines of one run, or of all runs if {@code run} is null.
     *
     * @param tail number of last lines; 0 returns as many as allowed
     */
    String text(@Nullable Integer run, int tail, boolean timestamps) {
        var lines = new LastLines(tail == 0 ? MOST_LINES : tail);
        var writer = new LogLines(line -> lines.add((timestamps ? line.at() + " " : "") + line.text()));
        EventQuery query = EventQuery.of(id).types(EventType.LOG, EventType.OUTPUT);
        for (List<JobEvent> page = store.jobs().events(query);
                !page.isEmpty();
                page = store.jobs().events(query)) {
            for (JobEvent event : page) {
                if (run == null || event.run() == run) {
                    add(event, writer);
                }
            }
            query = query.after(page.get(page.size() - 1).position());
        }
        writer.end();
        return lines.text();
    }

    /** Keeps the last lines that were added, up to a limit. */
    private static final class LastLines {
        private final Deque<String> lines = new ArrayDeque<>();
        private final int most;
        private long characters;

        private LastLines(int most) {
            this.most = most;
        }

        private void add(String line) {
            lines.add(line);
            characters += line.length();
            while (lines.size() > most || (characters > MOST_CHARACTERS && lines.size() > 1)) {
                characters -= lines.removeFirst().length();
            }
        }

        private String text() {
            var text = new StringBuilder();
            lines.forEach(line -> text.append(line).append('\n'));
            return text.toString();
        }
    }

    private static void add(JobEvent event, LogLines lines) {
        String payload = event.payload();
        Map<?, ?> fields = payload == null ? null : Json.read(payload, Map.class);
        if (fields != null) {
            lines.add(event.type(), event.run(), event.at().toString(), fields);
        }
    }
}
