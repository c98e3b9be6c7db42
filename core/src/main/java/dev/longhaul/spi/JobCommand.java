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
 * A change to one job that a person or an application requests. The store decides by the job's state whether it is allowed, and
 * applies it in one transaction together with its event and its audit entry.
 */
public sealed interface JobCommand {
    JobId id();

    /** The name of the caller, for the job's events; null when there is none. */
    @Nullable
    String by();

    /** What the command does, in words for messages: {@code run now}. */
    String step();

    /** The name of the command in the audit trail. */
    String action();

    /** Whether the job's state allows the command. */
    boolean allowedFor(Job job);

    /** The jobs that the command is for, in words for messages. */
    String needs();

    /**
     * Ends a job that waits at once, and requests a running one to end. A job that is being or has been cancelled stays unchanged.
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
        public String step() {
            return "cancel";
        }

        @Override
        public String action() {
            return "job.cancel";
        }

        @Override
        public boolean allowedFor(Job job) {
            return !job.state().terminal() || job.state() == JobState.CANCELLED;
        }

        @Override
        public String needs() {
            return "a job that has not ended";
        }
    }

    /** Starts a failed or cancelled job over, with all its attempts; its runs and steps are kept. */
    record Retry(JobId id, @Nullable String by) implements JobCommand {
        @Override
        public String step() {
            return "retry";
        }

        @Override
        public String action() {
            return "job.retry";
        }

        @Override
        public boolean allowedFor(Job job) {
            return job.state() == JobState.FAILED || job.state() == JobState.CANCELLED;
        }

        @Override
        public String needs() {
            return "failed or cancelled";
        }
    }

    /**
     * Holds a waiting job: it does not run until it is released. Jobs of a schedule are rejected, because the schedule itself holds
     * and releases its jobs.
     */
    record Hold(JobId id, @Nullable String by) implements JobCommand {
        @Override
        public String step() {
            return "hold";
        }

        @Override
        public String action() {
            return "job.hold";
        }

        @Override
        public boolean allowedFor(Job job) {
            return job.state() == JobState.WAITING && job.spec().schedule() == null;
        }

        @Override
        public String needs() {
            return "scheduled, queued or retrying";
        }
    }

    /** Makes a held job eligible to run. */
    record Release(JobId id, @Nullable String by) implements JobCommand {
        @Override
        public String step() {
            return "release";
        }

        @Override
        public String action() {
            return "job.release";
        }

        @Override
        public boolean allowedFor(Job job) {
            return job.state() == JobState.CREATED;
        }

        @Override
        public String needs() {
            return "held";
        }
    }

    /** Makes a job that waits for its run time due now. */
    record RunNow(JobId id, @Nullable String by) implements JobCommand {
        @Override
        public String step() {
            return "run now";
        }

        @Override
        public String action() {
            return "job.runNow";
        }

        @Override
        public boolean allowedFor(Job job) {
            return job.status() == JobStatus.SCHEDULED || job.status() == JobStatus.RETRYING;
        }

        @Override
        public String needs() {
            return "scheduled or retrying";
        }
    }

    /** Changes a job that waits or is held. */
    record Edit(JobId id, @Nullable String by, JobEdit edit) implements JobCommand {
        @Override
        public String step() {
            return "edit";
        }

        @Override
        public String action() {
            return "job.edit";
        }

        @Override
        public boolean allowedFor(Job job) {
            return job.state() == JobState.CREATED || job.state() == JobState.WAITING;
        }

        @Override
        public String needs() {
            return "held, scheduled, queued or retrying";
        }
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
