package dev.longhaul.bench.measure;

import java.util.List;

/**
 * The scenarios and volumes of a benchmark.
 *
 * @param quickJobs number of jobs with {@code --quick}
 * @param quickScale factor for all other volumes and for durations with {@code --quick}
 */
public record Menu(String name, List<String> scenarios, int quickJobs, double quickScale) {
    public static final Menu STORE = new Menu("store", Options.SCENARIOS, 10_000, 0.05);
    public static final Menu ENGINE = new Menu(
            "engine",
            List.of("drain", "pickup", "instant", "scheduled", "enqueue", "metrics", "traces", "webhooks"),
            20_000,
            0.15);

    public static final Menu ISOLATION = new Menu("isolation", List.of("all"), 20_000, 0.05);
    public static final Menu SCHEDULES = new Menu("schedules", List.of("together", "seconds", "pass"), 20_000, 0.05);
    public static final Menu HTTP = new Menu("http", List.of("enqueue"), 20_000, 0.15);
    public static final Menu RPC = new Menu("rpc", List.of("workers", "pickup", "events", "standing"), 20_000, 0.15);

    public String usage() {
        return """
                Usage: longhaul bench %s [--jobs N] [--rounds N] [--only SCENARIO,...] [--quick] [--database-url JDBC_URL]
                  --jobs N              jobs in each drain (default 200000)
                  --rounds N            repeats of each measurement, in turn with its control (default 3)
                  --only SCENARIO,...   some of %s (default: all)
                  --quick               small volumes: shows that it works, not how fast
                  --database-url URL    a database without a schema longhaul (default: an embedded PostgreSQL)""".formatted(name, String.join(", ", scenarios));
    }
}
