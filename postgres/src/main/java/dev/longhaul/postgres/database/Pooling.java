package dev.longhaul.postgres.database;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.slf4j.LoggerFactory;

/** The pooler between this process and PostgreSQL, if there is one, and its mode. */
public enum Pooling {
    /** Every connection has its own server process. Also reported if the DataSource hides PostgreSQL's connections. */
    DIRECT,
    /** A pooler assigns a server process to each connection until it is closed. */
    SESSION,
    /**
     * A pooler assigns a server process per transaction: LISTEN does not work, nor do named statements with older
     * poolers.
     */
    TRANSACTION;

    private static final int ROUNDS = 3;

    /** Opens a second connection. */
    interface Opener {
        Connection open() throws SQLException;
    }

    /** Connects and detects the mode. */
    public static Pooling of(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return of(connection, dataSource::getConnection);
        }
    }

    /**
     * Detects the mode for a store, and rejects a pooler that breaks named statements, because they would fail at
     * random.
     */
    public static Pooling check(Database database) {
        Opener another = database.connections()::open;
        return database.single((connection, again) -> {
            Pooling pooling = of(connection, another);
            if (pooling == TRANSACTION && breaksNamedStatements(connection, another)) {
                int threshold = connection.unwrap(PGConnection.class).getPrepareThreshold();
                throw new LonghaulException(
                        ErrorCode.FAILED_PRECONDITION,
                        List.of(new FieldError(
                                "prepareThreshold",
                                String.valueOf(threshold),
                                "0 in the JDBC URL, because a pooler in transaction mode (PgBouncer) is in front of"
                                        + " PostgreSQL: jdbc:postgresql://…?prepareThreshold=0")));
            }
            if (pooling == TRANSACTION) {
                LoggerFactory.getLogger(Pooling.class)
                        .warn("no LISTEN through a pooler in transaction mode: jobs of other processes are picked up by"
                                + " polling (about 1 s), cancels arrive with the next lease renewal");
            }
            return pooling;
        });
    }

    /**
     * Detects the mode of an open connection in auto-commit mode. PostgreSQL sends a process number when a connection
     * is opened; poolers send one of their own. If two open connections then use the same server process, or one
     * connection uses two, the pooler assigns them per transaction.
     */
    static Pooling of(Connection connection, Opener another) throws SQLException {
        if (!connection.isWrapperFor(PGConnection.class)) {
            return DIRECT;
        }
        int own = process(connection);
        if (own == connection.unwrap(PGConnection.class).getBackendPID()) {
            return DIRECT;
        }
        try (Connection second = another.open()) {
            second.setAutoCommit(true);
            int other = process(second);
            for (int round = 0; round < ROUNDS; round++) {
                if (own == other || process(connection) != own || process(second) != other) {
                    return TRANSACTION;
                }
            }
        }
        return SESSION;
    }

    /** Whether two connections through a pooler in transaction mode conflict over named statements. */
    static boolean breaksNamedStatements(Connection connection, Opener another) throws SQLException {
        if (connection.unwrap(PGConnection.class).getPrepareThreshold() == 0) {
            return false;
        }
        try (Connection second = another.open()) {
            second.setAutoCommit(true);
            for (int round = 0; round < ROUNDS; round++) {
                named(connection, "select 1");
                named(second, "select 2");
            }
            return false;
        } catch (SQLException e) {
            // The name exists already, does not exist, or belongs to another connection's statement.
            String state = String.valueOf(e.getSQLState());
            if (state.equals("42P05") || state.equals("26000") || state.equals("08P01")) {
                return true;
            }
            throw e;
        }
    }

    private static void named(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(1);
            statement.executeQuery().close();
        }
    }

    private static int process(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }
}
