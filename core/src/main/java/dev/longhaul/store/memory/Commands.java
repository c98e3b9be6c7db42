package dev.longhaul.store.memory;

import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunTime;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.store.AuditDetails;
import dev.longhaul.store.Refusal;
import dev.longhaul.store.Signal;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What people do to jobs: hold, release, edit, run now, cancel, retry. */
final class Commands {
    private final JobIndex jobs;
    private final DueHooks hooks;
    private final MemoryWebhooks webhooks;
    private final Gate gate;

    Commands(JobIndex jobs, DueHooks hooks, MemoryWebhooks webhooks, Gate gate) {
        this.jobs = jobs;
        this.hooks = hooks;
        this.webhooks = webhooks;
        this.gate = gate;
    }

    Job hold(JobId id, @Nullable String by) {
        return gate.write(now -> {
            StoredJob job = existing(id);
            ScheduleFire schedule = job.view(now).spec().schedule();
            if (job.state() != JobState.WAITING || schedule != null) {
                throw Refusal.notHoldable(id, job.status(now), schedule);
            }
            return audited("job.hold", changed(job, now, () -> job.hold(by, now)), now);
        });
    }

    Job release(JobId id, @Nullable String by) {
        return gate.write(now -> {
            StoredJob job = existing(id);
            require(job.state() == JobState.CREATED, job, now, "release", "held");
            return audited("job.release", changed(job, now, () -> job.release(by, now)), now);
        });
    }

    Job edit(JobId id, JobEdit edit, @Nullable String by) {
        return gate.write(now -> {
            StoredJob job = existing(id);
            boolean editable = job.state() == JobState.CREATED || job.state() == JobState.WAITING;
            require(editable, job, now, "edit", "held, scheduled, queued or retrying");
            Job before = job.view(now);
            Job edited = changed(job, now, () -> job.edit(edit, by, now));
            gate.audit().add(now, "job.edit", id, () -> AuditDetails.edited(before, edited));
            return edited;
        });
    }

    Job runNow(JobId id, @Nullable String by) {
        return gate.write(now -> {
            StoredJob job = existing(id);
            JobStatus status = job.status(now);
            boolean ahead = status == JobStatus.SCHEDULED || status == JobStatus.RETRYING;
            require(ahead, job, now, "run now", "scheduled or retrying");
            return audited(
                    "job.runNow", changed(job, now, () -> job.edit(JobEdit.runTime(RunTime.now()), by, now)), now);
        });
    }

    Job cancel(JobId id, @Nullable String by, @Nullable String reason, @Nullable Duration grace) {
        return gate.write(now -> {
            StoredJob job = existing(id);
            var request = new CancelRequest(now, reason, grace);
            Job after = switch (job.state()) {
                case CREATED, WAITING -> {
                    Job cancelled = changed(job, now, () -> job.cancel(by, request));
                    hooks.ended(job, now);
                    webhooks.tell(job, now);
                    gate.reportLater(listener -> listener.cancelled(cancelled));
                    yield cancelled;
                }
                case RUNNING -> {
                    gate.tellLater(new Signal(Signal.Kind.CANCEL, id.toString()));
                    yield changed(job, now, () -> job.requestCancel(by, request));
                }
                case CANCELLING, CANCELLED -> job.view(now);
                case SUCCEEDED, FAILED ->
                    throw Refusal.forbidden(id, job.status(now), "cancel", "a job that has not ended");
            };
            gate.audit().add(now, "job.cancel", id, () -> AuditDetails.of(request));
            return after;
        });
    }

    Job retry(JobId id, @Nullable String by) {
        return gate.write(now -> {
            StoredJob job = existing(id);
            boolean ended = job.state() == JobState.FAILED || job.state() == JobState.CANCELLED;
            require(ended, job, now, "retry", "failed or cancelled");
            return audited("job.retry", changed(job, now, () -> job.retry(by, now)), now);
        });
    }

    private Job audited(String action, Job after, Instant now) {
        gate.audit().add(now, action, after.id());
        return after;
    }

    /** Makes a step of the job; whoever calls this holds the lock. */
    Job changed(StoredJob job, Instant now, Runnable step) {
        jobs.change(job, step);
        gate.announce(job, now);
        return job.view(now);
    }

    StoredJob existing(JobId id) {
        StoredJob job = jobs.find(id);
        if (job == null) {
            throw Refusal.notFound(id);
        }
        return job;
    }

    static void require(boolean allowed, StoredJob job, Instant now, String step, String needs) {
        if (!allowed) {
            throw Refusal.forbidden(job.id(), job.status(now), step, needs);
        }
    }
}
