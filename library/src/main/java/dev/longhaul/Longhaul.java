package dev.longhaul;

import static dev.longhaul.JobOptions.options;

import dev.longhaul.LonghaulBuilder.Engine;
import dev.longhaul.engine.JobNotice;
import dev.longhaul.engine.WorkerBackend;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.engine.upkeep.ScheduleFirer;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.Closing;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RunAt;
import dev.longhaul.postgres.job.CallerTransaction;
import dev.longhaul.postgres.job.TransactionalInserts;
import dev.longhaul.spi.Health;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobPage;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.Subscription;
import dev.longhaul.usecase.Jobs;
import dev.longhaul.usecase.Schedules;
import dev.longhaul.work.ClaimedJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Durable background jobs in a Java application. Start one instance per process, with {@link #builder()}; all methods
 * are thread-safe. Once {@code later} returns, the job is committed and will run, in this or any other process on the
 * same database.
 */
public final class Longhaul implements AutoCloseable {
    private static final long SHORTEST_POLL = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_POLL = TimeUnit.MILLISECONDS.toNanos(500);

    private final Registry registry;
    private final Store store;
    private final Jobs jobs;
    private final Schedules schedules;
    private final CallerTransaction caller;
    private final Supplier<@Nullable String> traceparent;
    private final Supplier<Engine> engines;
    private final Runnable releaseStore;
    private volatile @Nullable Engine engine;
    private boolean running;
    private volatile boolean closed;

    Longhaul(Parts parts) {
        this.registry = parts.registry();
        this.store = parts.store();
        this.caller = parts.caller();
        this.traceparent = parts.traceparent();
        this.engines = parts.engines();
        this.releaseStore = parts.releaseStore();
        this.jobs = new Jobs(registry, store);
        this.schedules = new Schedules(jobs, store);
    }

    /**
     * The parts of a Longhaul instance.
     *
     * @param traceparent supplies the caller's trace context
     * @param engines creates an initialized engine for each start
     */
    record Parts(
            Registry registry,
            Store store,
            CallerTransaction caller,
            Supplier<@Nullable String> traceparent,
            Supplier<Engine> engines,
            Runnable releaseStore) {}

    public static LonghaulBuilder builder() {
        return new LonghaulBuilder();
    }

    // Enqueueing

    /** Queues a job. */
    public <P> JobId later(JobDefinition<P, ?> definition, P params) {
        return later(definition, params, options());
    }

    public <P> JobId later(JobDefinition<P, ?> definition, P params, JobOptions options) {
        return enqueue(definition, params, options);
    }

    private <P> JobId enqueue(JobDefinition<P, ?> definition, @Nullable P params, JobOptions options) {
        requireOpen();
        JobSpec spec = jobs.spec(definition, params, traced(options));
        List<JobId> joined = inCallersTransaction(List.of(spec));
        return joined.isEmpty() ? jobs.enqueue(spec).id() : joined.get(0);
    }

    /** Queues a job of the highest registered version of the definition with that key. */
    public JobId later(String key, @Nullable Object params) {
        return later(key, params, options());
    }

    /** Like {@link #later(String, Object)}. Fails if the params do not have the type that the definition declares. */
    public JobId later(String key, @Nullable Object params, JobOptions options) {
        return enqueueUnchecked(registered(key, params), params, options);
    }

    private JobDefinition<?, ?> registered(String key, @Nullable Object params) {
        JobDefinition<?, ?> definition = registry.latest(key)
                .orElseThrow(() -> new LonghaulException(
                        ErrorCode.INVALID_ARGUMENT,
                        List.of(new FieldError(
                                "definition", key, "a registered definition: " + new TreeSet<>(registry.names())))));
        Class<?> expected = definition.params().type();
        if (params == null ? expected != Void.class : !expected.isInstance(params)) {
            String given = params == null ? "null" : params.getClass().getName();
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT, List.of(new FieldError("params", given, expected.getName())));
        }
        return definition;
    }

    /** Enqueues a job. The caller has checked the type of the params. */
    @SuppressWarnings("unchecked")
    private <P> JobId enqueueUnchecked(JobDefinition<P, ?> definition, @Nullable Object params, JobOptions options) {
        return enqueue(definition, (P) params, options);
    }

    /** Queues a job in the caller's transaction; it exists once the transaction commits. Requires PostgreSQL. */
    public <P> JobId later(Connection connection, JobDefinition<P, ?> definition, P params) throws SQLException {
        return later(connection, definition, params, options());
    }

    public <P> JobId later(Connection connection, JobDefinition<P, ?> definition, P params, JobOptions options)
            throws SQLException {
        requireOpen();
        TransactionalInserts inserts = store.capability(TransactionalInserts.class)
                .orElseThrow(() -> new LonghaulException(
                        ErrorCode.FAILED_PRECONDITION,
                        "enqueueing in a caller's transaction needs a PostgreSQL store; this one is "
                                + store.getClass().getSimpleName()));
        JobSpec spec = jobs.spec(definition, params, traced(options));
        return inserts.insert(connection, List.of(spec)).get(0).job().id();
    }

    /** Queues many jobs in one transaction: all of them or none. */
    public <P> List<JobId> laterAll(JobDefinition<P, ?> definition, List<P> params, JobOptions options) {
        requireOpen();
        JobOptions traced = traced(options);
        List<JobSpec> specs =
                params.stream().map(one -> jobs.spec(definition, one, traced)).toList();
        List<JobId> joined = inCallersTransaction(specs);
        return !joined.isEmpty()
                ? joined
                : jobs.enqueueAll(specs).stream()
                        .map(Inserted::job)
                        .map(Job::id)
                        .toList();
    }

    private JobOptions traced(JobOptions options) {
        return options.traceparent() == null ? options.traceparent(traceparent.get()) : options;
    }

    /** Stores the jobs in the caller's transaction. If there is none to join, stores nothing and returns no ids. */
    private List<JobId> inCallersTransaction(List<JobSpec> specs) {
        Connection connection = caller.connection();
        Optional<TransactionalInserts> inserts =
                connection == null ? Optional.empty() : store.capability(TransactionalInserts.class);
        if (connection == null || inserts.isEmpty()) {
            return List.of();
        }
        try {
            return inserts.get().insert(connection, specs, caller::afterCommit).stream()
                    .map(one -> one.job().id())
                    .toList();
        } catch (SQLException e) {
            throw new LonghaulException(
                    ErrorCode.INTERNAL, "enqueueing in the caller's transaction failed: " + e.getMessage(), e);
        }
    }

    // Running in the calling thread

    /** Stores a job and runs it once in the calling thread; throws {@link JobFailedException} if it fails. */
    public <P, R> JobResult<R> now(JobDefinition<P, R> definition, P params) {
        return now(definition, params, options());
    }

    public <P, R> JobResult<R> now(JobDefinition<P, R> definition, P params, JobOptions options) {
        return succeeded(onTheSpot().stored(definition, params, options));
    }

    /** Runs the code in the calling thread, without storing anything. */
    public <P, R> JobResult<R> nowUnstored(JobDefinition<P, R> definition, P params) {
        return succeeded(onTheSpot().unstored(definition, params));
    }

    /**
     * Runs many jobs and waits for them. Returns all results in the order of the params; the result of a failed job has
     * its error.
     */
    public <P, R> List<JobResult<R>> batch(JobDefinition<P, R> definition, List<P> params, BatchOptions options) {
        return onTheSpot().batch(definition, params, options);
    }

    /** Runs one waiting job in the calling thread, even if it is not due yet. */
    public <R> JobResult<R> runOne(JobDefinition<?, R> definition, JobId id) {
        WorkerBackend backend = running();
        requireKind(definition, existing(id));
        ClaimedJob claimed = backend.claim(id, store.claimById());
        WorkerBackend.Executed executed = backend.execute(claimed);
        return JobResult.of(existing(executed.jobId()), definition.result());
    }

    /**
     * Makes one pass, for cron triggers and serverless platforms: recovers jobs of dead workers, fires schedules, runs
     * up to 5 due jobs, and returns a report.
     */
    public TickReport tick() {
        return tick(5);
    }

    public TickReport tick(int max) {
        return new Tick(store, running(), this::fireSchedules).run(max);
    }

    /** Creates the jobs of due schedules, unless another process is the leader; returns how many jobs it created. */
    public int fireSchedules() {
        WorkerConfig config = running().config();
        return ScheduleFirer.passOf(store, "fire-" + config.workerId(), config.lease());
    }

    // Waiting and listening

    /** Waits until the job has ended, or until the timeout; then returns its current state. */
    public <R> JobResult<R> await(JobDefinition<?, R> definition, JobId id, Duration timeout)
            throws InterruptedException {
        Job job = awaitEnd(id, timeout);
        requireKind(definition, job);
        return JobResult.of(job, definition.result());
    }

    /** Waits until a job has ended. Polls the store, because only jobs that end in this process send a notice. */
    private Job awaitEnd(JobId id, Duration timeout) throws InterruptedException {
        long until = System.nanoTime() + timeout.toNanos();
        var notified = new Semaphore(0);
        Subscription here =
                engine == null ? () -> {} : listen(notice -> notice.jobId().equals(id), notice -> notified.release());
        try {
            long pause = SHORTEST_POLL;
            while (true) {
                Job job = store.jobs().find(id).orElseThrow(() -> Refusal.notFound(id));
                long left = until - System.nanoTime();
                if (job.state().terminal() || left <= 0) {
                    return job;
                }
                boolean ended = notified.tryAcquire(Math.min(pause, left), TimeUnit.NANOSECONDS);
                pause = ended ? SHORTEST_POLL : Math.min(pause * 3 / 2, LONGEST_POLL);
            }
        } finally {
            here.close();
        }
    }

    public Optional<Job> find(JobId id) {
        return store.jobs().find(id);
    }

    public <R> Optional<JobResult<R>> find(JobDefinition<?, R> definition, JobId id) {
        return store.jobs().find(id).map(job -> {
            requireKind(definition, job);
            return JobResult.of(job, definition.result());
        });
    }

    public JobPage list(JobQuery query) {
        return store.jobs().list(query);
    }

    /** Calls {@code listener} with events of jobs in this process, until the returned subscription is closed. */
    public Subscription listen(Predicate<JobNotice> filter, Consumer<JobNotice> listener) {
        return started().backend().notices().listen(filter, listener);
    }

    // Commands

    /** Cancels a waiting job immediately, and requests a running job to end. */
    public Job cancel(JobId id) {
        return cancel(id, null);
    }

    public Job cancel(JobId id, @Nullable String reason) {
        return jobs.execute(JobCommand.cancel(id, null, reason, null));
    }

    /** Changes the run time of a waiting job. */
    public Job reschedule(JobId id, Instant runAt) {
        return edit(id, JobEdit.runTime(RunAt.at(runAt)));
    }

    public Job reschedule(JobId id, Duration delay) {
        return edit(id, JobEdit.runTime(RunAt.after(delay)));
    }

    /** Changes a waiting job; new params are validated like the params of a new job. */
    public Job edit(JobId id, JobEdit edit) {
        return jobs.execute(JobCommand.edit(id, null, edit));
    }

    /** Makes a job that waits for its run time due now. */
    public Job runNow(JobId id) {
        return jobs.execute(JobCommand.runNow(id, null));
    }

    /** Holds a waiting job: it does not run until it is released. Jobs of a schedule cannot be held. */
    public Job hold(JobId id) {
        return jobs.execute(JobCommand.hold(id, null));
    }

    /** Lets a held job run. */
    public Job release(JobId id) {
        return jobs.execute(JobCommand.release(id, null));
    }

    /** Restarts a failed or cancelled job with its full number of attempts. */
    public Job retry(JobId id) {
        return jobs.execute(JobCommand.retry(id, null));
    }

    // Components

    /** Returns the schedules, which create jobs at given times. The process that is the leader fires them. */
    public Schedules schedules() {
        return schedules;
    }

    public Registry registry() {
        return registry;
    }

    /** Returns the operations that create jobs by definition name, for transports without Java types. */
    public Jobs jobs() {
        return jobs;
    }

    /** Returns the store, for operations that have no method here. */
    public Store store() {
        return store;
    }

    // Life cycle

    /**
     * Starts to run jobs; has no effect if jobs already run. Call it after {@link LonghaulBuilder#open} or
     * {@link #stop}. Jobs of definitions that are registered later do not run in this process.
     */
    public synchronized void start() {
        requireOpen();
        if (running) {
            return;
        }
        Engine starting = engines.get();
        engine = starting;
        running = true;
        try {
            storeSchedules();
            starting.start();
        } catch (RuntimeException e) {
            new Closing().part(this::stop);
            throw e;
        }
    }

    /**
     * Stores the schedules of all definitions; if several versions declare a schedule with the same key, the highest
     * applies.
     */
    private void storeSchedules() {
        var byKey = new TreeMap<String, NewSchedule>();
        registry.all().forEach(definition -> definition.schedules().forEach(one -> byKey.put(one.key(), one)));
        byKey.values().forEach(schedules::upsert);
    }

    /** Returns whether jobs can run in this process. Lists failing background loops and runs that do not end. */
    public Health health() {
        Engine current = engine;
        return current == null
                ? new Health(false, "not started")
                : current.backend().health();
    }

    /** Stops claiming before it returns. Running jobs continue. Call {@link #close} afterwards. */
    public void stopClaiming() {
        Engine current = engine;
        if (current != null) {
            current.stopClaiming();
        }
    }

    /**
     * Stops claiming, waits up to the drain time for running jobs, gives back those that are still running, and ends the
     * maintenance tasks. Jobs can still be enqueued; {@link #start} resumes.
     */
    public void stop() {
        stop(new Closing());
    }

    private void stop(Closing closing) {
        Engine current = engine;
        if (current != null) {
            current.stop(closing);
        }
        synchronized (this) {
            running = false;
        }
        closing.throwIfAny();
    }

    /**
     * Stops claiming, waits up to the drain time for running jobs, gives back those that are still running, and stops.
     * Later calls that would run or store jobs throw {@link ErrorCode#UNAVAILABLE}.
     */
    @Override
    public void close() {
        var closing = new Closing().part(this::stop).part(releaseStore);
        closed = true;
        closing.throwIfAny();
    }

    private Engine started() {
        Engine current = engine;
        if (current == null) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "Longhaul has not been started (expected: start())");
        }
        return current;
    }

    /** Returns the backend that runs jobs. Fails when it is being stopped. */
    private WorkerBackend running() {
        WorkerBackend backend = started().backend();
        backend.requireOpen();
        return backend;
    }

    private OnTheSpot onTheSpot() {
        return new OnTheSpot(jobs, store, running());
    }

    /** Fails if this instance is closed. It is closed after its jobs were drained, because they may enqueue jobs. */
    private void requireOpen() {
        if (closed) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "Longhaul is closed; it accepts no more jobs");
        }
    }

    private static <R> JobResult<R> succeeded(JobResult<R> result) {
        if (!result.succeeded()) {
            throw new JobFailedException(result);
        }
        return result;
    }

    private Job existing(JobId id) {
        return store.jobs().find(id).orElseThrow(() -> Refusal.notFound(id));
    }

    private static void requireKind(JobDefinition<?, ?> definition, Job job) {
        String key = job.spec().definition().key();
        if (!key.equals(definition.ref().key())) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    List.of(new FieldError(
                            "jobId",
                            job.id().toString(),
                            "a job of " + definition.ref().key() + ", not of " + key)));
        }
    }
}
