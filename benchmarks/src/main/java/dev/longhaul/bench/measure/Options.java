package dev.longhaul.bench.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a benchmark.
 *
 * @param jobs number of jobs in each case of the throughput scenario, for {@code Ceiling} as well as for the store
 * @param rounds how often each measurement is repeated, in turn with its control
 * @param scale factor for the volumes and durations of the other scenarios
 * @param only the scenarios to run
 * @param databaseUrl JDBC URL of the database to use; null starts an embedded one
 */
public record Options(
        int jobs,
        int rounds,
        double scale,
        List<String> only,
        @Nullable String databaseUrl) {
    public static final List<String> SCENARIOS = List.of("throughput", "snapshot", "history", "blocked");

    private static final int USUAL_JOBS = 200_000;
    private static final int SMALLEST_VOLUME = 200;
    private static final double SHORTEST_SECONDS = 0.2;

    public Options {
        only = List.copyOf(only);
        require(jobs >= 1, "--jobs", jobs, ">= 1");
        require(rounds >= 1, "--rounds", rounds, ">= 1");
        require(
                databaseUrl == null || databaseUrl.startsWith("jdbc:postgresql:"),
                "--database-url",
                databaseUrl,
                "jdbc:postgresql://host/database?user=...&password=...");
    }

    public static Options parse(Menu menu, String... args) {
        int jobs = 0;
        int rounds = 3;
        boolean quick = false;
        List<String> only = menu.scenarios();
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
                default -> throw new IllegalArgumentException(flag + " is not an option\n" + menu.usage());
            }
        }
        for (String scenario : only) {
            require(menu.scenarios().contains(scenario), "--only", scenario, "some of " + menu.scenarios());
        }
        if (jobs == 0) {
            jobs = quick ? menu.quickJobs() : USUAL_JOBS;
        }
        return new Options(jobs, rounds, quick ? menu.quickScale() : 1, only, databaseUrl);
    }

    /** Returns how many rows to use where the full benchmark uses {@code full} rows. */
    public int volume(int full) {
        return (int) Math.max(Math.min(SMALLEST_VOLUME, full), full * scale);
    }

    /** Returns how many seconds to run where the full benchmark runs for {@code full} seconds. */
    public double seconds(double full) {
        return Math.max(SHORTEST_SECONDS, full * scale);
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
