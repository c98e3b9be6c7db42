package dev.longhaul.postgres.stats;

import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.JobId;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.ReplicaDatabase;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.postgres.job.Rows;
import dev.longhaul.postgres.upkeep.FailoverWatch;
import dev.longhaul.stats.DatabaseHealth;
import dev.longhaul.stats.DatabaseLink;
import dev.longhaul.stats.FailureGroups;
import dev.longhaul.stats.Histogram;
import dev.longhaul.stats.Meter;
import dev.longhaul.stats.Numbers;
import dev.longhaul.stats.SeriesQuery;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.stats.TimeSeries;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Counts the ends of runs in memory and writes them every ten seconds, in one statement; reads the counts of all
 * processes.
 */
public final class PostgresStats implements StatsStore, AutoCloseable {
    /** How long failed writes are retried. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final long CLOSE_MILLIS = 2000;
    /** Longest assumed time between the creation of a job, which its id contains, and its failure. */
    private static final Duration LONGEST_LIFE = Duration.ofDays(7);

    private final NamedSql write = NamedSql.load("stats/write_run_stats");
    private final NamedSql read = NamedSql.load("stats/run_stats");
    private final NamedSql forget = NamedSql.load("stats/forget_run_stats");
    private final NamedSql failures = NamedSql.load("stats/failures");
    private final NamedSql health = NamedSql.load("stats/database_health");
    private final Database database;
    private final Database forLists;
    private final FailoverWatch failovers;
    private final UUID source = UUID.randomUUID();
    private final Meter meter = new Meter();
    private final CountDownLatch closed = new CountDownLatch(1);
    private @Nullable BackgroundLoop loop;

    public PostgresStats(Database database, Database forLists, FailoverWatch failovers) {
        this.database = database;
        this.failovers = failovers;
        this.forLists = forLists;
    }

    public void start() {
        loop = BackgroundLoop.helper("stats", () -> {
            boolean last = closed.await(Meter.FINE, TimeUnit.SECONDS);
            flush();
            return !last;
        });
    }

    public void count(Meter.Ended run) {
        meter.count(run);
    }

    /**
     * Writes changed counts and forgets completed periods. A failed write is retried in the next passes, for up to ten
     * minutes.
     */
    @Override
    public void flush() {
        Map<Meter.BucketKey, Numbers> changed = meter.changed();
        if (changed.isEmpty()) {
            return;
        }
        try {
            write(List.copyOf(changed.entrySet()));
            meter.forget(Duration.ZERO, Duration.ZERO);
        } catch (RuntimeException | Error e) {
            meter.notKept(changed.keySet());
            meter.forget(PATIENCE, PATIENCE);
            throw e;
        }
    }

    private void write(List<Map.Entry<Meter.BucketKey, Numbers>> rows) {
        database.single(
                write,
                call -> call.set("source", source)
                        .shorts("seconds", of(rows, row -> (short) row.getKey().seconds()))
                        .instants("ats", of(rows, row -> row.getKey().at()))
                        .texts("queues", of(rows, row -> row.getKey().queue()))
                        .texts("keys", of(rows, row -> row.getKey().definitionKey()))
                        .ints("succeeded", counts(rows, Meter.End.SUCCEEDED))
                        .ints("failed", counts(rows, Meter.End.FAILED))
                        .ints("retried", counts(rows, Meter.End.RETRIED))
                        .ints("cancelled", counts(rows, Meter.End.CANCELLED))
                        .texts("waitSteps", of(rows, row -> steps(row.getValue().waits())))
                        .texts(
                                "waitCounts",
                                of(rows, row -> counts(row.getValue().waits())))
                        .texts("runSteps", of(rows, row -> steps(row.getValue().runs())))
                        .texts(
                                "runCounts",
                                of(rows, row -> counts(row.getValue().runs())))
                        .update());
    }

    private static <T, V> List<V> of(List<T> rows, Function<T, V> value) {
        return rows.stream().map(value).toList();
    }

    private static List<Integer> counts(List<Map.Entry<Meter.BucketKey, Numbers>> rows, Meter.End end) {
        return of(rows, row -> (int) row.getValue().count(end));
    }

    /** An array as text: JDBC has no arrays of arrays of different lengths. */
    private static String steps(Histogram histogram) {
        return histogram.counts().keySet().toString().replace('[', '{').replace(']', '}');
    }

    private static String counts(Histogram histogram) {
        return histogram.counts().values().toString().replace('[', '{').replace(']', '}');
    }

    /** Removes counts older than the longest possible query range. */
    public void forgetOld() {
        database.single(
                forget,
                call -> call.set("fine", KEEP_FINE).set("coarse", KEEP_COARSE).update());
    }

    @Override
    public TimeSeries timeSeries(SeriesQuery query) {
        Instant now = database.now();
        var sum = new TimeSeries.Sum(query, now);
        forLists.single(
                read,
                call -> call.set("seconds", (Integer) query.stored())
                        .set("from", sum.from())
                        .list(row -> {
                            var key = new Meter.BucketKey(
                                    query.stored(), row.instant("at"), row.text("queue"), row.text("definition_key"));
                            sum.add(key, numbers(row));
                            return key;
                        }));
        return sum.result();
    }

    private static Numbers numbers(Row row) throws SQLException {
        var numbers = new Numbers();
        numbers.add(Meter.End.SUCCEEDED, row.bigint("succeeded"));
        numbers.add(Meter.End.FAILED, row.bigint("failed"));
        numbers.add(Meter.End.RETRIED, row.bigint("retried"));
        numbers.add(Meter.End.CANCELLED, row.bigint("cancelled"));
        read(row, "wait", numbers.waits());
        read(row, "run", numbers.runs());
        return numbers;
    }

    private static void read(Row row, String name, Histogram histogram) throws SQLException {
        Short[] lengths = row.array(name + "_steps", Short[].class);
        Integer[] seen = row.array(name + "_counts", Integer[].class);
        for (int i = 0; i < lengths.length; i++) {
            histogram.add(lengths[i], seen[i]);
        }
    }

    @Override
    public Failures failures(Duration within) {
        Instant since = database.now().minus(within);
        var groups = new FailureGroups();
        int found = forLists.single(
                failures,
                call -> call.set("since", since)
                        .set("lowestId", Uuid7.lowest(since.minus(LONGEST_LIFE).toEpochMilli()))
                        .set("most", (Integer) (Failures.MOST_FAILURES + 1))
                        .list(row -> {
                            var failure = Rows.failure(row);
                            if (failure != null) {
                                groups.add(
                                        new JobId(row.uuid("id")),
                                        row.text("definition_key"),
                                        failure,
                                        row.instant("finished_at"));
                            }
                            return true;
                        })
                        .size());
        return new Failures(groups.largest(), found <= Failures.MOST_FAILURES);
    }

    @Override
    public Optional<DatabaseHealth> database() {
        return database.single(
                health,
                call -> call
                        .list(row -> new DatabaseHealth(
                                row.text("server_version"),
                                Duration.ofMillis((long) (row.real("held_seconds") * 1000)),
                                row.textOrNull("held_by"),
                                row.bigint("live_bytes"),
                                row.bigint("dead_rows"),
                                row.bigint("finished_bytes"),
                                row.integer("days"),
                                row.integer("connections"),
                                row.integer("max_connections")))
                        .stream()
                        .findFirst());
    }

    @Override
    public Optional<DatabaseLink> databaseLink() {
        boolean replica = forLists instanceof ReplicaDatabase;
        return Optional.of(new DatabaseLink(
                failovers.timeline(),
                failovers.failovers(),
                failovers.lost(),
                !replica || ((ReplicaDatabase) forLists).up(),
                replica ? ((ReplicaDatabase) forLists).fallbacks() : 0));
    }

    /** Writes the remaining counts. */
    @Override
    public void close() {
        closed.countDown();
        if (loop != null) {
            loop.close(CLOSE_MILLIS);
        }
    }
}
