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
        var table = new EngineTable("schedules", options);
        try {
            Database.with(options, out, bench -> {
                for (String name : options.only()) {
                    scenario(name).run(bench, table);
                }
                return table;
            });
        } finally {
            // What was measured before something failed is worth seeing too.
            out.println("\n" + table);
        }
        return table;
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
