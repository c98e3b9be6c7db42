package dev.longhaul.bench.measure;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The database of a benchmark: the given one, or an embedded one that is removed afterwards. */
public final class Database {
    private Database() {}

    /** Uses the database for a benchmark. */
    public interface Use<T> {
        T on(Bench bench) throws Exception;
    }

    public static <T> T with(Options options, PrintStream out, Use<T> use) throws Exception {
        String given = options.databaseUrl();
        return given == null ? embedded(options, out, use) : at(given, options, out, use);
    }

    private static <T> T embedded(Options options, PrintStream out, Use<T> use) throws Exception {
        Path home = Files.createTempDirectory("longhaul-bench-");
        try (EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home))) {
            String url = server.jdbcUrl() + "?user=" + server.user() + "&password=" + server.password();
            return at(url, options, out, use);
        } finally {
            delete(home);
        }
    }

    private static <T> T at(String url, Options options, PrintStream out, Use<T> use) throws Exception {
        var bench = new Bench(url, options, out);
        if (bench.hasSchema()) {
            throw new IllegalArgumentException(
                    "--database-url: has a schema longhaul (expected: none; the benchmark creates and drops it)");
        }
        try {
            return use.on(bench);
        } finally {
            bench.cleanUp();
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
