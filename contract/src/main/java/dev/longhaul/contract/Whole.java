package dev.longhaul.contract;

import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Run;
import dev.longhaul.job.Step;
import dev.longhaul.spi.Store;
import java.util.List;

/** All data that a store returns about a job. Two equal values show that nothing happened in between. */
public record Whole(Job job, List<Run> runs, List<Step> steps, List<JobEvent> events) {
    static Whole of(Store store, JobId id) {
        return new Whole(
                store.jobs().find(id).orElseThrow(),
                store.jobs().runs(id),
                store.work().steps(id),
                store.jobs().events(EventQuery.of(id)));
    }
}
