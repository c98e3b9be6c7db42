package dev.longhaul.engine;

import dev.longhaul.HookContext;
import dev.longhaul.Hooks;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobResult;
import dev.longhaul.Registry;
import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LogContext;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.json.JobSecrets;
import dev.longhaul.json.LiveSecrets;
import dev.longhaul.json.Secrets;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs hooks: start hooks before the handler, in its thread; end hooks after the end is stored, in a separate thread.
 * Ends that no worker stored (a cancel while waiting, a dead worker) are polled from the store.
 */
public final class HookRunner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HookRunner.class);
    private static final Duration HOLD = Duration.ofMinutes(5);
    private static final long INTERVAL_MILLIS = 1000;
    private static final int MOST = 100;
    /** The most ended jobs whose hooks wait in memory; the hooks of further jobs are polled from the store. */
    private static final int MOST_WAITING = 1000;

    private final WorkSource source;
    private final Registry registry;
    private final Set<DefinitionRef> hooked;
    private final ExecutorService threads = new ThreadPoolExecutor(
            2, 2, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_WAITING), HookRunner::thread);
    private final CountDownLatch closed = new CountDownLatch(1);
    private @Nullable BackgroundLoop loop;

    public HookRunner(WorkSource source, Registry registry) {
        this.source = source;
        this.registry = registry;
        this.hooked = registry.all().stream()
                .filter(definition -> definition.hooks().anyAtEnd())
                .map(JobDefinition::ref)
                .collect(Collectors.toSet());
    }

    private static Thread thread(Runnable work) {
        var thread = new Thread(work, "longhaul-hooks");
        thread.setDaemon(true);
        return thread;
    }

    void start() {
        if (!hooked.isEmpty()) {
            loop = BackgroundLoop.vital("hooks-due", this::pass);
        }
    }

    /** Runs the pending hooks of ended jobs; returns the number of jobs. */
    int runOnce() {
        if (hooked.isEmpty()) {
            return 0;
        }
        List<Job> jobs = source.hooks().takeHooks(hooked, MOST, HOLD);
        jobs.forEach(this::ended);
        return jobs.size();
    }

    /** The keys of the definitions that have end hooks. */
    Set<String> hookedKeys() {
        return hooked.stream().map(DefinitionRef::key).collect(Collectors.toSet());
    }

    void started(LiveRun run) {
        started(run, run.definition());
    }

    @SuppressWarnings("NullAway") // Params are null only where their type is Void.
    private static <P> void started(LiveRun run, JobDefinition<P, ?> definition) {
        if (definition.hooks().onStart().isEmpty()) {
            return;
        }
        P params;
        try {
            params = definition.params().read(run.params());
        } catch (LonghaulException e) {
            return; // The handler is not called either; the outcome of the run has the reason.
        }
        for (Hooks.Hook<P> hook : definition.hooks().onStart()) {
            String failure = failureOf(run.secrets(), () -> hook.run(HookContext.of(run.job()), params));
            if (failure != null) {
                run.note(EventType.HOOK_FAILED, payload(failure));
            }
        }
    }

    /** Runs the end hooks of a run's job, if the job has ended. Call after the end of the run is stored. */
    void stored(LiveRun run, Transition transition) {
        boolean mayHaveEnded = !(transition instanceof Transition.Snooze || transition instanceof Transition.GiveBack);
        if (mayHaveEnded && hooked.contains(run.definition().ref())) {
            JobId id = run.claim().jobId();
            try {
                threads.execute(() -> quietly(() -> source.find(id).ifPresent(this::ended)));
            } catch (RejectedExecutionException e) {
                LOG.debug("hook queue is full or closed; the hooks of {} will be polled from the store", id, e);
            }
        }
    }

    @Override
    public void close() {
        close(TimeUnit.SECONDS.toMillis(5));
    }

    /** Waits for running hooks, then interrupts them. */
    void close(long millis) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        closed.countDown();
        BackgroundLoop started = loop;
        if (started != null) {
            started.close(millis);
        }
        threads.shutdown();
        try {
            if (!threads.awaitTermination(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean pass() throws InterruptedException {
        runOnce();
        return !closed.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static void quietly(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            LOG.debug("running hooks failed; they will be retried", e);
        }
    }

    /** Runs the end hooks of a job in the calling thread, if it has ended and has any. */
    void endedHere(Job job) {
        quietly(() -> ended(job));
    }

    private void ended(Job job) {
        if (!job.state().terminal() || !hooked.contains(job.spec().definition())) {
            return;
        }
        registry.find(job.spec().definition()).ifPresent(definition -> {
            List<String> failures = ended(job, definition);
            source.hooks().hooksDone(job.id(), failures);
        });
    }

    @SuppressWarnings("NullAway") // A hook's value may be null if the result's type allows null.
    private static <P, R> List<String> ended(Job job, JobDefinition<P, R> definition) {
        Hooks<P, R> hooks = definition.hooks();
        Secrets secrets = JobSecrets.parse(job.spec().secrets())
                .secretsIn(job.spec().params(), definition.params().schema());
        var context = HookContext.of(job);
        var failures = new ArrayList<String>();
        JobResult<R> result;
        try {
            result = JobResult.of(job, definition.result());
        } catch (LonghaulException e) {
            return List.of("the result cannot be read: " + e.getMessage());
        }
        Failure failure = job.failure();
        asJob(context, secrets, () -> {
            if (result.succeeded()) {
                hooks.onSuccess()
                        .forEach(hook -> note(failures, failureOf(secrets, () -> hook.run(context, result.data()))));
            } else if (job.state() == JobState.FAILED && failure != null) {
                hooks.onFail().forEach(hook -> note(failures, failureOf(secrets, () -> hook.run(context, failure))));
            }
            hooks.onEnd().forEach(hook -> note(failures, failureOf(secrets, () -> hook.run(context, result))));
        });
        return failures;
    }

    /**
     * Log lines of hooks carry the job's context fields (MDC), and its secrets are masked, as in the job's own code.
     */
    private static void asJob(HookContext context, Secrets secrets, Runnable hooks) {
        var owner = new Object();
        LiveSecrets.remember(owner, secrets);
        try {
            LogContext.around(context, hooks);
        } finally {
            LiveSecrets.forget(owner);
        }
    }

    private static void note(List<String> failures, @Nullable String failure) {
        if (failure != null) {
            failures.add(failure);
        }
    }

    /** Code that may throw anything. */
    private interface Code {
        void run() throws Exception;
    }

    /** The failure message of the hook; null when it succeeded. */
    private static @Nullable String failureOf(Secrets secrets, Code hook) {
        try {
            hook.run();
            return null;
        } catch (Exception | Error e) {
            // Logs the stack as text and not the exception itself, because loggers call getMessage, which may throw
            // too.
            Failure failure = Failure.of(e);
            String message = secrets.hide(failure.message());
            LOG.warn(
                    "a hook failed (event hook_failed): {}\n{}",
                    message,
                    secrets.hide(String.valueOf(failure.stack())));
            return message;
        }
    }

    private static String payload(String failure) {
        return "{\"error\":{\"code\":\"hook_failed\",\"message\":" + Payload.quoted(failure) + "}}";
    }
}
