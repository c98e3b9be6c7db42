package dev.longhaul.postgres.faults;

import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Run;
import dev.longhaul.spi.Store;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything known at the end of a test.
 *
 * @param asked the submitted jobs, as acknowledged
 * @param limits the concurrency limits of definitions
 * @param entries the ledgers of all writers; each writer's entries in order
 * @param stored the stored jobs at the end
 */
record History(List<JobSpec> asked, Map<String, Integer> limits, List<Entry> entries, Map<JobId, Stored> stored) {
    History {
        asked = List.copyOf(asked);
        limits = Map.copyOf(limits);
        entries = List.copyOf(entries);
        stored = Map.copyOf(stored);
    }

    /** A job at the end, with its runs and its events. */
    record Stored(Job job, List<Run> runs, List<JobEvent> events) {}

    static History of(List<JobSpec> asked, Map<String, Integer> limits, List<Entry> entries, Store store) {
        var stored = new HashMap<JobId, Stored>();
        for (JobSpec spec : asked) {
            JobId id = spec.id();
            store.jobs()
                    .find(id)
                    .ifPresent(job -> stored.put(
                            id,
                            new Stored(job, store.jobs().runs(id), store.jobs().events(EventQuery.of(id)))));
        }
        return new History(asked, limits, entries, stored);
    }
}
