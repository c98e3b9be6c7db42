package dev.longhaul.bench.schedule;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Engine;
import dev.longhaul.bench.measure.EngineScenario;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Noop;
import dev.longhaul.bench.measure.Rig;
import dev.longhaul.bench.measure.Starts;
import dev.longhaul.bench.measure.Target;
import dev.longhaul.engine.upkeep.Leader;
import dev.longhaul.engine.upkeep.ScheduleFirer;
import dev.longhaul.schedule.Timing;
import dev.longhaul.schedule.Timing.Cron;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Measures the cost of a scheduler pass that finds no due schedule, with few schedules and with many. */
final class SchedulerPass implements EngineScenario {
    private static final int[] SCHEDULES = {100, 10_000, 100_000};
    private static final int PASSES = 500;
    private static final int WARM_UP = 300;
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Timing YEARLY = Cron.of("0 0 1 1 *");

    @Override
    public void run(Bench bench, EngineTable table) throws Exception {
        bench.fresh().close();
        int stored = 0;
        double few = 0;
        for (int full : SCHEDULES) {
            int schedules = full == SCHEDULES[0] ? full : bench.options().volume(full);
            var noop = Noop.definition(Engine::wallMicros, new Starts(1));
            try (Engine engine = Engine.enqueueOnly(bench, noop)) {
                ManySchedules.store(
                        bench, engine.longhaul(), stored, schedules, YEARLY, "now() + '1h' + i * interval '1 second'");
            }
            stored = schedules;
            Figures passes = passes(bench);
            bench.progress("pass: %,d schedules, p50 %.2f ms", schedules, passes.median());
            few = few == 0 ? passes.median() : few;
            table.ratio(
                    String.format(Locale.ROOT, "a pass among %,d schedules, beside %d, p50", schedules, SCHEDULES[0]),
                    passes.median(),
                    few,
                    Target.atMost(1.5));
        }
    }

    private static Figures passes(Bench bench) throws Exception {
        try (Rig rig = bench.open()) {
            var leader = new Leader(rig.store().upkeep(), "bench", LEASE);
            leader.runOnce(Instant.now());
            if (leader.current().isEmpty()) {
                throw new IllegalStateException("leader: another process (expected: this one)");
            }
            var firer =
                    new ScheduleFirer(rig.store().scheduleFires(), rig.store().jobs(), leader);
            List<Double> millis = new ArrayList<>();
            for (int i = -WARM_UP; i < bench.options().volume(PASSES); i++) {
                long start = System.nanoTime();
                firer.runOnce(Instant.now());
                if (i >= 0) {
                    millis.add((System.nanoTime() - start) / 1e6);
                }
            }
            return new Figures(millis);
        }
    }
}
