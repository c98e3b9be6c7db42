package dev.longhaul.bench.measure;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.Longhaul;
import dev.longhaul.LonghaulBuilder;
import dev.longhaul.engine.run.RunTracing;
import dev.longhaul.job.JobState;
import dev.longhaul.observe.Meters;
import dev.longhaul.server.PrometheusRegistry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** A started Longhaul with default settings, and its connection pool. */
public final class Engine implements AutoCloseable {
    private static final long LOOK_MILLIS = 2;

    private final Bench bench;
    private final Longhaul longhaul;
    private final HikariDataSource pool;

    private Engine(Bench bench, Longhaul longhaul, HikariDataSource pool) {
        this.bench = bench;
        this.longhaul = longhaul;
        this.pool = pool;
    }

    /** Starts a Longhaul on the existing schema, with a worker and the leader's maintenance tasks. */
    public static Engine start(Bench bench, JobDefinition<?, ?> definition) {
        return start(bench, definition, builder -> builder);
    }

    /** Starts a Longhaul on the existing schema that only submits jobs. */
    public static Engine enqueueOnly(Bench bench, JobDefinition<?, ?> definition) {
        return start(bench, definition, LonghaulBuilder::enqueueOnly);
    }

    /** Starts a Longhaul as {@link #start} does, with metrics. */
    public static Engine metered(Bench bench, JobDefinition<?, ?> definition) {
        return start(bench, definition, builder -> builder.observe(new Meters(PrometheusRegistry.create())));
    }

    /** Starts a Longhaul as {@link #start} does, and traces every run. */
    public static Engine traced(Bench bench, JobDefinition<?, ?> definition, RunTracing tracing) {
        return start(bench, definition, builder -> builder.traceBy(tracing));
    }

    private static Engine start(Bench bench, JobDefinition<?, ?> definition, UnaryOperator<LonghaulBuilder> choices) {
        HikariDataSource pool = bench.pool();
        try {
            var builder = Longhaul.builder().postgres(pool).register(definition);
            return new Engine(bench, choices.apply(builder).start(), pool);
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    public Longhaul longhaul() {
        return longhaul;
    }

    /** Submits the jobs {@code from} to {@code to - 1} in batches. */
    public void enqueue(JobDefinition<Noop.Video, Noop.Done> definition, int from, int to) {
        for (int first = from; first < to; first += Load.BATCH) {
            var batch = IntStream.range(first, Math.min(to, first + Load.BATCH))
                    .mapToObj(Noop::video)
                    .toList();
            longhaul.laterAll(definition, batch, JobOptions.options());
        }
    }

    /** Waits until no job is waiting or running, so that all outcomes are stored. */
    public void awaitAllStored(double seconds) throws Exception {
        long until = System.nanoTime() + (long) (seconds * 1e9);
        try (Connection connection = bench.connect();
                Statement statement = connection.createStatement()) {
            // An index scan marks dead entries, so that the next query skips them.
            statement.execute("set enable_seqscan = off; set enable_bitmapscan = off");
            while (has(statement, "select id from longhaul.live_job order by id limit 1")) {
                if (System.nanoTime() - until > 0) {
                    throw new IllegalStateException("jobs still wait or run after " + seconds + " s (expected: none)");
                }
                Thread.sleep(LOOK_MILLIS);
            }
        }
    }

    private static boolean has(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            return rows.next();
        }
    }

    /** Fails unless that many jobs have succeeded. */
    public void requireSucceeded(int jobs) throws SQLException {
        long succeeded =
                bench.count("select count(*) from longhaul.finished_job where state = " + JobState.SUCCEEDED.code());
        if (succeeded != jobs) {
            throw new IllegalStateException("succeeded: " + succeeded + " (expected: " + jobs + ")");
        }
    }

    /** Returns microseconds by the machine's clock, which all its processes share. */
    public static long wallMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    /** Returns microseconds by a monotonic clock, which are valid within one process only. */
    public static long processMicros() {
        return System.nanoTime() / 1000;
    }

    @Override
    public void close() {
        longhaul.close();
        pool.close();
    }
}
