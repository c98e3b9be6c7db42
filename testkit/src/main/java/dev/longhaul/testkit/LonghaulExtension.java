package dev.longhaul.testkit;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.LonghaulBuilder;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.memory.MovableClock;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
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
 * <p>Jobs of {@code later(connection, …)} exist at once, even if that transaction rolls back. To test the transaction, use
 * {@link #onPostgres}.
 */
public final class LonghaulExtension implements BeforeEachCallback, AfterEachCallback {
    private final List<JobDefinition<?, ?>> definitions;
    private final @Nullable Supplier<DataSource> database;
    private @Nullable TestJobs current;

    private LonghaulExtension(List<JobDefinition<?, ?>> definitions, @Nullable Supplier<DataSource> database) {
        this.definitions = definitions;
        this.database = database;
    }

    /** Creates an in-memory Longhaul with these definitions. */
    public static LonghaulExtension with(JobDefinition<?, ?>... definitions) {
        return new LonghaulExtension(List.of(definitions), null);
    }

    /**
     * Creates a Longhaul on the test's PostgreSQL, for code that enqueues in its own transaction. The tables are
     * created in the schema {@code longhaul}; jobs of earlier tests stay there and are ignored. The clock cannot be
     * advanced: {@link #runAll} runs jobs without waiting for their run time.
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
            builder.store(new TestStore(clock));
        }
        Longhaul longhaul = builder.register(definitions.toArray(JobDefinition<?, ?>[]::new))
                .enqueueOnly()
                .start();
        current = clock == null ? TestJobs.onPostgres(longhaul) : TestJobs.inMemory(longhaul, clock);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestJobs ended = current;
        current = null;
        if (ended != null) {
            ended.longhaul().close();
        }
    }

    /** Returns the Longhaul to pass to the code under test. */
    public Longhaul longhaul() {
        return test().longhaul();
    }

    // Methods of TestJobs

    public MovableClock clock() {
        return test().clock();
    }

    /** Advances the clock. Runs no jobs. */
    public void advance(Duration by) {
        test().advance(by);
    }

    /** Runs one waiting job, even if it is not due, and returns it. */
    public Job run(JobId id) {
        return test().run(id);
    }

    /**
     * Fires due schedules. Then runs due jobs one after the other, in the order in which a worker would claim them,
     * including jobs that become due meanwhile. Then runs the hooks of jobs that ended without a run. Returns the
     * number of runs.
     */
    public int runDue() {
        return test().runDue();
    }

    /**
     * Runs jobs until none is waiting. Advances the clock to the run time of the next job each time, and fires
     * schedules that become due by that; does not advance the clock for schedules.
     */
    public int runAll() {
        return test().runAll();
    }

    /** Starts an assertion about a job. */
    public JobAssert assertThatJob(JobId id) {
        return test().assertThatJob(id);
    }

    /** Starts an assertion about the only job of a definition. */
    public JobAssert assertThatOnlyJob(JobDefinition<?, ?> definition) {
        return test().assertThatOnlyJob(definition);
    }

    /** Starts an assertion about the params of all jobs of a definition, of any status, in the order of enqueueing. */
    public <P> ListAssert<P> assertThatEnqueued(JobDefinition<P, ?> definition) {
        return test().assertThatEnqueued(definition);
    }

    private TestJobs test() {
        if (current == null) {
            throw new IllegalStateException("no test is running (expected: a field with @RegisterExtension)");
        }
        return current;
    }
}
