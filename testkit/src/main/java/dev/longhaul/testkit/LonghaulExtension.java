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
 * An in-memory Longhaul for each test. Jobs and their hooks run only when the test calls {@link #run}, {@link #runDue} or
 * {@link #runAll}, in the test's thread. The clock stops until the test advances it. Use it as a field:
 *
 * <pre>{@code
 * @RegisterExtension
 * final LonghaulExtension jobs = LonghaulExtension.with(definition);
 * }</pre>
 *
 * <p>Code that enqueues in its own transaction needs a database: {@link #onPostgres}.
 */
public final class LonghaulExtension implements BeforeEachCallback, AfterEachCallback {
    /** Stops a test whose jobs snooze or enqueue each other without end. */
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
     * The state of one test.
     *
     * @param clock null on PostgreSQL, which uses its own clock
     * @param began start of the test, to ignore jobs of earlier tests; null if there are none
     */
    private record OneTest(
            Longhaul longhaul,
            @Nullable MovableClock clock,
            @Nullable Instant began) {}

    private LonghaulExtension(List<JobDefinition<?, ?>> definitions, @Nullable Supplier<DataSource> database) {
        this.definitions = definitions;
        this.database = database;
    }

    /** An in-memory Longhaul with these definitions. */
    public static LonghaulExtension with(JobDefinition<?, ?>... definitions) {
        return new LonghaulExtension(List.of(definitions), null);
    }

    /**
     * A Longhaul on the test's PostgreSQL, for code that enqueues in its own transaction. Tables are created in the schema
     * {@code longhaul}; jobs of earlier tests stay there and are ignored. The clock cannot be advanced: {@link #runAll} runs jobs
     * without waiting for their run time.
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

    /** The Longhaul to pass to the code under test. */
    public Longhaul longhaul() {
        return test().longhaul();
    }

    // Time

    public MovableClock clock() {
        MovableClock clock = test().clock();
        if (clock == null) {
            throw new IllegalStateException("PostgreSQL's clock cannot be advanced (expected: LonghaulExtension.with)");
        }
        return clock;
    }

    /** Advances the clock. Runs no jobs. */
    public void advance(Duration by) {
        clock().advance(by);
    }

    // Running jobs

    /** Runs one waiting job, due or not, and returns it. */
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
     * Fires due schedules, then runs due jobs one after the other, in the order in which a worker claims them, including jobs that
     * become due meanwhile. Then runs the hooks of jobs that ended without a run. Returns the number of runs.
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
     * Runs jobs until none is waiting, advancing the clock to the run time of the next job each time. Fires schedules that become
     * due on the way, but does not wait for them.
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

    // Assertions

    /** Asserts on a job. */
    public JobAssert assertThatJob(JobId id) {
        return new JobAssert(longhaul(), find(id));
    }

    /** Asserts on the only job of a definition. */
    public JobAssert assertThatOnlyJob(JobDefinition<?, ?> definition) {
        List<Job> jobs = jobsOf(definition);
        Assertions.assertThat(jobs).as("jobs of %s", definition).hasSize(1);
        return new JobAssert(longhaul(), jobs.get(0));
    }

    /** Asserts on the params of all jobs of a definition, of any status, in the order of enqueueing. */
    @SuppressWarnings("NullAway") // Params are null only if their type is Void.
    public <P> ListAssert<P> assertThatEnqueued(JobDefinition<P, ?> definition) {
        List<P> params = new ArrayList<>();
        jobsOf(definition)
                .forEach(job -> params.add(definition.params().read(job.spec().params())));
        return Assertions.assertThat(params).as("params of the jobs of %s", definition);
    }

    private OneTest test() {
        if (current == null) {
            throw new IllegalStateException("no test is running (expected: a field with @RegisterExtension)");
        }
        return current;
    }

    private Job find(JobId id) {
        return longhaul().find(id).orElseThrow(() -> new AssertionError("job not found: " + id));
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
                    + " runs; do they snooze or enqueue each other without end? Next job: " + nextDue());
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

    /** All jobs of the test, oldest first. */
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
