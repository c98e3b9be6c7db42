package dev.longhaul.engine.run;

import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.engine.FaultyStore;
import dev.longhaul.engine.MapWorkSource;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.ClaimById;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** A work source that fails on demand, and jobs claimed from it, for tests of the engine and its parts. */
public final class Workbench {
    public static final Duration LEASE = Duration.ofMinutes(1);
    /** How long a test waits for something that should happen immediately. */
    public static final long PATIENCE_SECONDS = 20;

    public record Empty() {}

    public static final JobDefinition<Empty, Empty> NOTHING =
            JobDefinition.of("nothing", Empty.class, Empty.class).handler((params, context) -> new Empty());

    public final MapWorkSource source = new MapWorkSource();
    public final FaultyStore faults = new FaultyStore(source);
    public final WorkSource store = faults.store();
    public final Report.Pending reports = new Report.Pending();
    public final RunContext.Surroundings surroundings =
            new RunContext.Surroundings(store, reports, () -> false, LEASE, null);
    public final LiveRuns live = new LiveRuns(new Registry(), surroundings);

    /** Stores jobs and claims them. */
    public List<LiveRun> claimed(int jobs) {
        List<JobSpec> specs = IntStream.range(0, jobs)
                .mapToObj(i -> JobSpec.of(NOTHING.ref(), "{}").build())
                .toList();
        return claimed(specs, NOTHING, RunTracing.OFF);
    }

    /** Stores the given jobs, claims them and traces their runs. */
    public List<LiveRun> claimed(List<JobSpec> specs, JobDefinition<?, ?> definition, RunTracing tracing) {
        source.insert(specs);
        var request = ClaimRequest.of("worker", List.of(JobSpec.DEFAULT_QUEUE), null, specs.size(), LEASE);
        List<LiveRun> runs = source.claim(request).stream()
                .map(claimed -> new LiveRun(claimed, definition, surroundings, tracing.claimed(claimed, Duration.ZERO)))
                .toList();
        runs.forEach(live::add);
        return runs;
    }

    public LiveRun claimed() {
        return claimed(1).get(0);
    }

    /** The stored job of the run. */
    public Job job(LiveRun run) {
        return source.find(run.claim().jobId()).orElseThrow();
    }

    /** Claims the next job, whatever id is given; for tests with a single waiting job. */
    public ClaimById byId() {
        return (id, key, workerId, lease) -> source.claim(new ClaimRequest(
                        key,
                        workerId,
                        List.of(JobSpec.DEFAULT_QUEUE),
                        null,
                        1,
                        lease,
                        false,
                        null,
                        ClaimRequest.Begin.ORDINARY))
                .get(0);
    }

    /** Takes the lease of the run's job without notifying the run. */
    public void steal(LiveRun run) {
        source.apply(List.of(Transition.giveBack(run.claim())));
    }

    /** Waits until the store method has been called so many times. */
    public void awaitCalls(String method, int times) {
        await(times + " calls of " + method, () -> faults.calls(method) >= times);
    }

    /** Polls until the condition is true. */
    public static void await(String what, BooleanSupplier so) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!so.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new AssertionError("timeout after " + PATIENCE_SECONDS + " s: " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    public static <T> T soon(Future<T> future) throws Exception {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
}
