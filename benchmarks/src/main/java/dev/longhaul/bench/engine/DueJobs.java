package dev.longhaul.bench.engine;

import dev.longhaul.JobDefinition;
import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Engine;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Load;
import dev.longhaul.bench.measure.Noop;
import dev.longhaul.bench.measure.Starts;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RunAt;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/** Stores jobs before they are due, and measures how late the running engine starts them. */
final class DueJobs {
    private static final int WARM_UP = 20_000;
    private static final double PATIENCE_SECONDS = 120;

    private DueJobs() {}

    /**
     * The result of a measurement.
     *
     * @param millis the delay of each started job, from its due time to its start
     * @param lost number of jobs that were not started
     * @param repeated number of jobs that were started twice
     */
    record Lateness(Figures millis, int lost, int repeated) {}

    /** Measures jobs. Job {@code n} is due {@code dueMicros(n)} microseconds after the first job. */
    static Lateness measure(Bench bench, int jobs, IntToLongFunction dueMicros) throws Exception {
        bench.fresh().close();
        int warmUp = Math.min(WARM_UP, jobs);
        var starts = new Starts(jobs + warmUp);
        var noop = Noop.definition(Engine::wallMicros, starts);
        try (Engine engine = Engine.start(bench, noop)) {
            long before = System.nanoTime();
            engine.enqueue(noop, jobs, jobs + warmUp);
            double perJob = (System.nanoTime() - before) / 1e9 / warmUp;
            if (!starts.await(warmUp, PATIENCE_SECONDS)) {
                throw new IllegalStateException("warm-up: " + starts.count() + " (expected: " + warmUp + ")");
            }
            // Leaves enough time to store all jobs, even if storing takes longer than it did for the first ones.
            long first = Engine.wallMicros() + (long) ((2 + 2 * perJob * jobs) * 1e6);
            insert(engine, noop, jobs, n -> first + dueMicros.applyAsLong(n));
            if (Engine.wallMicros() > first) {
                throw new IllegalStateException("the first job was due before the last was stored; try again");
            }
            double ahead = (first + dueMicros.applyAsLong(jobs - 1) - Engine.wallMicros()) / 1e6;
            boolean all = starts.await(jobs + warmUp, ahead + PATIENCE_SECONDS);
            if (all) {
                engine.awaitAllStored(PATIENCE_SECONDS);
            }
            var millis = new ArrayList<Double>();
            for (int n = 0; n < jobs; n++) {
                if (starts.micros(n) > 0) {
                    millis.add((starts.micros(n) - first - dueMicros.applyAsLong(n)) / 1e3);
                }
            }
            return new Lateness(new Figures(millis), jobs - millis.size(), starts.repeated());
        }
    }

    private static void insert(
            Engine engine, JobDefinition<Noop.Video, Noop.Done> noop, int jobs, IntToLongFunction dueMicros) {
        for (int first = 0; first < jobs; first += Load.BATCH) {
            engine.longhaul()
                    .store()
                    .jobs()
                    .insert(IntStream.range(first, Math.min(jobs, first + Load.BATCH))
                            .mapToObj(n -> JobSpec.of(noop.ref(), noop.params().write(Noop.video(n)))
                                    .runTime(RunAt.at(Instant.EPOCH.plus(dueMicros.applyAsLong(n), ChronoUnit.MICROS)))
                                    .build())
                            .toList());
        }
    }
}
