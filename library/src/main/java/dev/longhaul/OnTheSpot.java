package dev.longhaul;

import dev.longhaul.engine.WorkerBackend;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.Outcome;
import dev.longhaul.spi.Store;
import dev.longhaul.usecase.Jobs;
import dev.longhaul.work.ClaimedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Runs jobs in the calling thread, with one attempt each. */
final class OnTheSpot {
    /** Delay before other processes may run the job, in case this process dies between storing and claiming it. */
    private static final Duration HEAD_START = Duration.ofMinutes(1);

    private final Jobs jobs;
    private final Store store;
    private final WorkerBackend backend;

    OnTheSpot(Jobs jobs, Store store, WorkerBackend backend) {
        this.jobs = jobs;
        this.store = store;
        this.backend = backend;
    }

    <P, R> JobResult<R> stored(JobDefinition<P, R> definition, @Nullable P params, JobOptions options) {
        new Problems()
                .require(options.runAt() == null, "runAt", options.runAt(), "none; it runs now")
                .require(options.delay() == null, "delay", options.delay(), "none; it runs now")
                .require(!options.hold(), "hold", options.hold(), "false; it runs now")
                .throwIfAny();
        JobSpec spec = jobs.spec(definition, params, options.delay(HEAD_START).maxAttempts(1));
        Job job = jobs.enqueue(spec);
        if (!job.id().equals(spec.id())) {
            // A job with the same idempotency key exists already; it is not run again.
            return JobResult.of(job, definition.result());
        }
        ClaimedJob claimed;
        try {
            claimed = backend.claim(job.id(), store.claimById());
        } catch (LonghaulException e) {
            jobs.execute(JobCommand.cancel(job.id(), null, String.valueOf(e.getMessage()), null));
            throw e;
        }
        JobId id = backend.execute(claimed).jobId();
        return JobResult.of(store.jobs().find(id).orElseThrow(() -> Refusal.notFound(id)), definition.result());
    }

    <P, R> JobResult<R> unstored(JobDefinition<P, R> definition, @Nullable P params) {
        String json = jobs.spec(definition, params, JobOptions.options()).params();
        Instant started = Instant.now();
        Outcome outcome = backend.execute(definition, json);
        Failure failure = null;
        R data = null;
        if (outcome instanceof Outcome.Returned returned) {
            data = definition.result().read(returned.result());
        } else if (outcome instanceof Outcome.Threw threw) {
            failure = Failure.of(threw.error());
        } else if (outcome instanceof Outcome.Refused refused) {
            failure = refused.failure();
        } else if (outcome instanceof Outcome.Unreadable unreadable) {
            failure = unreadable.failure();
        } else if (outcome instanceof Outcome.Failed failed) {
            failure = failed.failure();
        } else if (outcome instanceof Outcome.Crashed crashed) {
            failure = crashed.failure();
        } else {
            failure = Failure.of(Failure.GIVEN_UP, "snoozed, but only a stored job can run again later");
        }
        JobStatus status = failure == null ? JobStatus.SUCCEEDED : JobStatus.FAILED;
        return new JobResult<>(
                null, definition.ref(), null, status, data, failure, 1, null, started, Instant.now(), null);
    }

    <P, R> List<JobResult<R>> batch(JobDefinition<P, R> definition, List<P> params, BatchOptions options) {
        // All jobs are checked before the first one runs.
        params.forEach(one -> jobs.spec(definition, one, JobOptions.options()));
        List<JobResult<R>> results =
                new ArrayList<>(Collections.nCopies(params.size(), JobResult.unstarted(definition.ref())));
        var next = new AtomicInteger();
        var stopped = new AtomicBoolean();
        Runnable work = () -> {
            for (int i = next.getAndIncrement(); i < params.size() && !stopped.get(); i = next.getAndIncrement()) {
                JobResult<R> result = one(definition, params.get(i), options);
                synchronized (results) {
                    results.set(i, result);
                }
                if (!result.succeeded() && options.stopsOnError()) {
                    stopped.set(true);
                }
            }
        };
        runAtOnce(work, Math.min(options.concurrency(), params.size()), () -> stopped.set(true));
        return List.copyOf(results);
    }

    private <P, R> JobResult<R> one(JobDefinition<P, R> definition, P params, BatchOptions options) {
        try {
            return options.stored() ? stored(definition, params, JobOptions.options()) : unstored(definition, params);
        } catch (LonghaulException e) {
            // The job was rejected. Its result reports the rejection, so that the results of the other jobs are not
            // lost.
            return new JobResult<>(
                    null,
                    definition.ref(),
                    null,
                    JobStatus.FAILED,
                    null,
                    Failure.of(e.code().wireName(), String.valueOf(e.getMessage())),
                    0,
                    null,
                    null,
                    null,
                    null);
        }
    }

    private static void runAtOnce(Runnable work, int threads, Runnable whenInterrupted) {
        var started = new ArrayList<Thread>();
        for (int i = 0; i < threads; i++) {
            var thread = new Thread(work, "longhaul-batch-" + i);
            thread.setDaemon(true);
            thread.start();
            started.add(thread);
        }
        boolean interrupted = false;
        for (Thread thread : started) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    // Interrupting the batch ends its jobs.
                    interrupted = true;
                    whenInterrupted.run();
                    started.forEach(Thread::interrupt);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
