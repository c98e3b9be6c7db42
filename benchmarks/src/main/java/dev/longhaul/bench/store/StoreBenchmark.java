package dev.longhaul.bench.store;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Database;
import dev.longhaul.bench.measure.Options;
import dev.longhaul.bench.measure.Scenario;
import dev.longhaul.bench.measure.Table;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Measures the store as shipped; {@code longhaul bench store} starts it. */
public final class StoreBenchmark {
    private StoreBenchmark() {}

    public static List<Table> run(Options options, PrintStream out) throws Exception {
        return Database.with(options, out, bench -> all(bench, out));
    }

    private static List<Table> all(Bench bench, PrintStream out) throws Exception {
        var tables = new ArrayList<Table>();
        for (String name : bench.options().only()) {
            Table table = scenario(name).run(bench);
            out.println("\n" + table);
            tables.add(table);
        }
        if (tables.size() > 1) {
            out.println("All together:");
            tables.forEach(table -> out.println("\n" + table));
        }
        return tables;
    }

    private static Scenario scenario(String name) {
        return switch (name) {
            case "throughput" -> new Throughput();
            case "snapshot" -> new HeldSnapshot();
            case "history" -> new History();
            case "blocked" -> new Blocked();
            default -> throw new IllegalArgumentException(name);
        };
    }
}
