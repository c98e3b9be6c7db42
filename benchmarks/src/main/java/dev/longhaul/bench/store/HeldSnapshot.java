package dev.longhaul.bench.store;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Load;
import dev.longhaul.bench.measure.Rig;
import dev.longhaul.bench.measure.Scenario;
import dev.longhaul.bench.measure.Table;
import dev.longhaul.bench.measure.Target;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.job.TransactionalInserts;
import dev.longhaul.work.ClaimedJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Measures claims while another session, for example a long report, holds an old snapshot: how fast they are, and
 * whether they miss rows.
 */
final class HeldSnapshot implements Scenario {
    private static final int TENTHS = 10;
    private static final int LATE_ROWS = 5;
    private static final int FLOW_BATCH = 50;
    private static final long FLOW_PAUSE_MILLIS = 10;
    private static final long LONGEST_WAIT_SECONDS = 30;

    private final Map<JobId, Long> claimedAt = new ConcurrentHashMap<>();
    private volatile boolean flowing = true;

    @Override
    public Table run(Bench bench) throws Exception {
        int slice = bench.options().volume(300_000) / TENTHS;
        try (Rig rig = bench.fresh();
                Connection reader = bench.connect();
                Statement report = reader.createStatement()) {
            Load.warmUp(rig.store(), bench.options());
            report.execute("begin isolation level repeatable read; select count(*) from longhaul.queue");
            Figures rates = rates(bench, rig.store(), slice);
            Figures delays = delays(bench, rig.store());
            report.execute("rollback");
            return table(rates, delays, slice);
        }
    }

    private static Table table(Figures rates, Figures delays, int slice) {
        double ratio = rates.last() / rates.first();
        return new Table(
                        String.format(
                                Locale.ROOT,
                                "snapshot: one held open over %,d jobs; then rows that are committed late",
                                slice * TENTHS),
                        "case",
                        "first",
                        "last",
                        "all",
                        "ratio / worst",
                        "target",
                        "")
                .row(
                        Target.atLeast(0.7).judge(ratio),
                        "drain per tenth, jobs/s",
                        Figures.whole(rates.first()),
                        Figures.whole(rates.last()),
                        all(rates),
                        String.format(Locale.ROOT, "%.2f", ratio))
                .row(
                        Target.atMost(50).judge(delays.max()),
                        "commit to claim, ms",
                        Figures.whole(delays.first()),
                        Figures.whole(delays.last()),
                        all(delays),
                        String.format(Locale.ROOT, "%.1f", delays.max()));
    }

    private static String all(Figures figures) {
        var texts = new ArrayList<String>();
        for (double value : figures.values()) {
            texts.add(value >= 1000 ? String.format(Locale.ROOT, "%.0fk", value / 1000) : Figures.whole(value));
        }
        return String.join(" ", texts);
    }

    private static Figures rates(Bench bench, PostgresStore store, int slice) throws Exception {
        var rates = new ArrayList<Double>();
        for (int tenth = 1; tenth <= TENTHS; tenth++) {
            Load.enqueue(store, slice);
            rates.add(Load.drainRate(store, slice, Set.of(Load.NOOP)));
            bench.progress("snapshot: tenth %d, %,.0f jobs/s", tenth, rates.get(tenth - 1));
        }
        return new Figures(rates);
    }

    /** Returns the milliseconds from the commit of each late row to its claim, while other jobs are enqueued. */
    private Figures delays(Bench bench, PostgresStore store) throws Exception {
        var delays = new ArrayList<Double>();
        Load.seconds(() -> flow(store), () -> poll(store), () -> poll(store), () -> {
            try {
                for (int row = 1; row <= LATE_ROWS; row++) {
                    delays.add(lateRow(bench, store));
                    bench.progress("snapshot: late row %d, claimed after %.1f ms", row, delays.get(row - 1));
                }
            } finally {
                flowing = false;
            }
        });
        return new Figures(delays);
    }

    private double lateRow(Bench bench, PostgresStore store) throws SQLException, InterruptedException {
        JobSpec spec = JobSpec.of(Load.NOOP, "{}").build();
        try (Connection own = bench.connect()) {
            own.setAutoCommit(false);
            store.capability(TransactionalInserts.class).orElseThrow().insert(own, List.of(spec));
            Thread.sleep(
                    (long) (3000 * Math.min(1, Math.max(0.01, bench.options().scale()))));
            own.commit();
        }
        long committed = System.nanoTime();
        while (!claimedAt.containsKey(spec.id())) {
            if (System.nanoTime() - committed > TimeUnit.SECONDS.toNanos(LONGEST_WAIT_SECONDS)) {
                throw new IllegalStateException("late row: not claimed within " + LONGEST_WAIT_SECONDS + " s");
            }
            Thread.sleep(1);
        }
        return Math.max(0, (claimedAt.getOrDefault(spec.id(), committed) - committed) / 1e6);
    }

    /** Enqueues about 5,000 jobs per second. */
    private void flow(PostgresStore store) throws InterruptedException {
        while (flowing) {
            long next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(FLOW_PAUSE_MILLIS);
            Load.enqueue(store, FLOW_BATCH);
            long left = TimeUnit.NANOSECONDS.toMillis(next - System.nanoTime());
            Thread.sleep(Math.max(0, left));
        }
    }

    private void poll(PostgresStore store) throws InterruptedException {
        while (flowing) {
            List<ClaimedJob> jobs = Load.claim(store, Load.BATCH, Set.of(Load.NOOP));
            long now = System.nanoTime();
            jobs.forEach(job -> claimedAt.put(job.job().id(), now));
            if (jobs.isEmpty()) {
                Thread.sleep(1);
            } else {
                Load.succeed(store, jobs);
            }
        }
    }
}
