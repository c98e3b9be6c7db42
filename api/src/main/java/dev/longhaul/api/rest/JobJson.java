package dev.longhaul.api.rest;

import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Caller;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Lease;
import dev.longhaul.job.Run;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.spi.Inserted;
import dev.longhaul.usecase.Jobs;
import java.net.URI;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Writes jobs, runs and events as JSON. This class alone decides which fields each role may see. */
public final class JobJson {
    private final Jobs jobs;
    private final String baseUrl;

    /** @param publicUrl the base URL for links; null makes links relative */
    public JobJson(Jobs jobs, @Nullable URI publicUrl) {
        this.jobs = jobs;
        this.baseUrl = publicUrl == null ? "" : publicUrl.toString().replaceFirst("/+$", "");
    }

    /** The set of fields that a response contains. */
    public enum View {
        /** State, progress and result of the job. */
        PUBLIC,
        /** Additionally how the job runs: queue, worker, attempts and errors. */
        OPERATOR,
        /** Additionally params, stack traces and the lease. */
        FULL;

        public static View of(Caller caller) {
            return caller.may(Role.OPERATOR) ? OPERATOR : PUBLIC;
        }
    }

    public void write(Answer out, Job job, View view) {
        out.object(() -> fields(out, job, view, jobs.resultToShow(job)));
    }

    /** Writes a job that was submitted; it may not be stored yet. */
    public void write(Answer out, Inserted inserted, View view) {
        Job job = inserted.job();
        out.object(() -> {
            fields(out, job, view, jobs.resultToShow(job));
            if (inserted.deferred()) {
                out.flag("deferred", true);
            }
        });
    }

    /** Writes the job without its result, which may be large; for streams of many jobs. */
    public void writeBrief(Answer out, Job job, View view) {
        out.object(() -> fields(out, job, view, null));
    }

    private void fields(Answer out, Job job, View view, @Nullable String result) {
        JobSpec spec = job.spec();
        out.text("jobId", job.id().toString());
        out.text("name", spec.name());
        out.text("definitionKey", spec.definition().key());
        out.number("definitionVersion", spec.definition().version());
        out.text("queue", spec.queue());
        out.text("status", job.status().wireName());
        out.number("priority", spec.priority());
        out.object("progress", () -> {
            out.number("percent", job.progress().percent());
            out.text("message", job.progress().message());
        });
        out.json("result", result);
        error(out, job.failure(), view);
        out.time("createdAt", job.times().createdAt());
        out.time("updatedAt", job.times().updatedAt());
        out.time("runAt", job.times().runAt());
        out.time("startedAt", job.times().startedAt());
        out.time("finishedAt", job.times().finishedAt());
        out.text("correlationId", spec.correlationId());
        out.map("labels", spec.labels());
        ScheduleFire schedule = spec.schedule();
        if (schedule != null) {
            out.object("schedule", () -> {
                out.text("key", schedule.scheduleKey());
                out.time("fireAt", schedule.fireAt());
            });
        }
        if (view != View.PUBLIC) {
            operatorFields(out, job);
        }
        if (view == View.FULL) {
            fullFields(out, job);
        }
    }

    private static void operatorFields(Answer out, Job job) {
        JobSpec spec = job.spec();
        out.number("attempts", job.tally().attempts());
        out.number("maxAttempts", spec.maxAttempts());
        out.number("timeoutSeconds", spec.timeout().toSeconds());
        out.time("queuedAt", queuedAt(job));
        Lease lease = job.lease();
        out.time("heartbeatAt", lease == null ? null : lease.heartbeatAt());
        out.text("workerId", lease == null ? null : lease.workerId());
        CancelRequest cancel = job.cancelRequest();
        out.time("cancelRequestedAt", cancel == null ? null : cancel.at());
        out.text("cancelReason", cancel == null ? null : cancel.reason());
        out.text("createdBy", spec.createdBy());
    }

    /**
     * Returns when the job last became due. That is its run time, which stores update with every release, retry and
     * snooze.
     */
    private static @Nullable Instant queuedAt(Job job) {
        Instant due = job.times().runAt();
        Instant finished = job.times().finishedAt();
        return switch (job.status()) {
            case CREATED, SCHEDULED, RETRYING -> null;
            case QUEUED, RUNNING, CANCELLING -> due;
            // A job that never ran may have been held until it was cancelled; the store does not record that.
            case SUCCEEDED, FAILED, CANCELLED ->
                job.tally().run() == 0 || (finished != null && due.isAfter(finished)) ? null : due;
        };
    }

    private void fullFields(Answer out, Job job) {
        out.json("params", jobs.paramsToShow(job));
        out.number("run", job.tally().run());
        out.number("crashes", job.tally().crashes());
        Lease lease = job.lease();
        if (lease != null) {
            out.object("lease", () -> {
                out.text("workerId", lease.workerId());
                out.time("until", lease.until());
            });
        }
    }

    private static void error(Answer out, @Nullable Failure failure, View view) {
        if (failure == null) {
            return;
        }
        out.object("error", () -> {
            out.text("code", failure.code());
            out.text("message", failure.message());
            if (view == View.FULL) {
                out.text("type", failure.type());
                out.text("stack", failure.stack());
            }
        });
    }

    void write(Answer out, Run run, View view) {
        out.object(() -> {
            out.text("runId", run.jobId() + "-" + run.run());
            out.number("run", run.run());
            if (view != View.PUBLIC) {
                out.number("attempt", run.attempt());
            }
            out.text("status", run.status().wireName());
            out.time("startedAt", run.startedAt());
            out.time("endedAt", run.endedAt());
            out.time("updatedAt", run.updatedAt());
            if (view != View.PUBLIC) {
                out.text("executorId", run.workerId());
            }
            error(out, run.failure(), view);
            out.text("logUrl", baseUrl + "/v1/jobs/" + run.jobId() + "/log?run=" + run.run());
        });
    }

    public void write(Answer out, JobEvent event, View view) {
        out.object(() -> {
            out.text("id", event.id());
            out.text("jobId", event.jobId().toString());
            out.number("position", event.position());
            out.number("run", event.run());
            out.number("sequence", event.sequence());
            out.text("type", event.type().wireName());
            out.time("at", event.at());
            out.json("payload", view == View.PUBLIC && internal(event.type()) ? null : event.payload());
        });
    }

    /** Returns whether events of the type contain who changed a job and why, or which process runs it. */
    public static boolean internal(EventType type) {
        return switch (type) {
            case HELD, RELEASED, EDITED, CANCEL_REQUESTED, CANCELLED, RETRIED, PROCESS_START -> true;
            default -> false;
        };
    }
}
