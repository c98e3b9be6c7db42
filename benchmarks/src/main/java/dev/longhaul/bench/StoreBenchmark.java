package dev.longhaul.bench;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Measures the store as shipped; {@code longhaul bench store} starts it. */
public final class StoreBenchmark {
    private StoreBenchmark() {}

    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("--help")) {
            System.out.println(Options.USAGE);
            return;
        }
        run(Options.parse(args), System.out);
    }

    static List<Table> run(Options options, PrintStream out) throws Exception {
        String given = options.databaseUrl();
        return given == null ? onEmbedded(options, out) : on(given, options, out);
    }

    private static List<Table> onEmbedded(Options options, PrintStream out) throws Exception {
        Path home = Files.createTempDirectory("longhaul-bench-");
        try (EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home))) {
            return on(server.jdbcUrl() + "?user=" + server.user() + "&password=" + server.password(), options, out);
        } finally {
            delete(home);
        }
    }

    private static List<Table> on(String url, Options options, PrintStream out) throws Exception {
        var bench = new Bench(url, options, out);
        if (bench.hasSchema()) {
            throw new IllegalArgumentException(
                    "--database-url: has a schema longhaul (expected: none, because the benchmark makes and drops it)");
        }
        var tables = new ArrayList<Table>();
        try {
            for (String name : options.only()) {
                Table table = scenario(name).run(bench);
                out.println("\n" + table);
                tables.add(table);
            }
        } finally {
            bench.cleanUp();
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

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
