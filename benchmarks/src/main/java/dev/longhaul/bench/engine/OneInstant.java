package dev.longhaul.bench.engine;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.EngineScenario;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.RoundTrip;
import dev.longhaul.bench.measure.Target;
import java.util.ArrayList;
import java.util.Locale;

/**
 * Measures how late the last of many jobs starts when all jobs are due at the same instant, for example at the full
 * hour.
 */
final class OneInstant implements EngineScenario {
    private static final int JOBS = 10_000;

    @Override
    public void run(Bench bench, EngineTable table) throws Exception {
        int jobs = Math.min(JOBS, bench.options().jobs());
        Figures control = table.note(RoundTrip.measure(bench));
        var p99s = new ArrayList<Double>();
        for (int round = 1; round <= bench.options().rounds(); round++) {
            DueJobs.Lateness lateness = DueJobs.measure(bench, jobs, n -> 0);
            if (lateness.lost() + lateness.repeated() > 0) {
                throw new IllegalStateException(
                        "lost: " + lateness.lost() + ", started twice: " + lateness.repeated() + " (expected: none)");
            }
            p99s.add(lateness.millis().percentile(99));
            bench.progress(
                    "instant: round %d, %,d jobs, first %.1f ms, p50 %.1f ms, p99 %.1f ms, last %.1f ms after it",
                    round,
                    jobs,
                    lateness.millis().percentile(0),
                    lateness.millis().median(),
                    lateness.millis().percentile(99),
                    lateness.millis().max());
        }
        table.millis(
                String.format(Locale.ROOT, "%,d jobs due at one instant, start p99", jobs),
                new Figures(p99s).median(),
                control.percentile(99),
                Target.atMost(400));
    }
}
