package dev.longhaul.api.stream;

import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Job;
import java.util.List;

/**
 * One client that follows the events of one job. The stream keeps its position; events that do not fit into the buffer
 * yet stay in the store.
 */
public final class EventStream {
    private final Sink sink;
    private final EventQuery query;
    private volatile int cursor;
    private volatile boolean full;

    /** Writes events to the client in its protocol; called by one thread at a time. */
    public interface Sink {
        boolean isOpen();

        /** Queues the event and returns true, or returns false if the buffer is full. {@link #flush} sends queued events. */
        boolean offer(JobEvent event);

        void flush();

        /** Ends the stream because the job has ended. */
        void end(Job job);

        /** Ends the stream because this server is shutting down. */
        void drain();

        /** Ends the stream because the job was deleted. */
        void close();
    }

    /** @param query the requested events, and the position after which to start */
    public EventStream(Sink sink, EventQuery query) {
        this.sink = sink;
        this.query = query;
        this.cursor = query.after();
    }

    /** Returns the position of the last event that was sent or filtered out. */
    int cursor() {
        return cursor;
    }

    /** Returns whether the stream is open and has room for more events. */
    boolean ready() {
        return !full && sink.isOpen();
    }

    void hasRoom() {
        full = false;
    }

    /** Sends the next events while there is room; returns how many were sent or filtered out. */
    int offer(List<JobEvent> events) {
        int taken = 0;
        for (JobEvent event : events) {
            if (query.matches(event) && !send(event)) {
                break;
            }
            cursor = event.position();
            taken++;
        }
        sink.flush();
        return taken;
    }

    private boolean send(JobEvent event) {
        // Set before the offer, because hasRoom may be called at any time after the event was rejected.
        full = true;
        boolean sent = sink.offer(event);
        if (sent) {
            full = false;
        }
        return sent;
    }

    void end(Job job) {
        sink.end(job);
    }

    void drain() {
        sink.drain();
    }

    void close() {
        sink.close();
    }
}
