package dev.longhaul.server.stream;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.spi.Store;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** All jobs, for those who want to know which ones change. Each that was told of is read once, however often it changed. */
final class HintWatch extends Looker.Watch {
    /** When more jobs than these change within a second, clients are better off reading what they show anew. */
    private static final int MOST_JOBS = 200;
    /** Read in one go, so that others get their turn. */
    private static final int SLICE = 20;

    private final List<HintStream> streams = new CopyOnWriteArrayList<>();
    private final Set<String> changed = new LinkedHashSet<>();
    private boolean lost;

    HintWatch() {
        super(false);
    }

    List<HintStream> streams() {
        return streams;
    }

    /** Takes in what a signal says: job ids, or {@code *}. */
    synchronized void tell(String[] subjects) {
        for (String subject : subjects) {
            if (subject.equals("*") || changed.size() >= MOST_JOBS) {
                lost = true;
            } else {
                changed.add(subject);
            }
        }
    }

    @Override
    boolean look(Store store) {
        Batch batch = take();
        if (batch.lost) {
            streams.forEach(HintStream::lost);
        }
        try {
            for (String id : batch.ids) {
                Optional<Job> job = find(store, id);
                job.ifPresent(one -> streams.forEach(stream -> stream.offer(one)));
            }
        } catch (LonghaulException e) {
            synchronized (this) {
                lost = true;
            }
            throw e;
        } finally {
            streams.forEach(HintStream::flush);
        }
        return batch.more;
    }

    private record Batch(List<String> ids, boolean lost, boolean more) {}

    private synchronized Batch take() {
        if (lost) {
            // Whoever reads everything anew needs no hints about what was before.
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

    private static Optional<Job> find(Store store, String id) {
        JobId parsed;
        try {
            parsed = JobId.parse(id);
        } catch (LonghaulException e) {
            // A signal of a later version, perhaps; hints are only hints.
            return Optional.empty();
        }
        return store.jobs().find(parsed);
    }
}
