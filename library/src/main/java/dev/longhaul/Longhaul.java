package dev.longhaul;

import static dev.longhaul.JobOptions.options;

import dev.longhaul.engine.JobNotice;
import dev.longhaul.engine.Worker;
import dev.longhaul.engine.WorkerBackend;
import dev.longhaul.engine.upkeep.ScheduleFirer;
import dev.longhaul.engine.upkeep.Scheduler;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.Closing;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RunTime;
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
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Durable background jobs in a Java application. Start one per process, with {@link #builder()}; everything on it may be called
 * from any thread. What {@code later} has returned is committed and will run, here or in any process on the same database.
 */
public final class Longhaul implements AutoCloseable {
    private static final long SHORTEST_POLL = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_POLL = TimeUnit.MILLISECONDS.toNanos(500);

    private final Registry registry;
    private final Store store;
    private final Jobs jobs;
    private final Schedules schedules;
    private final WorkerBackend backend;
    private final @Nullable Worker worker;
    private final @Nullable Scheduler scheduler;
    private final OnTheSpot onTheSpot;
    private final Runnable releaseStore;
    private volatile boolean closed;

    Longhaul(Parts parts) {
        this.registry = parts.registry();
        this.store = parts.store();
        this.backend = parts.backend();
        this.worker = parts.worker();
        this.scheduler = parts.scheduler();
        this.releaseStore = parts.releaseStore();
        this.jobs = new Jobs(registry, store);
        this.schedules = new Schedules(jobs, store);
        this.onTheSpot = new OnTheSpot(jobs, store, backend);
    }

    /** What a running Longhaul is made of. */
    record Parts(
            Registry registry,
            Store store,
            WorkerBackend backend,
            @Nullable Worker worker,
            @Nullable Scheduler scheduler,
            Runnable releaseStore) {}

    public static LonghaulBuilder builder() {
        return new LonghaulBuilder();
    }

    // Asking for jobs

    /** Queues a job. */
    public <P> JobId later(JobDefinition<P, ?> definition, P params) {
        return later(definition, params, options());
    }

    public <P> JobId later(JobDefinition<P, ?> definition, P params, JobOptions options) {
        requireOpen();
        return jobs.enqueue(jobs.spec(definition, params, options)).id();
    }

    /** Queues a job in the caller's own transaction: it exists if and when that commits. Needs PostgreSQL. */
    public <P> JobId later(Connection connection, JobDefinition<P, ?> definition, P params) throws SQLException {
        return later(connection, definition, params, options());
    }

    public <P> JobId later(Connection connection, JobDefinition<P, ?> definition, P params, JobOptions options)
            throws SQLException {
        requireOpen();
        TransactionalInserts inserts = store.capability(TransactionalInserts.class)
                .orElseThrow(() -> new LonghaulException(
                        ErrorCode.FAILED_PRECONDITION,
                        "a caller's transaction needs a store on PostgreSQL; this one is "
                                + store.getClass().getSimpleName()));
        JobSpec spec = jobs.spec(definition, params, options);
        return inserts.insert(connection, List.of(spec)).get(0).job().id();
    }

    /** Queues many jobs, all or none, in one commit. */
    public <P> List<JobId> laterAll(JobDefinition<P, ?> definition, List<P> params, JobOptions options) {
        requireOpen();
        List<JobSpec> specs =
                params.stream().map(one -> jobs.spec(definition, one, options)).toList();
        return jobs.enqueueAll(specs).stream().map(Inserted::job).map(Job::id).toList();
    }

    // Running on the spot

    /** Stores a job and runs it here and now, in the calling thread, once; throws {@link JobFailedException} if it fails. */
    public <P, R> JobResult<R> now(JobDefinition<P, R> definition, P params) {
        return now(definition, params, options());
    }

    public <P, R> JobResult<R> now(JobDefinition<P, R> definition, P params, JobOptions options) {
        backend.requireOpen();
        return succeeded(onTheSpot.stored(definition, params, options));
    }

    /** Runs the code here and now, in the calling thread, without storing anything. */
    public <P, R> JobResult<R> nowUnstored(JobDefinition<P, R> definition, P params) {
        backend.requireOpen();
        return succeeded(onTheSpot.unstored(definition, params));
    }

    /** Runs many here and now; every result comes back in the order of the params, failed ones with their error. */
    public <P, R> List<JobResult<R>> batch(JobDefinition<P, R> definition, List<P> params, BatchOptions options) {
        backend.requireOpen();
        return onTheSpot.batch(definition, params, options);
    }

    /** Runs one waiting job here and now, due or not. */
    public <R> JobResult<R> runOne(JobDefinition<?, R> definition, JobId id) {
        backend.requireOpen();
        requireKind(definition, existing(id));
        ClaimedJob claimed = backend.claim(id, store.claimById());
        WorkerBackend.Executed executed = backend.execute(claimed);
        return JobResult.of(existing(executed.jobId()), definition.result());
    }

    /**
     * One pass for cron triggers and serverless: frees jobs of dead workers, fires schedules, runs up to 5 due jobs, reports, and is
     * done.
     */
    public TickReport tick() {
        return tick(5);
    }

    public TickReport tick(int max) {
        backend.requireOpen();
        return new Tick(store, backend, this::fireSchedules).run(max);
    }

    /** Makes the jobs of schedules that are due, unless another process leads and does so; answers how many. */
    public int fireSchedules() {
        backend.requireOpen();
        return ScheduleFirer.passOf(
                store, "fire-" + backend.config().workerId(), backend.config().lease());
    }

    // Watching

    /** Waits until the job has ended, or for that long; then answers how it stands. */
    public <R> JobResult<R> await(JobDefinition<?, R> definition, JobId id, Duration patience)
            throws InterruptedException {
        Job job = awaitEnd(id, patience);
        requireKind(definition, job);
        return JobResult.of(job, definition.result());
    }

    /** Polls the store for a job that ends in another process; the end of one in this process is notified. */
    private Job awaitEnd(JobId id, Duration patience) throws InterruptedException {
        long until = System.nanoTime() + patience.toNanos();
        var notified = new Semaphore(0);
        Subscription here = backend.notices().listen(notice -> notice.jobId().equals(id), notice -> notified.release());
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

    /** Calls {@code listener} on what this process does to jobs, until the subscription is closed. */
    public Subscription listen(Predicate<JobNotice> filter, Consumer<JobNotice> listener) {
        return backend.notices().listen(filter, listener);
    }

    // Changing

    /** Ends a waiting job at once; a running one is told to end. */
    public Job cancel(JobId id) {
        return cancel(id, null);
    }

    public Job cancel(JobId id, @Nullable String reason) {
        return jobs.execute(JobCommand.cancel(id, null, reason, null));
    }

    /** Gives a waiting job another time. */
    public Job reschedule(JobId id, Instant runAt) {
        return edit(id, JobEdit.runTime(RunTime.at(runAt)));
    }

    public Job reschedule(JobId id, Duration delay) {
        return edit(id, JobEdit.runTime(RunTime.after(delay)));
    }

    /** Changes a waiting job; new params are checked like those of a new one. */
    public Job edit(JobId id, JobEdit edit) {
        return jobs.execute(JobCommand.edit(id, null, edit));
    }

    /** Makes a job that waits for its time due now. */
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

    /** Starts a failed or cancelled job over. */
    public Job retry(JobId id) {
        return jobs.execute(JobCommand.retry(id, null));
    }

    // The parts

    /** What makes jobs at given times, whichever process leads then. */
    public Schedules schedules() {
        return schedules;
    }

    public Registry registry() {
        return registry;
    }

    /** Asks for jobs by name, for doors that know no Java types. */
    public Jobs jobs() {
        return jobs;
    }

    /** Where the jobs live, for everything that has no method here. */
    public Store store() {
        return store;
    }

    /** Whether jobs can run here: background loops of this process that fail are named, and so are runs that do not end. */
    public Health health() {
        return backend.health();
    }

    /** Begins no more jobs once this returns; those that run go on. What is left to do is {@link #close}. */
    public void stopClaiming() {
        if (worker != null) {
            worker.stopClaiming();
        }
    }

    /**
     * Stops claiming, lets running jobs end for as long as the drain time allows, gives back the rest, and stops. What would run or
     * store jobs afterwards is refused as {@link ErrorCode#UNAVAILABLE}.
     */
    @Override
    public void close() {
        var closing = new Closing();
        if (worker != null) {
            closing.part(worker::close);
        }
        closing.part(backend::close);
        if (scheduler != null) {
            closing.part(scheduler::close);
        }
        closing.part(releaseStore);
        closed = true;
        closing.throwIfAny();
    }

    /** Jobs may be asked for until the last running one has ended, for running code asks for jobs too. */
    private void requireOpen() {
        if (closed) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "closed; no more jobs are stored here");
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
