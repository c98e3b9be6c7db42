package dev.longhaul.postgres.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections for a pool. After the database has been reached once, it retries every 250 ms while the database is
 * unavailable: pools themselves lengthen their retry interval (HikariCP up to 5 s), so work would resume later.
 *
 * <p>Behind a pooler in transaction mode it switches server-prepared statements off, unless the URL sets {@code
 * prepareThreshold}.
 */
public final class PatientDataSource extends PGSimpleDataSource {
    private static final long serialVersionUID = 1;
    private static final long PAUSE_MILLIS = 250;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(PatientDataSource.class);

    private final boolean thresholdGiven;
    private volatile boolean reached;

    /**
     * Creates a data source for the database.
     *
     * @param url {@code postgres://user:password@host:5432/name} or a JDBC URL
     */
    public PatientDataSource(String url) {
        setUrl(DatabaseUrl.toJdbc(url));
        thresholdGiven = url.contains("prepareThreshold=");
    }

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                Connection connection = super.getConnection(user, password);
                reached = true;
                return suitedToPooler(connection, user, password);
            } catch (SQLException e) {
                if (!reached || !Database.broken(e) || System.nanoTime() - until > 0) {
                    throw e;
                }
                pause(e);
            }
        }
    }

    private Connection suitedToPooler(Connection connection, @Nullable String user, @Nullable String password)
            throws SQLException {
        if (thresholdGiven || getPrepareThreshold() == 0) {
            return connection;
        }
        try {
            if (Pooling.of(connection, () -> super.getConnection(user, password)) == Pooling.TRANSACTION) {
                setPrepareThreshold(0);
                connection.unwrap(PGConnection.class).setPrepareThreshold(0);
                LOG.warn(
                        "a connection pooler in transaction mode is in front of the database; server-prepared statements are"
                                + " off (prepareThreshold=0)");
            }
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static void pause(SQLException failure) throws SQLException {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure;
        }
    }
}
