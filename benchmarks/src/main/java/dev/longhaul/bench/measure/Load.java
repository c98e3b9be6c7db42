package dev.longhaul.bench.measure;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The work that is measured: the same jobs, batches and loops as in {@code Ceiling}, but through the store. */
public final class Load {
    public static final int BATCH = 500;
    public static final DefinitionRef NOOP = new DefinitionRef("demo.noop", 1);
    static final List<String> QUEUES = List.of(JobSpec.DEFAULT_QUEUE);

    private static final String PARAMS = "{\"url\":\"https://example.com/video.mp4\",\"n\":123}";
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final int WARM_UP = 20_000;

    private Load() {}

    /** Enqueues and drains as many jobs as {@code Ceiling} does for its warm-up. */
    public static void warmUp(PostgresStore store, Options options) throws Exception {
        int jobs = Math.min(WARM_UP, options.jobs());
        enqueue(store, jobs);
        drain(store, new AtomicInteger(jobs));
    }

    public static void enqueue(PostgresStore store, int jobs) {
        enqueue(store, jobs, NOOP, spec -> spec);
    }

    public static void enqueue(
            PostgresStore store, int jobs, DefinitionRef definition, UnaryOperator<JobSpec.Builder> choices) {
        for (int left = jobs; left > 0; left -= BATCH) {
            store.jobs()
                    .insert(Stream.generate(() -> choices.apply(JobSpec.of(definition, PARAMS))
                                    .build())
                            .limit(Math.min(BATCH, left))
                            .toList());
        }
    }

    public static void drain(PostgresStore store, AtomicInteger left) throws InterruptedException {
        drain(store, left, Set.of(NOOP));
    }

    public static void drain(PostgresStore store, AtomicInteger left, Set<DefinitionRef> definitions)
            throws InterruptedException {
        while (left.get() > 0) {
            List<ClaimedJob> jobs = claim(store, BATCH, definitions);
            if (jobs.isEmpty()) {
                Thread.sleep(1);
                continue;
            }
            left.addAndGet(-succeed(store, jobs));
        }
    }

    public static List<ClaimedJob> claim(PostgresStore store, int max, Set<DefinitionRef> definitions) {
        return store.work().claim(ClaimRequest.of(Thread.currentThread().getName(), QUEUES, definitions, max, LEASE));
    }

    /** Ends the runs of the jobs with success. Returns how many of these ends were accepted. */
    public static int succeed(PostgresStore store, List<ClaimedJob> jobs) {
        List<Verdict> verdicts = store.work()
                .apply(jobs.stream()
                        .map(job -> Transition.succeed(job.claim(), "{}"))
                        .toList());
        return (int) verdicts.stream().filter(Verdict::won).count();
    }

    /** Drains that many due jobs with two drainers. Returns jobs per second. */
    public static double drainRate(PostgresStore store, int jobs, Set<DefinitionRef> definitions) throws Exception {
        var left = new AtomicInteger(jobs);
        Work drain = () -> drain(store, left, definitions);
        return jobs / seconds(drain, drain);
    }

    /** An action that may throw. */
    public interface Work {
        void run() throws Exception;
    }

    /** Runs all of these concurrently. Returns the duration of the longest in seconds. */
    public static double seconds(Work... parallel) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(parallel.length);
        try {
            var calls = new ArrayList<Callable<Boolean>>();
            for (Work work : parallel) {
                calls.add(() -> {
                    work.run();
                    return true;
                });
            }
            long start = System.nanoTime();
            for (Future<Boolean> done : threads.invokeAll(calls)) {
                done.get();
            }
            return (System.nanoTime() - start) / 1e9;
        } finally {
            threads.shutdownNow();
        }
    }
}
