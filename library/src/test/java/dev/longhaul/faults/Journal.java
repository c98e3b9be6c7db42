package dev.longhaul.faults;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobContext;
import dev.longhaul.job.JobId;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.testing.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * A record that the jobs' code itself writes, in a table beside Longhaul's, on connections that Longhaul does not use,
 * with the database's clock. A mark is written after its activity has begun and before it has ended: recorded
 * intervals lie within the real ones, so that an overlap in the record really happened.
 */
final class Journal implements AutoCloseable {
    private static final String CREATE = "create table if not exists mark (number bigint generated always as identity,"
            + " at timestamptz not null default clock_timestamp(), job uuid not null, run int, worker text not null,"
            + " what text not null)";

    private final HikariDataSource pool;
    private final String worker;

    Journal(String url, String worker, int connections) {
        this.pool = TestPostgres.pool(new PatientDataSource(url), connections);
        this.worker = worker;
    }

    /** One line of the record. */
    record Mark(Instant at, JobId job, int run, String worker, String what) {}

    void create() {
        update(CREATE);
    }

    /** Writes a mark of a run; retries until the database accepts it. */
    void mark(JobContext context, String what) throws InterruptedException {
        JobId job = Objects.requireNonNull(context.jobId());
        while (true) {
            try {
                write(job, context.run(), what);
                return;
            } catch (SQLException e) {
                // The database is unavailable, or the thread was interrupted in the pool.
                if (Thread.interrupted()) {
                    throw new InterruptedException(e.getMessage());
                }
                Thread.sleep(100);
            }
        }
    }

    private void write(JobId job, int run, String what) throws SQLException {
        String insert = "insert into mark (job, run, worker, what) values (?, ?, ?, ?)";
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = bound(connection, insert, job, run, worker, what)) {
            statement.executeUpdate();
        }
    }

    List<Mark> marks() {
        return marks("");
    }

    /** The marks with that prefix, in order. */
    List<Mark> marks(String prefix) {
        String select = "select at, job, run, worker, what from mark where starts_with(what, ?) order by at, number";
        return query(
                select,
                row -> new Mark(
                        row.getTimestamp(1).toInstant(),
                        new JobId(row.getObject(2, UUID.class)),
                        row.getInt(3),
                        row.getString(4),
                        row.getString(5)),
                prefix);
    }

    Instant now() {
        return query("select clock_timestamp()", row -> row.getTimestamp(1).toInstant())
                .get(0);
    }

    /** One number. */
    long count(String sql, Object... values) {
        return query(sql, row -> row.getLong(1), values).get(0);
    }

    int update(String sql, Object... values) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = bound(connection, sql, values)) {
            return statement.execute() ? 0 : statement.getUpdateCount();
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Reads a row. */
    interface Read<T> {
        T read(ResultSet row) throws SQLException;
    }

    <T> List<T> query(String sql, Read<T> read, Object... values) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = bound(connection, sql, values);
                ResultSet row = statement.executeQuery()) {
            var rows = new ArrayList<T>();
            while (row.next()) {
                rows.add(read.read(row));
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static PreparedStatement bound(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            if (value instanceof JobId id) {
                statement.setObject(i + 1, id.value());
            } else if (value instanceof Instant instant) {
                statement.setTimestamp(i + 1, Timestamp.from(instant));
            } else {
                statement.setObject(i + 1, value);
            }
        }
        return statement;
    }

    @Override
    public void close() {
        pool.close();
    }
}
