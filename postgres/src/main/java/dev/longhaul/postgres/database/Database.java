package dev.longhaul.postgres.database;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs work on connections of the user's DataSource. After a broken connection it is unknown whether the work was
 * committed; repeatable work is then retried, with a flag that it is a retry.
 */
public class Database {
    private static final Logger LOG = LoggerFactory.getLogger(Database.class);
    /** SQL state of our own SQLExceptions that requests a rollback and a retry. */
    public static final String AGAIN = "40001";

    private static final int TRIES = 6;
    /** The most repairs for one piece of work. Each repair fixes one cause, such as one missing partition. */
    private static final int MOST_REPAIRS = 1000;

    /**
     * How long work is retried before callers get UNAVAILABLE; a pool may use its own timeout for each connection
     * attempt.
     */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);

    private static final int PAUSE_MILLIS = 50;
    /**
     * Network timeout of the lease connection: an unresponsive network must not delay renewals for longer than a lease
     * tolerates.
     */
    private static final int RESERVED_TIMEOUT_MILLIS = 4000;
    /**
     * Limits for each transaction: another session's lock must not block it indefinitely, and a process that is
     * suspended in a transaction must not hold its locks for a whole lease.
     */
    private static final String BOUNDS = "select set_config('lock_timeout', '3s', true),"
            + " set_config('idle_in_transaction_session_timeout', '10s', true)";

    private static final NamedSql CLOCK = NamedSql.load("upkeep/clock");

    private final Connections connections;
    private final WriteRefusals refusals = new WriteRefusals();
    private volatile Repair repair = failure -> false;
    private final Object reserving = new Object();
    /** The connection of {@link #reserved}. */
    private @Nullable Connection reserved;

    public Database(DataSource dataSource) {
        this.connections = new Connections(dataSource);
    }

    /** Work on a connection. */
    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    /** Work that may be retried after a broken connection. */
    public interface RepeatableWork<T> {
        T on(Connection connection, boolean again) throws SQLException;
    }

    /** Fixes the cause of a failure. Called after the failed work was rolled back. */
    public interface Repair {
        /** Returns whether the cause is fixed, so that the work can be retried. */
        boolean repair(SQLException failure);
    }

    /** Retries work after failures that this repair fixes. */
    public void repairWith(Repair how) {
        repair = how;
    }

    /** The writes that the database has recently refused. */
    public WriteRefusals refusals() {
        return refusals;
    }

    public Connections connections() {
        return connections;
    }

    /** Runs a single statement in auto-commit mode; retries it when its connection breaks. */
    public <T> T single(RepeatableWork<T> work) {
        return repeat(work, false);
    }

    /** As {@link #single(RepeatableWork)}, for a statement that need not know whether it is a retry. */
    public <T> T single(NamedSql sql, Call.Use<T> use) {
        return single((connection, again) -> sql.run(connection, use));
    }

    /** The time by the database's clock. */
    public Instant now() {
        return single((connection, again) -> now(connection));
    }

    /** The time by the database's clock. */
    public static Instant now(Connection connection) throws SQLException {
        return CLOCK.run(connection, call -> call.list(row -> row.instant("now")))
                .get(0);
    }

    /** Runs work in a transaction; retries it when its connection breaks. */
    public <T> T transaction(RepeatableWork<T> work) {
        return repeat(work, true);
    }

    /** Runs work in a transaction that must not be retried when it is unknown whether it was committed. */
    public <T> T once(Work<T> work) {
        return repeat((connection, again) -> work.on(connection), true, false);
    }

    /**
     * Runs a single statement in auto-commit mode that must not be retried when it is unknown whether it was committed.
     */
    public <T> T singleOnce(Work<T> work) {
        return repeat((connection, again) -> work.on(connection), false, false);
    }

    /**
     * Runs one statement on the connection reserved for leases, so that a pool exhausted by other work does not make
     * owners lose their leases; retries once on a new connection when it breaks.
     */
    public <T> T reserved(Work<T> work) {
        synchronized (reserving) {
            for (int attempt = 1; ; attempt++) {
                try {
                    Connection open = reserved;
                    if (open == null) {
                        open = connections.open();
                        reserved = open;
                        open.setAutoCommit(true);
                        open.setNetworkTimeout(Runnable::run, RESERVED_TIMEOUT_MILLIS);
                    }
                    return work.on(open);
                } catch (SQLException e) {
                    closeReserved();
                    boolean retry = broken(e) || rolledBack(e);
                    if (!retry || attempt == 2) {
                        throw new LonghaulException(
                                retry ? ErrorCode.UNAVAILABLE : ErrorCode.INTERNAL, "leases: " + e.getMessage(), e);
                    }
                }
            }
        }
    }

    /** Opens the lease connection now, while the pool has one free, and not when the first lease is about to expire. */
    public void reserve() {
        reserved(connection -> connection.isValid(RESERVED_TIMEOUT_MILLIS / 1000));
    }

    public void closeReserved() {
        synchronized (reserving) {
            Connection open = reserved;
            reserved = null;
            if (open != null) {
                try (open) {
                    open.setNetworkTimeout(Runnable::run, 0);
                } catch (SQLException e) {
                    LOG.debug("closing the broken lease connection failed", e);
                }
            }
        }
    }

    private <T> T repeat(RepeatableWork<T> work, boolean transaction) {
        return repeat(work, transaction, true);
    }

    private <T> T repeat(RepeatableWork<T> work, boolean transaction, boolean repeatable) {
        boolean again = false;
        long began = System.nanoTime();
        int repairs = 0;
        for (int attempt = 1; ; attempt++) {
            SQLException failure;
            boolean reached = false;
            try (Connection connection = connections.open()) {
                reached = true;
                return transaction ? inTransaction(connection, work, again) : autoCommitted(connection, work, again);
            } catch (SQLException e) {
                failure = e;
            }
            refusals.note(failure);
            if (repairs < MOST_REPAIRS && repair.repair(failure)) {
                repairs++;
                attempt--;
                continue;
            }
            boolean rolledBack = rolledBack(failure);
            boolean broken = broken(failure);
            if (!rolledBack && !broken) {
                throw DatabaseAdvice.of(failure) == null
                        ? new LonghaulException(ErrorCode.INTERNAL, "database: " + failure.getMessage(), failure)
                        : new LonghaulException(ErrorCode.UNAVAILABLE, message(failure, false, false), failure);
            }
            boolean mayRepeat = rolledBack || !reached || repeatable;
            boolean late = (broken || lockTimeout(failure)) && System.nanoTime() - began > PATIENCE;
            if (attempt == TRIES || late || !mayRepeat) {
                boolean poolEmpty = !reached && exhausted(failure);
                throw new LonghaulException(ErrorCode.UNAVAILABLE, message(failure, broken, poolEmpty), failure);
            }
            again |= broken && reached;
            LOG.debug("database work failed in attempt {}; retrying", attempt, failure);
            pause(attempt);
        }
    }

    /**
     * Whether all connections of a pool are in use. If HikariCP has opened no connection yet, its message has total=0.
     */
    private static boolean exhausted(SQLException e) {
        return e instanceof SQLTransientConnectionException
                && e.getCause() == null
                && !String.valueOf(e.getMessage()).contains("total=0,");
    }

    /** The message of a failure. A pool's exception has the reason in its cause, so the cause is used. */
    private static String message(SQLException failure, boolean broken, boolean poolEmpty) {
        String described = DatabaseAdvice.describe(failure);
        if (described != null) {
            return described;
        }
        SQLException reason = failure.getCause() instanceof SQLException why ? why : failure;
        String what = poolEmpty
                ? "no free connection in the pool (expected: 5 for Longhaul, and as many more as your code holds): "
                : broken ? "database unavailable: " : "database busy: ";
        return what + reason.getMessage() + " (safe to retry)";
    }

    private static <T> T autoCommitted(Connection connection, RepeatableWork<T> work, boolean again)
            throws SQLException {
        boolean before = connection.getAutoCommit();
        connection.setAutoCommit(true);
        try {
            return work.on(connection, again);
        } finally {
            restore(connection, before);
        }
    }

    private static <T> T inTransaction(Connection connection, RepeatableWork<T> work, boolean again)
            throws SQLException {
        boolean before = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try {
            bound(connection);
            T answer = work.on(connection, again);
            connection.commit();
            restore(connection, before);
            return answer;
        } catch (Throwable e) {
            // Also after an Error: switching auto-commit on again would commit the unfinished transaction.
            if (rollback(connection, e)) {
                restore(connection, before);
            } else {
                discard(connection);
            }
            throw e;
        }
    }

    private static void bound(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(BOUNDS);
        }
    }

    /** Returns whether the rollback succeeded. */
    private static boolean rollback(Connection connection, Throwable reason) {
        try {
            connection.rollback();
            return true;
        } catch (SQLException | RuntimeException | Error e) {
            reason.addSuppressed(e);
            return false;
        }
    }

    /** Aborts the connection, so that neither this process nor its pool can commit the unfinished transaction. */
    private static void discard(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException | Error e) {
            LOG.debug("could not abort a connection that cannot be rolled back", e);
        }
    }

    /**
     * Restores the auto-commit mode of the pool. Failures are ignored: a broken connection has already reported its own
     * failure.
     */
    private static void restore(Connection connection, boolean autoCommit) {
        try {
            connection.setAutoCommit(autoCommit);
        } catch (SQLException e) {
            LOG.debug("could not restore auto-commit of a connection; the pool will discard it", e);
        }
    }

    private static void pause(int attempt) {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextInt(PAUSE_MILLIS * attempt));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "interrupted while waiting for the database", e);
        }
    }

    /**
     * Whether the server has rolled the work back: deadlock, serialization failure, lock not available, canceled by a
     * timeout.
     */
    static boolean rolledBack(SQLException e) {
        String state = state(e);
        return state.equals("40P01") || state.equals("40001") || state.equals("55P03") || state.equals("57014");
    }

    public static boolean lockTimeout(SQLException e) {
        return state(e).equals("55P03");
    }

    /** Whether the server is reachable but lacks a resource that a write needs, such as disk space. */
    public static boolean outOfResources(SQLException e) {
        return state(e).startsWith("53") || state(e).startsWith("58");
    }

    /** Whether the connection is broken, so that a concurrent commit may or may not have happened. */
    static boolean broken(SQLException e) {
        String state = state(e);
        return state.startsWith("08")
                || state.startsWith("57P0")
                // Too many connections, no memory, or disk full; 25006 is read-only, as after a failover.
                || state.startsWith("53")
                || state.equals("25006")
                // The server has ended an idle transaction, and its connection with it.
                || state.equals("25P03")
                || e instanceof java.sql.SQLTransientConnectionException
                || e instanceof java.sql.SQLNonTransientConnectionException
                || e instanceof java.sql.SQLRecoverableException;
    }

    /** Whether the server rejects the data itself: a bad value, a violated constraint, or a limit exceeded. */
    public static boolean refusesData(SQLException e) {
        String state = state(e);
        return state.startsWith("22") || state.startsWith("23") || state.startsWith("54");
    }

    public static boolean violates(SQLException e, String constraint) {
        return state(e).equals("23505") && constraint.equals(constraint(e));
    }

    /** The violated constraint; empty when the server names none. */
    public static String constraint(SQLException e) {
        ServerErrorMessage server = e instanceof PSQLException postgres ? postgres.getServerErrorMessage() : null;
        String name = server == null ? null : server.getConstraint();
        return name == null ? "" : name;
    }

    /** The server's error detail; empty when there is none. */
    static String detail(SQLException e) {
        ServerErrorMessage server = e instanceof PSQLException postgres ? postgres.getServerErrorMessage() : null;
        String detail = server == null ? null : server.getDetail();
        return detail == null ? "" : detail;
    }

    private static String state(SQLException e) {
        String state = e.getSQLState();
        return state == null ? "" : state;
    }
}
