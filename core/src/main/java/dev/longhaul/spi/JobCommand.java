package dev.longhaul.spi;

import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change to one job that a person or an application requests. The store decides by the job's state whether it is
 * allowed, and applies it in one transaction together with its event and its audit entry.
 */
public sealed interface JobCommand {
    JobId id();

    /** The name of the caller, for the job's events; null when there is none. */
    @Nullable
    String by();

    Kind kind();

    /** The kinds of commands, each with the words that messages use for its action and for the jobs that it needs. */
    enum Kind {
        CANCEL("cancel", "job.cancel", "a job that has not ended"),
        RETRY("retry", "job.retry", "failed or cancelled"),
        HOLD("hold", "job.hold", "scheduled, queued or retrying"),
        RELEASE("release", "job.release", "held"),
        RUN_NOW("run now", "job.runNow", "scheduled or retrying"),
        EDIT("edit", "job.edit", "held, scheduled, queued or retrying");

        private final String step;
        private final String action;
        private final String needs;

        Kind(String step, String action, String needs) {
            this.step = step;
            this.action = action;
            this.needs = needs;
        }
    }

    /** The action of the command as messages name it, such as {@code run now}. */
    default String step() {
        return kind().step;
    }

    /** The name of the command in the audit trail. */
    default String action() {
        return kind().action;
    }

    /** The jobs that the command needs, as messages name them. */
    default String needs() {
        return kind().needs;
    }

    /** Whether the job's state allows the command. */
    default boolean allowedFor(Job job) {
        JobState state = job.state();
        return switch (kind()) {
            case CANCEL -> !state.terminal() || state == JobState.CANCELLED;
            case RETRY -> state == JobState.FAILED || state == JobState.CANCELLED;
            case HOLD -> state == JobState.WAITING && job.spec().schedule() == null;
            case RELEASE -> state == JobState.CREATED;
            case RUN_NOW -> job.status() == JobStatus.SCHEDULED || job.status() == JobStatus.RETRYING;
            case EDIT -> state == JobState.CREATED || state == JobState.WAITING;
        };
    }

    /**
     * Ends a waiting job at once, and requests a running one to end. A job that is being or has been cancelled stays
     * unchanged.
     *
     * @param grace how long the code may take before it is forced to end; null leaves that to the worker
     */
    record Cancel(
            JobId id,
            @Nullable String by,
            @Nullable String reason,
            @Nullable Duration grace) implements JobCommand {
        public Cancel {
            reason = new CancelRequest(Instant.EPOCH, reason, grace).reason();
        }

        /** The request as it is stored with the job. */
        public CancelRequest at(Instant now) {
            return new CancelRequest(now, reason, grace);
        }

        @Override
        public Kind kind() {
            return Kind.CANCEL;
        }
    }

    /** Restarts a failed or cancelled job, with all its attempts; its runs and steps are kept. */
    record Retry(JobId id, @Nullable String by) implements JobCommand {
        @Override
        public Kind kind() {
            return Kind.RETRY;
        }
    }

    /**
     * Holds a waiting job: it does not run until it is released. Jobs of a schedule are rejected, because the schedule
     * itself holds and releases its jobs.
     */
    record Hold(JobId id, @Nullable String by) implements JobCommand {
        @Override
        public Kind kind() {
            return Kind.HOLD;
        }
    }

    /** Makes a held job eligible to run. */
    record Release(JobId id, @Nullable String by) implements JobCommand {
        @Override
        public Kind kind() {
            return Kind.RELEASE;
        }
    }

    /** Makes a job that waits for its run time due now. */
    record RunNow(JobId id, @Nullable String by) implements JobCommand {
        @Override
        public Kind kind() {
            return Kind.RUN_NOW;
        }
    }

    /** Changes a job that waits or is held. */
    record Edit(JobId id, @Nullable String by, JobEdit edit) implements JobCommand {
        @Override
        public Kind kind() {
            return Kind.EDIT;
        }
    }

    /** The same command for another job. */
    default JobCommand of(JobId other) {
        return switch (kind()) {
            case CANCEL -> {
                var cancel = (Cancel) this;
                yield new Cancel(other, by(), cancel.reason(), cancel.grace());
            }
            case EDIT -> new Edit(other, by(), ((Edit) this).edit());
            case RETRY -> new Retry(other, by());
            case HOLD -> new Hold(other, by());
            case RELEASE -> new Release(other, by());
            case RUN_NOW -> new RunNow(other, by());
        };
    }

    static JobCommand cancel(JobId id, @Nullable String by, @Nullable String reason, @Nullable Duration grace) {
        return new Cancel(id, by, reason, grace);
    }

    static JobCommand retry(JobId id, @Nullable String by) {
        return new Retry(id, by);
    }

    static JobCommand hold(JobId id, @Nullable String by) {
        return new Hold(id, by);
    }

    static JobCommand release(JobId id, @Nullable String by) {
        return new Release(id, by);
    }

    static JobCommand runNow(JobId id, @Nullable String by) {
        return new RunNow(id, by);
    }

    static JobCommand edit(JobId id, @Nullable String by, JobEdit edit) {
        return new Edit(id, by, edit);
    }
}
