package dev.longhaul.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the benchmark is asked to do.
 *
 * @param jobs jobs in each case of the throughput scenario, for the ceiling and the store alike
 * @param rounds how often each measurement is repeated, in turn with its control
 * @param scale factor on the volumes of the other scenarios
 * @param only the scenarios to run
 * @param databaseUrl JDBC URL of the database to use; null starts an embedded one
 */
record Options(
        int jobs,
        int rounds,
        double scale,
        List<String> only,
        @Nullable String databaseUrl) {
    static final List<String> SCENARIOS = List.of("throughput", "snapshot", "history", "blocked");
    static final String USAGE = """
            Usage: longhaul bench store [--jobs N] [--rounds N] [--only SCENARIO,...] [--quick] [--database-url JDBC_URL]
              --jobs N              jobs per throughput case (default 200000)
              --rounds N            repeats of each measurement, in turn with its control (default 3)
              --only SCENARIO,...   some of throughput, snapshot, history, blocked (default: all)
              --quick               a twentieth of the volumes: shows that it works, not how fast
              --database-url URL    a database without a schema longhaul (default: an embedded PostgreSQL)""";

    private static final int SMALLEST_VOLUME = 200;

    Options {
        only = List.copyOf(only);
        require(jobs >= 1, "--jobs", jobs, ">= 1");
        require(rounds >= 1, "--rounds", rounds, ">= 1");
        for (String scenario : only) {
            require(SCENARIOS.contains(scenario), "--only", scenario, "some of " + SCENARIOS);
        }
        require(
                databaseUrl == null || databaseUrl.startsWith("jdbc:postgresql:"),
                "--database-url",
                databaseUrl,
                "jdbc:postgresql://host/database?user=...&password=...");
    }

    static Options parse(String... args) {
        int jobs = 0;
        int rounds = 3;
        boolean quick = false;
        List<String> only = SCENARIOS;
        String databaseUrl = null;
        var left = new ArrayList<>(Arrays.asList(args));
        while (!left.isEmpty()) {
            String flag = left.remove(0);
            switch (flag) {
                case "--quick" -> quick = true;
                case "--jobs" -> jobs = number(flag, left);
                case "--rounds" -> rounds = number(flag, left);
                case "--only" -> only = List.of(value(flag, left).split(","));
                case "--database-url" -> databaseUrl = value(flag, left);
                default -> throw new IllegalArgumentException(flag + " is not an option\n" + USAGE);
            }
        }
        double scale = quick ? 0.05 : 1;
        return new Options(jobs == 0 ? (int) (200_000 * scale) : jobs, rounds, scale, only, databaseUrl);
    }

    /** How many rows to use where the full benchmark uses {@code full}. */
    int volume(int full) {
        return (int) Math.max(Math.min(SMALLEST_VOLUME, full), full * scale);
    }

    private static String value(String flag, List<String> left) {
        require(!left.isEmpty(), flag, "nothing", "a value");
        return left.remove(0);
    }

    private static int number(String flag, List<String> left) {
        String value = value(flag, left);
        require(value.matches("[1-9][0-9]{0,7}"), flag, value, "a whole number >= 1");
        return Integer.parseInt(value);
    }

    private static void require(boolean holds, String flag, @Nullable Object value, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(flag + ": " + value + " (expected: " + expected + ")");
        }
    }
}
