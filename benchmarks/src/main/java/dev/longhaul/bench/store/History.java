package dev.longhaul.bench.store;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Load;
import dev.longhaul.bench.measure.Options;
import dev.longhaul.bench.measure.Rig;
import dev.longhaul.bench.measure.Scenario;
import dev.longhaul.bench.measure.Table;
import dev.longhaul.bench.measure.Target;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.RunAt;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.work.ClaimedJob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Measures whether a long history, and many future jobs with a higher priority, make claims slower. */
final class History implements Scenario {
    private static final int SLICES = 10;
    private static final int UNCOUNTED_CLAIMS = 20;
    private static final Set<DefinitionRef> KNOWN = Set.of(Load.NOOP);

    /** Inserts finished jobs whose ids are of the days that have partitions, from yesterday to a week from now. */
    private static final String FINISHED = """
            insert into longhaul.finished_job (id, run_at, created_at, updated_at, finished_at, run, position, ended_position,
                ended_run, definition_version, timeout_seconds, state, rank, attempts, max_attempts, crashes, progress,
                definition_key, queue, params, result, lease_key, started_at, started_position, worker_id)
            select (lpad(to_hex((extract(epoch from made) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(i % 4096), 3, '0')
                    || '8' || substr(md5(i::text), 1, 15))::uuid,
                made, made, made, made, 1, 3, 3, 1, 1, 3600, 4, 0, 1, 3, 0, 0, 'demo.noop', 'default',
                '{"url":"https://example.com/video.mp4","n":123}', '{}', gen_random_uuid(), made, 2, 'bench'
            from (
                select i, date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - interval '1 day'
                    + i::float8 / ? * interval '9 days' as made
                from generate_series(?, ?) as i
            ) job""";

    /** The size of a claim, and how many due jobs such claims drain in each round. */
    private record Size(int batch, int dueJobs) {}

    @Override
    public Table run(Bench bench) throws Exception {
        Options options = bench.options();
        int finished = options.volume(2_000_000);
        int future = options.volume(200_000);
        bench.fresh().close();
        bench.park("bare");
        try (Rig rig = bench.fresh()) {
            fill(bench, rig.store(), finished, future);
        }
        bench.park("loaded");
        var table = new Table(
                String.format(
                        Locale.ROOT,
                        "history: claims beside %,d finished jobs and %,d future ones at a higher priority",
                        finished,
                        future),
                "claims of",
                "bare p50",
                "p99",
                "loaded p50",
                "p99",
                "ratio of p99",
                "target",
                "");
        for (Size size : List.of(new Size(16, options.volume(20_000)), new Size(Load.BATCH, options.volume(100_000)))) {
            compare(bench, size, table);
        }
        return table;
    }

    private static void compare(Bench bench, Size size, Table table) throws Exception {
        var bare = new ArrayList<Double>();
        var loaded = new ArrayList<Double>();
        for (int round = 1; round <= bench.options().rounds(); round++) {
            bare.addAll(latencies(bench, "bare", size));
            loaded.addAll(latencies(bench, "loaded", size));
            bench.progress(
                    "history: claims of %d, round %d, p99 so far: bare %.2f ms, loaded %.2f ms",
                    size.batch(), round, new Figures(bare).percentile(99), new Figures(loaded).percentile(99));
        }
        Figures alone = new Figures(bare);
        Figures beside = new Figures(loaded);
        double ratio = beside.percentile(99) / alone.percentile(99);
        table.row(
                Target.atMost(2).judge(ratio),
                String.valueOf(size.batch()),
                Figures.millis(alone.median()),
                Figures.millis(alone.percentile(99)),
                Figures.millis(beside.median()),
                Figures.millis(beside.percentile(99)),
                String.format(Locale.ROOT, "%.2f", ratio));
    }

    private static void fill(Bench bench, PostgresStore store, int finished, int future) throws SQLException {
        try (Connection connection = bench.connect();
                PreparedStatement insert = connection.prepareStatement(FINISHED)) {
            for (int slice = 0; slice < SLICES; slice++) {
                insert.setInt(1, finished);
                insert.setInt(2, (int) ((long) finished * slice / SLICES));
                insert.setInt(3, (int) ((long) finished * (slice + 1) / SLICES) - 1);
                insert.executeUpdate();
                bench.progress("history: %d of %d slices of finished jobs stored", slice + 1, SLICES);
            }
        }
        Load.enqueue(store, future, Load.NOOP, spec -> spec.priority(10).runTime(RunAt.after(Duration.ofDays(1))));
        bench.progress("history: future jobs stored");
    }

    /** Returns how many milliseconds each claim took while one worker drained the due jobs. */
    private static List<Double> latencies(Bench bench, String schema, Size size) throws SQLException {
        bench.unpark(schema);
        try (Rig rig = bench.open()) {
            PostgresStore store = rig.store();
            Load.enqueue(store, size.dueJobs() + UNCOUNTED_CLAIMS * size.batch());
            for (int i = 0; i < UNCOUNTED_CLAIMS; i++) {
                Load.succeed(store, Load.claim(store, size.batch(), KNOWN));
            }
            var millis = new ArrayList<Double>();
            while (true) {
                long start = System.nanoTime();
                List<ClaimedJob> jobs = Load.claim(store, size.batch(), KNOWN);
                double took = (System.nanoTime() - start) / 1e6;
                if (jobs.isEmpty()) {
                    return millis;
                }
                millis.add(took);
                Load.succeed(store, jobs);
            }
        } finally {
            bench.park(schema);
        }
    }
}
