package dev.longhaul.bench.engine;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.EngineScenario;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.RoundTrip;
import dev.longhaul.bench.measure.Target;
import java.util.Locale;

/** Measures whether jobs start on time when many become due at a steady rate. */
final class Scheduled implements EngineScenario {
    private static final int RATE = 10_000;
    private static final double SECONDS = 30;
    private static final double LATEST_MILLIS = 2000;

    @Override
    public void run(Bench bench, EngineTable table) throws Exception {
        double seconds = bench.options().seconds(SECONDS);
        int jobs = (int) (RATE * seconds);
        bench.progress("scheduled: storing %,d jobs", jobs);
        Figures control = table.note(RoundTrip.measure(bench));
        DueJobs.Lateness lateness = DueJobs.measure(bench, jobs, n -> n * 1_000_000L / RATE);
        Figures millis = lateness.millis();
        bench.progress(
                "scheduled: p50 %.1f ms, p99 %.1f ms, worst %.1f ms, lost %d, started twice %d",
                millis.median(), millis.percentile(99), millis.max(), lateness.lost(), lateness.repeated());
        String name = String.format(Locale.ROOT, "%,d scheduled jobs/s for %.1f s", RATE, seconds);
        table.millis(
                name + ", lateness p99", millis.percentile(99), control.percentile(99), Target.atMost(LATEST_MILLIS));
        table.millis("  worst", millis.max(), control.max(), Target.atMost(LATEST_MILLIS));
        int wrong = lateness.lost() + lateness.repeated();
        table.alone(
                "  lost or started twice",
                Figures.whole(wrong),
                Target.atMost(0).judge(wrong));
    }
}
