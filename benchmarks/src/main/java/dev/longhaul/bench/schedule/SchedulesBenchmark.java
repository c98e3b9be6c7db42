package dev.longhaul.bench.schedule;

import dev.longhaul.bench.measure.EngineScenario;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Menu;
import dev.longhaul.bench.measure.Options;
import java.io.PrintStream;

/** Measures the lateness of schedules and the cost of many schedules; {@code longhaul bench schedules} starts it. */
public final class SchedulesBenchmark {
    private SchedulesBenchmark() {}

    public static EngineTable run(Options options, PrintStream out) throws Exception {
        return EngineTable.fill(Menu.SCHEDULES, options, out, (bench, table) -> {
            for (String name : options.only()) {
                scenario(name).run(bench, table);
            }
        });
    }

    private static EngineScenario scenario(String name) {
        return switch (name) {
            case "together" -> new FiresTogether();
            case "seconds" -> new EverySecond();
            case "pass" -> new SchedulerPass();
            default -> throw new IllegalArgumentException(name);
        };
    }
}
