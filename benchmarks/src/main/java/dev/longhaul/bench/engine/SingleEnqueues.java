package dev.longhaul.bench.engine;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Engine;
import dev.longhaul.bench.measure.EngineScenario;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Load;
import dev.longhaul.bench.measure.Noop;
import dev.longhaul.bench.measure.Starts;
import dev.longhaul.bench.measure.Target;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.Store;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures callers that submit one job at a time through the engine, which groups their jobs into shared commits. The
 * controls have the same number of callers, each on its own connection. They call the store's own insert with one row
 * per commit, or execute a bare insert of the same row. The jobs are not run.
 */
final class SingleEnqueues implements EngineScenario {
    private static final int CALLERS = 16;
    private static final double SECONDS = 10;
    private static final double WARM_UP_SECONDS = 1;
    /** Number of submitted jobs after which one job is read back immediately, on another connection. */
    private static final int READ_BACK_EVERY = 100;

    private static final String PLAIN_INSERT = """
            insert into longhaul.live_job (id, run_at, created_at, updated_at, definition_version, timeout_seconds, state,
                rank, max_attempts, definition_key, queue, params)
            values (?, clock_timestamp(), clock_timestamp(), clock_timestamp(), 1, 3600, 1, 0, 3, 'demo.noop', 'default', ?)""";
    private static final String COUNT = "select count(*) from longhaul.live_job";

    @Override
    public void run(Bench bench, EngineTable table) throws Exception {
        double seconds = bench.options().seconds(SECONDS);
        var plain = new ArrayList<Double>();
        var single = new ArrayList<Double>();
        var engine = new ArrayList<Double>();
        plain(bench, bench.options().seconds(WARM_UP_SECONDS));
        single(bench, bench.options().seconds(WARM_UP_SECONDS));
        engine(bench, bench.options().seconds(WARM_UP_SECONDS));
        for (int round = 1; round <= bench.options().rounds(); round++) {
            plain.add(plain(bench, seconds));
            single.add(single(bench, seconds));
            engine.add(engine(bench, seconds));
            bench.progress(
                    "enqueue: round %d, %d callers, bare inserts %,.0f/s, the store's inserts %,.0f/s, engine %,.0f/s",
                    round, CALLERS, plain.get(round - 1), single.get(round - 1), engine.get(round - 1));
        }
        table.rate(
                CALLERS + " callers, one job each, beside the store's insert, one row per commit",
                new Figures(engine),
                new Figures(single),
                Target.atLeast(4));
        table.rate(
                CALLERS + " callers, one job each, beside a bare insert without any check",
                new Figures(engine),
                new Figures(plain),
                Target.atLeast(1));
    }

    /** Submits one caller's next job. */
    private interface Caller {
        void enqueue(int n) throws Exception;
    }

    /** Creates a caller with its own connection. */
    private interface Callers {
        Caller with(Connection connection) throws SQLException;
    }

    private static double plain(Bench bench, double seconds) throws Exception {
        bench.fresh().close();
        return rate(bench, seconds, connection -> {
            PreparedStatement insert = connection.prepareStatement(PLAIN_INSERT);
            return n -> {
                insert.setObject(1, JobId.next().value());
                insert.setString(2, Noop.PARAMS_TEXT);
                insert.executeUpdate();
            };
        });
    }

    /** Returns the rate without shared commits: the store's own insert, with all its checks. */
    private static double single(Bench bench, double seconds) throws Exception {
        bench.fresh().close();
        var noop = Noop.definition(Engine::processMicros, new Starts(0));
        try (Engine engine = Engine.enqueueOnly(bench, noop)) {
            Store store = engine.longhaul().store();
            return rate(bench, seconds, connection -> n -> {
                JobSpec spec = JobSpec.of(noop.ref(), Noop.PARAMS_TEXT).build();
                if (!store.jobs().insert(List.of(spec)).get(0).isNew()) {
                    throw new IllegalStateException("job " + spec.id() + " existed already");
                }
            });
        }
    }

    private static double engine(Bench bench, double seconds) throws Exception {
        bench.fresh().close();
        var noop = Noop.definition(Engine::processMicros, new Starts(0));
        try (Engine engine = Engine.enqueueOnly(bench, noop)) {
            return rate(bench, seconds, connection -> {
                PreparedStatement find = connection.prepareStatement("select from longhaul.live_job where id = ?");
                return n -> {
                    JobId id = engine.longhaul().later(noop, Noop.video(n));
                    if (n % READ_BACK_EVERY == 0) {
                        requireCommitted(find, id.value());
                    }
                };
            });
        }
    }

    private static void requireCommitted(PreparedStatement find, UUID id) throws SQLException {
        find.setObject(1, id);
        try (ResultSet row = find.executeQuery()) {
            if (!row.next()) {
                throw new IllegalStateException("job " + id + " was acknowledged before its commit");
            }
        }
    }

    /** Returns jobs per second of all callers together. Fails if an acknowledged job is not in the table afterwards. */
    private static double rate(Bench bench, double seconds, Callers callers) throws Exception {
        var answered = new AtomicInteger();
        var work = new Load.Work[CALLERS];
        var connections = new ArrayList<Connection>();
        try {
            long duration = (long) (seconds * 1e9);
            for (int i = 0; i < CALLERS; i++) {
                Connection connection = bench.connect();
                connections.add(connection);
                Caller caller = callers.with(connection);
                work[i] = () -> {
                    long until = System.nanoTime() + duration;
                    int n = 0;
                    while (System.nanoTime() - until < 0) {
                        caller.enqueue(n++);
                    }
                    answered.addAndGet(n);
                };
            }
            double took = Load.seconds(work);
            long stored = bench.count(COUNT);
            if (stored != answered.get()) {
                throw new IllegalStateException(
                        "stored: " + stored + " (expected: the " + answered + " acknowledged jobs)");
            }
            return answered.get() / took;
        } finally {
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }
}
