package dev.longhaul.memory;

import dev.longhaul.access.AuditDetail;
import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.CommandResult;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.Signal;
import dev.longhaul.work.EndedRun;
import dev.longhaul.work.RunEnd;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Executes the commands that change jobs, and ends runs. */
final class Commands {
    private final JobIndex jobs;
    private final DueHooks hooks;
    private final MemoryWebhooks webhooks;
    private final MemoryStats stats;
    private final StoreLock lock;

    Commands(JobIndex jobs, DueHooks hooks, MemoryWebhooks webhooks, MemoryStats stats, StoreLock lock) {
        this.jobs = jobs;
        this.hooks = hooks;
        this.webhooks = webhooks;
        this.stats = stats;
        this.lock = lock;
    }

    CommandResult execute(JobCommand command) {
        return lock.write(now -> {
            StoredJob job = existing(command.id());
            Job before = job.view(now);
            Refusal.throwUnlessAllowed(command, before);
            boolean done = command instanceof JobCommand.Cancel
                    && (job.state() == JobState.CANCELLING || job.state() == JobState.CANCELLED);
            Job after = done ? before : changed(job, now, () -> apply(command, job, now));
            lock.audit().add(now, command.action(), job.id(), () -> detail(command, before, after));
            return new CommandResult(after, !done);
        });
    }

    private static AuditDetail detail(JobCommand command, Job before, Job after) {
        if (command instanceof JobCommand.Cancel cancel) {
            return AuditDetails.of(cancel);
        }
        return command instanceof JobCommand.Edit
                ? AuditDetails.edited(before, after.spec(), after.times().runAt())
                : new AuditDetail();
    }

    private void apply(JobCommand command, StoredJob job, Instant now) {
        String by = command.by();
        if (command instanceof JobCommand.Cancel cancel) {
            cancel(cancel, job, now);
        } else if (command instanceof JobCommand.Retry) {
            job.retry(by, now);
        } else if (command instanceof JobCommand.Hold) {
            job.hold(by, now);
        } else if (command instanceof JobCommand.Release) {
            job.release(by, now);
        } else if (command instanceof JobCommand.RunNow) {
            job.edit(JobEdit.runTime(RunAt.now()), by, now);
        } else if (command instanceof JobCommand.Edit edit) {
            job.edit(edit.edit(), by, now);
        } else {
            throw new IllegalArgumentException("command: " + command);
        }
    }

    private void cancel(JobCommand.Cancel cancel, StoredJob job, Instant now) {
        if (job.state() == JobState.RUNNING) {
            job.requestCancel(cancel.by(), cancel.at(now));
            lock.sendLater(new Signal(Signal.Kind.CANCEL, job.id().toString()));
        } else {
            job.cancel(cancel.by(), cancel.at(now));
            dispatch(job, now);
            Job cancelled = job.view(now);
            lock.reportLater(listener -> listener.cancelled(cancelled));
        }
    }

    /**
     * Ends the job's run: updates the statistics and the job's state, then dispatches the transition to hooks and
     * webhooks. The caller holds the lock.
     *
     * @param hooksFrom the time from which any worker may run the job's hooks
     */
    EndedRun end(StoredJob job, RunEnd end, @Nullable String result, Instant hooksFrom, Instant now) {
        Job before = job.view(now);
        stats.ended(before, end, now);
        changed(job, now, () -> job.end(end, result, now));
        hooks.ended(job, hooksFrom);
        webhooks.publish(job, now);
        return new EndedRun(
                before.spec().definition().key(), end, before.times().startedAt(), now);
    }

    /**
     * Dispatches the job's last transition to hooks and webhooks; the caller holds the lock, so that both become
     * visible together.
     */
    void dispatch(StoredJob job, Instant now) {
        hooks.ended(job, now);
        webhooks.publish(job, now);
    }

    /** Applies a step to the job; the caller holds the lock. */
    Job changed(StoredJob job, Instant now, Runnable step) {
        jobs.change(job, step);
        lock.announce(job, now);
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
