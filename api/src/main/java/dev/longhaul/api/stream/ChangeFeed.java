package dev.longhaul.api.stream;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.spi.JobStore;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The changes of all jobs, for dashboards. Reads each changed job once per poll, however often it has changed since the
 * last poll.
 */
final class ChangeFeed extends JobStreams.Watch {
    /** Maximum number of changed jobs between two polls. If more jobs change, clients get a reset event and reload. */
    private static final int MOST_JOBS = 200;
    /** Maximum jobs read per poll, so that other watches get their turn. */
    private static final int SLICE = 20;

    private final List<ChangeStream> streams = new CopyOnWriteArrayList<>();
    private final Set<String> changed = new LinkedHashSet<>();
    private boolean lost;

    ChangeFeed() {
        super(false);
    }

    List<ChangeStream> streams() {
        return streams;
    }

    /** Adds the subjects of a signal: job ids, or {@code *} for all jobs. */
    synchronized void add(String[] subjects) {
        for (String subject : subjects) {
            if (subject.equals("*") || changed.size() >= MOST_JOBS) {
                lost = true;
            } else {
                changed.add(subject);
            }
        }
    }

    @Override
    boolean poll(JobStore jobs) {
        Batch batch = take();
        if (batch.lost) {
            streams.forEach(ChangeStream::lost);
        }
        try {
            for (String id : batch.ids) {
                Optional<Job> job = find(jobs, id);
                job.ifPresent(one -> streams.forEach(stream -> stream.offer(one)));
            }
        } catch (LonghaulException e) {
            synchronized (this) {
                lost = true;
            }
            throw e;
        } finally {
            streams.forEach(ChangeStream::flush);
        }
        return batch.more;
    }

    private record Batch(List<String> ids, boolean lost, boolean more) {}

    private synchronized Batch take() {
        if (lost) {
            // Clients reload everything after a reset event, so earlier changes are obsolete.
            changed.clear();
            lost = false;
            return new Batch(List.of(), true, false);
        }
        var ids = new ArrayList<String>(SLICE);
        for (var next = changed.iterator(); next.hasNext() && ids.size() < SLICE; ) {
            ids.add(next.next());
            next.remove();
        }
        return new Batch(ids, false, !changed.isEmpty());
    }

    private static Optional<Job> find(JobStore jobs, String id) {
        JobId parsed;
        try {
            parsed = JobId.parse(id);
        } catch (LonghaulException e) {
            // A newer version may have sent this signal. It can be ignored, because signals are only hints.
            return Optional.empty();
        }
        return jobs.find(parsed);
    }
}
