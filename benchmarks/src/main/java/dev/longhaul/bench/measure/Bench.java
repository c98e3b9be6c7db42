package dev.longhaul.bench.measure;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.postgres.PostgresStore;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

/** The measured database, the options, and the output for progress messages. */
public final class Bench {
    private static final int POOL = 8;

    private final String url;
    private final Options options;
    private final PrintStream out;
    private final long start = System.nanoTime();

    public Bench(String url, Options options, PrintStream out) {
        this.url = url;
        this.options = options;
        this.out = out;
    }

    public String url() {
        return url;
    }

    public Options options() {
        return options;
    }

    public void progress(String message, Object... values) {
        double seconds = (System.nanoTime() - start) / 1e9;
        out.printf(Locale.ROOT, "[%6.1f s] %s%n", seconds, String.format(Locale.ROOT, message, values));
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
    }

    public void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the number that a query selects. */
    public long count(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    boolean hasSchema() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("select 1 from pg_namespace where nspname like 'longhaul%' limit 1")) {
            return row.next();
        }
    }

    /** Opens the store on an empty schema. */
    public Rig fresh() throws SQLException {
        execute("drop schema if exists longhaul cascade");
        return open();
    }

    /** Opens the store as shipped on the existing schema, and a second store that listens, as another process would. */
    public Rig open() {
        HikariDataSource pool = pool();
        HikariDataSource otherPool = pool();
        return new Rig(PostgresStore.open(pool), pool, PostgresStore.open(otherPool), otherPool);
    }

    /** Renames the schema, so that a new one can be created. No store may be open. */
    public void park(String name) throws SQLException {
        execute("drop schema if exists longhaul_" + name + " cascade");
        execute("alter schema longhaul rename to longhaul_" + name);
    }

    public void unpark(String name) throws SQLException {
        execute("alter schema longhaul_" + name + " rename to longhaul");
    }

    void cleanUp() throws SQLException {
        execute("drop schema if exists longhaul cascade");
        execute("drop schema if exists longhaul_bare cascade");
        execute("drop schema if exists longhaul_loaded cascade");
    }

    public HikariDataSource pool() {
        var config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(POOL);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }
}
