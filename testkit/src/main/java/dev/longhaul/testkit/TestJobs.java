package dev.longhaul.testkit;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobQuery;
import dev.longhaul.Longhaul;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.memory.MovableClock;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobPage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ListAssert;
import org.jspecify.annotations.Nullable;

/**
 * Runs and checks the jobs of a test. Jobs run only when the test calls {@link #run}, {@link #runDue} or
 * {@link #runAll}, in the test's thread. In memory, the clock stops until the test advances it.
 */
public final class TestJobs {
    /** Maximum number of runs, which stops a test whose jobs snooze or enqueue each other without end. */
    private static final int MOST_RUNS = 2_000;

    private static final JobStatus[] WAITING_FOR_THEIR_TIME = {JobStatus.SCHEDULED, JobStatus.RETRYING};
    private static final Comparator<Job> AS_WORKERS_TAKE_THEM = Comparator.comparing(
                    (Job job) -> job.spec().priority(), Comparator.reverseOrder())
            .thenComparing(job -> job.times().runAt())
            .thenComparing(Job::id);

    private final Longhaul longhaul;
    private final @Nullable MovableClock clock;
    private Instant began;

    private TestJobs(Longhaul longhaul, @Nullable MovableClock clock) {
        this.longhaul = longhaul;
        this.clock = clock;
        this.began = longhaul.store().now();
    }

    /** Creates an instance for the jobs of a Longhaul whose store uses this clock, such as {@link TestStore}. */
    public static TestJobs inMemory(Longhaul longhaul, MovableClock clock) {
        return new TestJobs(longhaul, clock);
    }

    /**
     * Creates an instance for the jobs of a Longhaul on PostgreSQL, which uses its own clock. Existing jobs are
     * ignored.
     */
    public static TestJobs onPostgres(Longhaul longhaul) {
        return new TestJobs(longhaul, null);
    }

    /**
     * Starts a test that shares the Longhaul with earlier tests: cancels their waiting jobs, and ignores all their jobs
     * from now on.
     */
    public void startTest() {
        if (clock != null) {
            // Stored times have microseconds. The first job of this test must be younger than the last job of the
            // previous test.
            advance(Duration.ofMillis(1));
        }
        jobs(JobQuery.where()).stream()
                .filter(job -> !job.state().terminal())
                .forEach(job -> longhaul.jobs().execute(JobCommand.cancel(job.id(), null, "of an earlier test", null)));
        began = longhaul.store().now();
    }

    /** Returns the Longhaul to pass to the code under test. */
    public Longhaul longhaul() {
        return longhaul;
    }

    // Time

    /** Returns the clock of the store in memory, which stops until the test advances it. */
    public MovableClock clock() {
        MovableClock movable = clock;
        if (movable == null) {
            throw new IllegalStateException("PostgreSQL's clock cannot be advanced (expected: the store in memory)");
        }
        return movable;
    }

    /** Advances the clock. Runs no jobs. */
    public void advance(Duration by) {
        clock().advance(by);
    }

    // Running jobs

    /** Runs one waiting job, even if it is not due, and returns it. */
    public Job run(JobId id) {
        Job job = find(id);
        JobDefinition<?, ?> definition = longhaul.registry()
                .find(job.spec().definition())
                .orElseThrow(() -> new AssertionError("definition " + job.spec().definition() + " is not registered"));
        longhaul.runOne(definition, id);
        return find(id);
    }

    /**
     * Fires due schedules. Then runs due jobs one after the other, in the order in which a worker would claim them,
     * including jobs that become due meanwhile. Then runs the hooks of jobs that ended without a run. Returns the
     * number of runs.
     */
    public int runDue() {
        int runs = 0;
        longhaul.fireSchedules();
        for (var next = nextDue(); next.isPresent(); next = nextDue()) {
            run(next.get().id());
            requireAnEnd(++runs);
        }
        longhaul.tick(1);
        return runs;
    }

    /**
     * Runs jobs until none is waiting. Advances the clock to the run time of the next job each time, and fires
     * schedules that become due by that; does not advance the clock for schedules.
     */
    public int runAll() {
        int runs = runDue();
        for (var next = nextWaiting(); next.isPresent(); next = nextWaiting()) {
            if (clock == null) {
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

    /** Starts an assertion about a job. */
    public JobAssert assertThatJob(JobId id) {
        return new JobAssert(longhaul, find(id));
    }

    /** Starts an assertion about the only job of a definition. */
    public JobAssert assertThatOnlyJob(JobDefinition<?, ?> definition) {
        List<Job> jobs = jobsOf(definition);
        Assertions.assertThat(jobs).as("jobs of %s", definition).hasSize(1);
        return new JobAssert(longhaul, jobs.get(0));
    }

    /** Starts an assertion about the params of all jobs of a definition, of any status, in the order of enqueueing. */
    @SuppressWarnings("NullAway") // Params are null only if their type is Void.
    public <P> ListAssert<P> assertThatEnqueued(JobDefinition<P, ?> definition) {
        List<P> params = new ArrayList<>();
        jobsOf(definition)
                .forEach(job -> params.add(definition.params().read(job.spec().params())));
        return Assertions.assertThat(params).as("params of the jobs of %s", definition);
    }

    private Job find(JobId id) {
        return longhaul.find(id).orElseThrow(() -> new AssertionError("job not found: " + id));
    }

    private Optional<Job> nextDue() {
        Set<String> paused = longhaul.store().queues().all().stream()
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
        return !job.times().createdAt().isBefore(began);
    }

    /** Returns all jobs of the test, oldest first. */
    private List<Job> jobs(JobQuery.Builder query) {
        var all = new ArrayList<Job>();
        JobId cursor = null;
        do {
            JobPage page = longhaul.list(
                    query.order(JobQuery.Order.OLDEST).cursor(cursor).build());
            page.jobs().stream().filter(this::ofThisTest).forEach(all::add);
            cursor = page.nextCursor();
        } while (cursor != null);
        return all;
    }
}
