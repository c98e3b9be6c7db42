package dev.longhaul.bench.schedule;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Engine;
import dev.longhaul.bench.measure.EngineScenario;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Noop;
import dev.longhaul.bench.measure.RoundTrip;
import dev.longhaul.bench.measure.Starts;
import dev.longhaul.bench.measure.Target;
import dev.longhaul.schedule.Timing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Measures many schedules that fire in the same second: when their last job is stored, and when it has started. */
final class FiresTogether implements EngineScenario {
    private static final int SCHEDULES = 1000;
    private static final int WARM_UP = 20_000;
    private static final double PATIENCE_SECONDS = 60;
    private static final long AHEAD_MICROS = 3_000_000;

    @Override
    public void run(Bench bench, EngineTable table) throws Exception {
        int schedules = bench.options().volume(SCHEDULES);
        Figures control = table.note(RoundTrip.measure(bench));
        List<Double> decided = new ArrayList<>();
        List<Double> started = new ArrayList<>();
        for (int round = 1; round <= bench.options().rounds(); round++) {
            bench.fresh().close();
            var starts = new Starts(schedules + WARM_UP);
            var noop = Noop.definition(Engine::wallMicros, starts);
            try (Engine engine = Engine.start(bench, noop)) {
                int warmUp = bench.options().volume(WARM_UP);
                engine.enqueue(noop, schedules, schedules + warmUp);
                started(starts, warmUp);
                long due = (Engine.wallMicros() + AHEAD_MICROS) / 1_000_000 * 1_000_000;
                ManySchedules.store(
                        bench,
                        engine.longhaul(),
                        0,
                        schedules,
                        Timing.at(Instant.ofEpochSecond(due / 1_000_000)),
                        "to_timestamp(" + due / 1_000_000 + ")");
                started(starts, warmUp + schedules);
                long last = 0;
                for (int n = 0; n < schedules; n++) {
                    last = Math.max(last, starts.micros(n));
                }
                started.add((last - due) / 1e3);
                decided.add(bench.count("select extract(epoch from max(fired_at) - max(fire_at)) * 1000000"
                                + " from longhaul.schedule_fire")
                        / 1e3);
            }
            bench.progress(
                    "together: round %d, %,d schedules, last fire decided %.0f ms and job started %.0f ms after its second",
                    round, schedules, decided.get(round - 1), started.get(round - 1));
        }
        String name = String.format(Locale.ROOT, "%,d schedules on one second, last ", schedules);
        table.millis(name + "decided", new Figures(decided).median(), control.percentile(99), Target.atMost(1000));
        table.millis(name + "job started", new Figures(started).median(), control.percentile(99), Target.atMost(2000));
    }

    private static void started(Starts starts, int jobs) throws InterruptedException {
        if (!starts.await(jobs, PATIENCE_SECONDS)) {
            throw new IllegalStateException("started: " + starts.count() + " (expected: " + jobs + ")");
        }
    }
}
