package dev.longhaul.bench;

import java.io.PrintStream;
import java.util.List;

/** Measures how punctual schedules are, and what it costs to look after many; {@code longhaul bench schedules} starts it. */
public final class SchedulesBenchmark {
    private SchedulesBenchmark() {}

    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("--help")) {
            System.out.println(Menu.SCHEDULES.usage());
            return;
        }
        run(Options.parse(Menu.SCHEDULES, args), System.out);
    }

    static EngineTable run(Options options, PrintStream out) throws Exception {
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
