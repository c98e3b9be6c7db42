package dev.longhaul.server.stream;

import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Job;
import java.util.List;

/** One client that follows one job's events. It remembers how far it has come; what it cannot take yet stays in the store. */
public final class EventStream {
    private final Sink sink;
    private final EventQuery wanted;
    private volatile int cursor;
    private volatile boolean full;

    /** Where events go, in whatever form; called by one thread at a time. */
    public interface Sink {
        boolean isOpen();

        /** Queues the event unless there is no room for it; {@link #flush} sends what was queued. */
        boolean offer(JobEvent event);

        void flush();

        /** Ends the stream, the job having ended. */
        void end(Job job);

        /** Ends the stream, this server going away. */
        void drain();

        /** Ends the stream, the job being gone. */
        void close();
    }

    /** @param wanted which events the client wants, and after which position */
    public EventStream(Sink sink, EventQuery wanted) {
        this.sink = sink;
        this.wanted = wanted;
        this.cursor = wanted.after();
    }

    /** The position up to which everything was sent or left out. */
    int cursor() {
        return cursor;
    }

    /** Whether it can take more. */
    boolean ready() {
        return !full && sink.isOpen();
    }

    void hasRoom() {
        full = false;
    }

    /** Sends these events, which follow those it had, as far as there is room; answers how many it is done with. */
    int offer(List<JobEvent> events) {
        int taken = 0;
        for (JobEvent event : events) {
            if (wanted.matches(event) && !send(event)) {
                break;
            }
            cursor = event.position();
            taken++;
        }
        sink.flush();
        return taken;
    }

    private boolean send(JobEvent event) {
        // Set first: once it is refused, room may be told of at any moment.
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
