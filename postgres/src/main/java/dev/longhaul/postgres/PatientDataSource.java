package dev.longhaul.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Opens connections for a pool. Once the database was reached and is away, it tries again every quarter of a second: left to
 * themselves, pools make longer and longer pauses (HikariCP up to 5 s), and work would resume that much later.
 */
public final class PatientDataSource extends PGSimpleDataSource {
    private static final long serialVersionUID = 1;
    private static final long PAUSE_MILLIS = 250;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private volatile boolean reached;

    /**
     * Connections to that database.
     *
     * @param url {@code postgres://user:password@host:5432/name} or a JDBC URL
     */
    public PatientDataSource(String url) {
        setUrl(DatabaseUrl.toJdbc(url));
    }

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                Connection connection = super.getConnection(user, password);
                reached = true;
                return connection;
            } catch (SQLException e) {
                if (!reached || !Database.broken(e) || System.nanoTime() - until > 0) {
                    throw e;
                }
                pause(e);
            }
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
