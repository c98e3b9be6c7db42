package dev.longhaul.server;

import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Job;
import java.util.List;
import java.util.Set;

/** One client that follows one job's events. It remembers how far it has come; what it cannot take yet stays in the store. */
final class EventStream {
    private final SseWriter sse;
    private final JobJson json;
    private final JobJson.View view;
    private final Set<EventType> types;
    private volatile int cursor;
    private volatile boolean full;

    /**
     * @param after the position of the last event that the client has
     * @param types which events it wants; none means all
     */
    EventStream(SseWriter sse, JobJson json, JobJson.View view, int after, Set<EventType> types) {
        this.sse = sse;
        this.json = json;
        this.view = view;
        this.cursor = after;
        this.types = types;
    }

    /** The position up to which everything was sent or left out. */
    int cursor() {
        return cursor;
    }

    /** Whether it can take more. */
    boolean ready() {
        return !full && sse.isOpen();
    }

    void hasRoom() {
        full = false;
    }

    /** Sends these events, which follow those it had, as far as there is room; answers how many it is done with. */
    int offer(List<JobEvent> events) {
        int taken = 0;
        for (JobEvent event : events) {
            if (wanted(event) && !send(event)) {
                break;
            }
            cursor = event.position();
            taken++;
        }
        sse.flush();
        return taken;
    }

    private boolean wanted(JobEvent event) {
        return types.isEmpty() || types.contains(event.type());
    }

    private boolean send(JobEvent event) {
        String text = Answer.json(out -> json.write(out, event, view));
        // Set first: once it is refused, room may be told of at any moment.
        full = true;
        boolean sent = sse.offer(event.position(), event.type().wireName(), text);
        if (sent) {
            full = false;
        }
        return sent;
    }

    void end(Job job) {
        sse.end(
                "end",
                Answer.json(
                        out -> out.object(() -> out.text("status", job.status().wireName()))));
    }

    void drain() {
        sse.drain();
    }

    void close() {
        sse.close();
    }
}
