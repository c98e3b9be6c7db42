package dev.longhaul.testkit;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobQuery;
import dev.longhaul.Longhaul;
import dev.longhaul.LonghaulBuilder;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.memory.MovableClock;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.spi.JobPage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ListAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A Longhaul for one test at a time, in memory. Jobs run when the test says so, in the test's own thread, hooks included; the
 * clock stands still until the test moves it. Use it as a field:
 *
 * <pre>{@code
 * @RegisterExtension
 * final LonghaulExtension jobs = LonghaulExtension.with(definition);
 * }</pre>
 *
 * <p>Code that enqueues in a transaction of its own needs a database: {@link #onPostgres}.
 */
public final class LonghaulExtension implements BeforeEachCallback, AfterEachCallback {
    /** Jobs that snooze or enqueue each other for ever would keep a test from ever ending. */
    private static final int MOST_RUNS = 2_000;

    private static final JobStatus[] WAITING_FOR_THEIR_TIME = {JobStatus.SCHEDULED, JobStatus.RETRYING};
    private static final Comparator<Job> AS_WORKERS_TAKE_THEM = Comparator.comparing(
                    (Job job) -> job.spec().priority(), Comparator.reverseOrder())
            .thenComparing(job -> job.times().runAt())
            .thenComparing(Job::id);

    private final List<JobDefinition<?, ?>> definitions;
    private final @Nullable Supplier<DataSource> database;
    private @Nullable OneTest current;

    /**
     * What a test has to itself.
     *
     * @param clock null on PostgreSQL, whose clock decides
     * @param began older jobs are of other tests; null when there are none
     */
    private record OneTest(
            Longhaul longhaul,
            @Nullable MovableClock clock,
            @Nullable Instant began) {}

    private LonghaulExtension(List<JobDefinition<?, ?>> definitions, @Nullable Supplier<DataSource> database) {
        this.definitions = definitions;
        this.database = database;
    }

    /** A Longhaul that knows these definitions. */
    public static LonghaulExtension with(JobDefinition<?, ?>... definitions) {
        return new LonghaulExtension(List.of(definitions), null);
    }

    /**
     * A Longhaul on a PostgreSQL of the test's own, for code that enqueues in its own transaction. Tables are created in the
     * schema {@code longhaul}; jobs of earlier tests stay there and are ignored. The clock cannot be moved: {@link #runAll} runs
     * jobs without waiting for their time.
     */
    public static LonghaulExtension onPostgres(Supplier<DataSource> database, JobDefinition<?, ?>... definitions) {
        return new LonghaulExtension(List.of(definitions), database);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        MovableClock clock = database == null ? new MovableClock() : null;
        LonghaulBuilder builder = Longhaul.builder();
        if (database != null) {
            builder.postgres(database.get());
        } else if (clock != null) {
            builder.store(new MemoryStore(clock));
        }
        Longhaul longhaul = builder.register(definitions.toArray(JobDefinition<?, ?>[]::new))
                .enqueueOnly()
                .start();
        Instant began = clock == null ? longhaul.store().now() : null;
        current = new OneTest(longhaul, clock, began);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        OneTest ended = current;
        current = null;
        if (ended != null) {
            ended.longhaul().close();
        }
    }

    /** The Longhaul to hand to the code under test. */
    public Longhaul longhaul() {
        return test().longhaul();
    }

    // Time

    public MovableClock clock() {
        MovableClock clock = test().clock();
        if (clock == null) {
            throw new IllegalStateException("PostgreSQL's clock cannot be moved (expected: LonghaulExtension.with)");
        }
        return clock;
    }

    /** Moves the clock; nothing runs by that alone. */
    public void advance(Duration by) {
        clock().advance(by);
    }

    // Running

    /** Runs one waiting job, due or not, and answers how it stands then. */
    public Job run(JobId id) {
        Job job = find(id);
        JobDefinition<?, ?> definition = longhaul()
                .registry()
                .find(job.spec().definition())
                .orElseThrow(() -> new AssertionError("definition " + job.spec().definition() + " is not registered"));
        longhaul().runOne(definition, id);
        return find(id);
    }

    /**
     * Fires schedules that are due. Runs what is due, and what becomes due by that, one job after the other in the order in which a worker takes them. Then
     * runs the hooks of jobs that ended without a run. Answers how many runs that were.
     */
    public int runDue() {
        int runs = 0;
        longhaul().fireSchedules();
        for (var next = nextDue(); next.isPresent(); next = nextDue()) {
            run(next.get().id());
            requireAnEnd(++runs);
        }
        longhaul().tick(1);
        return runs;
    }

    /**
     * Runs until no job waits any more, moving the clock on to the next job's time again and again. Schedules fire that become due
     * by that; it does not wait for them.
     */
    public int runAll() {
        int runs = runDue();
        for (var next = nextWaiting(); next.isPresent(); next = nextWaiting()) {
            if (test().clock() == null) {
                run(next.get().id());
                runs++;
            } else {
                advance(Duration.between(clock().instant(), next.get().times().runAt()));
            }
            runs += runDue();
            requireAnEnd(runs);
        }
        return runs;
    }

    // Asserting

    /** How that job stands. */
    public JobAssert assertThatJob(JobId id) {
        return new JobAssert(longhaul(), find(id));
    }

    /** The only job of that definition. */
    public JobAssert assertThatOnlyJob(JobDefinition<?, ?> definition) {
        List<Job> jobs = jobsOf(definition);
        Assertions.assertThat(jobs).as("jobs of %s", definition).hasSize(1);
        return new JobAssert(longhaul(), jobs.get(0));
    }

    /** The params of all jobs of that definition, whatever became of them, in the order in which they were enqueued. */
    @SuppressWarnings("NullAway") // Params are null only where their type is Void.
    public <P> ListAssert<P> assertThatEnqueued(JobDefinition<P, ?> definition) {
        List<P> params = new ArrayList<>();
        jobsOf(definition)
                .forEach(job -> params.add(definition.params().read(job.spec().params())));
        return Assertions.assertThat(params).as("params of the jobs of %s", definition);
    }

    private OneTest test() {
        if (current == null) {
            throw new IllegalStateException("no test runs now (expected: a field with @RegisterExtension)");
        }
        return current;
    }

    private Job find(JobId id) {
        return longhaul().find(id).orElseThrow(() -> new AssertionError("there is no job " + id));
    }

    private Optional<Job> nextDue() {
        Set<String> paused = longhaul().store().queues().all().stream()
                .filter(queue -> queue.pause() != null)
                .map(QueueStats::queue)
                .collect(Collectors.toSet());
        return jobs(JobQuery.where().statuses(JobStatus.QUEUED)).stream()
                .filter(job -> !paused.contains(job.spec().queue()))
                .min(AS_WORKERS_TAKE_THEM);
    }

    private Optional<Job> nextWaiting() {
        return jobs(JobQuery.where().statuses(WAITING_FOR_THEIR_TIME)).stream()
                .min(Comparator.comparing(job -> job.times().runAt()));
    }

    private void requireAnEnd(int runs) {
        if (runs >= MOST_RUNS) {
            throw new AssertionError("jobs still wait after " + runs
                    + " runs; do they snooze or enqueue each other for ever? The next: " + nextDue());
        }
    }

    private List<Job> jobsOf(JobDefinition<?, ?> definition) {
        return jobs(JobQuery.where().definitionKey(definition.ref().key())).stream()
                .filter(job -> job.spec().definition().equals(definition.ref()))
                .toList();
    }

    private boolean ofThisTest(Job job) {
        Instant began = test().began();
        return began == null || !job.times().createdAt().isBefore(began);
    }

    /** All of them, oldest first. */
    private List<Job> jobs(JobQuery.Builder query) {
        var all = new ArrayList<Job>();
        JobId cursor = null;
        do {
            JobPage page = longhaul()
                    .list(query.order(JobQuery.Order.OLDEST).cursor(cursor).build());
            page.jobs().stream().filter(this::ofThisTest).forEach(all::add);
            cursor = page.nextCursor();
        } while (cursor != null);
        return all;
    }
}
