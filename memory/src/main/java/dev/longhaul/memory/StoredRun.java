package dev.longhaul.memory;

import dev.longhaul.job.Failure;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunStatus;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A run, with the key of its claim and the highest sequence that it has reported. */
final class StoredRun {
    final UUID key;
    int highestSequence;
    private Run run;

    StoredRun(UUID key, Run run) {
        this.key = key;
        this.run = run;
    }

    Run view() {
        return run;
    }

    /** Returns the run, with {@code updatedAt} as the time of its last change. */
    Run view(Instant updatedAt) {
        return new Run(
                run.jobId(),
                run.run(),
                run.attempt(),
                run.status(),
                run.workerId(),
                run.startedAt(),
                run.endedAt(),
                updatedAt,
                run.failure());
    }

    void end(RunStatus status, @Nullable Failure failure, Instant now) {
        run = new Run(
                run.jobId(), run.run(), run.attempt(), status, run.workerId(), run.startedAt(), now, now, failure);
    }
}
