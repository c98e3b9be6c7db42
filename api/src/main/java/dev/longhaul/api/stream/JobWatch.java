package dev.longhaul.api.stream;

import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.PageBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The open streams and long polls of one job. */
final class JobWatch extends JobStreams.Watch {
    private static final int LARGEST_PAGE = 500;
    private static final int SMALLEST_PAGE = 8;
    /**
     * Number of polls between two reads of the job itself. Events show the end of the job, but not to streams that
     * start after it.
     */
    private static final int POLLS_PER_CHECK = 20;

    private final JobId id;
    private final List<EventStream> streams = new CopyOnWriteArrayList<>();
    private final List<CompletableFuture<Optional<Job>>> waiting = new CopyOnWriteArrayList<>();
    /** The job once it was read in a terminal state; null before that. Used only by the poller's thread. */
    private @Nullable Job ended;

    private boolean gone;
    private final AtomicBoolean unsure = new AtomicBoolean(true);
    private int untilCheck;
    private int page = LARGEST_PAGE;

    JobWatch(JobId id) {
        super(true);
        this.id = id;
    }

    JobId id() {
        return id;
    }

    List<EventStream> streams() {
        return streams;
    }

    /**
     * Returns the long polls. Each is completed with the ended job, or with empty, which makes its request read the
     * job.
     */
    List<CompletableFuture<Optional<Job>>> waiting() {
        return waiting;
    }

    /** Call before adding a stream: a cached terminal state may be stale, because the job may have been retried. */
    void joining() {
        unsure.set(true);
    }

    boolean idle() {
        return streams.isEmpty() && waiting.isEmpty();
    }

    @Override
    boolean poll(JobStore jobs) {
        if (unsure.get() || !waiting.isEmpty() || untilCheck-- <= 0) {
            check(jobs);
        }
        boolean more = false;
        // Streams that are up to date share one read. They come first, so that a long replay does not delay them.
        for (var group : byCursor().descendingMap().entrySet()) {
            more |= read(jobs, group.getKey(), group.getValue());
        }
        return more;
    }

    private void check(JobStore jobs) {
        // Reset before the read: a stream that is added during the read, or a failed read, requires another one.
        unsure.set(false);
        untilCheck = 0;
        Optional<Job> job = jobs.find(id);
        untilCheck = POLLS_PER_CHECK;
        gone = job.isEmpty();
        ended = job.filter(one -> one.state().terminal()).orElse(null);
        if (gone || ended != null) {
            waiting.forEach(one -> one.complete(job));
        }
    }

    private NavigableMap<Integer, List<EventStream>> byCursor() {
        var groups = new TreeMap<Integer, List<EventStream>>();
        for (EventStream stream : streams) {
            if (stream.ready()) {
                groups.computeIfAbsent(stream.cursor(), cursor -> new ArrayList<>())
                        .add(stream);
            }
        }
        return groups;
    }

    private boolean read(JobStore jobs, int after, List<EventStream> readers) {
        int limit = page;
        EventQuery query = EventQuery.of(id).after(after).limit(limit);
        List<JobEvent> events = jobs.events(query);
        boolean all = !PageBytes.mayHaveMore(query, events);
        // A retry reverts the end of a job, so the job is read again before its streams are ended.
        boolean turned = events.stream().map(JobEvent::type).anyMatch(JobWatch::turns);
        Job over = turned ? null : ended;
        if (turned) {
            unsure.set(true);
        }
        boolean more = turned || !all;
        for (EventStream reader : readers) {
            int taken = reader.offer(events);
            if (taken < events.size()) {
                // Events that did not fit must be read again, so the next page is smaller.
                page = Math.max(SMALLEST_PAGE, Math.min(page, 2 * taken));
            } else if (all && gone) {
                reader.close();
            } else if (all && over != null) {
                reader.end(over);
            }
        }
        if (readers.stream().allMatch(EventStream::ready)) {
            page = Math.min(LARGEST_PAGE, 2 * page);
        }
        return more && readers.stream().anyMatch(EventStream::ready);
    }

    private static boolean turns(EventType type) {
        return switch (type) {
            case SUCCEEDED, FAILED, CANCELLED, RETRIED -> true;
            default -> false;
        };
    }
}
