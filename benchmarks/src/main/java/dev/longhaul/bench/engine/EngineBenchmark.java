package dev.longhaul.bench.engine;

import dev.longhaul.bench.measure.EngineScenario;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Menu;
import dev.longhaul.bench.measure.Options;
import java.io.PrintStream;

/** Measures the engine as shipped, through the Java library; {@code longhaul bench engine} starts it. */
public final class EngineBenchmark {
    private EngineBenchmark() {}

    public static EngineTable run(Options options, PrintStream out) throws Exception {
        return EngineTable.fill(Menu.ENGINE, options, out, (bench, table) -> {
            for (String name : options.only()) {
                scenario(name).run(bench, table);
            }
        });
    }

    private static EngineScenario scenario(String name) {
        return switch (name) {
            case "drain" -> new EngineDrain();
            case "pickup" -> new Pickup();
            case "instant" -> new OneInstant();
            case "scheduled" -> new Scheduled();
            case "enqueue" -> new SingleEnqueues();
            case "metrics", "traces", "webhooks" -> new EngineOverhead(name);
            default -> throw new IllegalArgumentException(name);
        };
    }
}
