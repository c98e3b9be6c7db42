package dev.longhaul.postgres.database;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Migrates the schema to the version of this program. The files use Flyway's naming and record their own version, so
 * that users can also run them with Flyway.
 */
public final class Migrations {
    private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);
    private static final List<String> FILES = List.of("V1__jobs", "V2__schedules", "V3__server");
    private static final long ADVISORY_LOCK = 0x6c6f6e676861756dL;

    private final Database database;

    public Migrations(Database database) {
        this.database = database;
    }

    /** Applies the missing migrations and returns the version; concurrent processes wait for the first one. */
    public int apply() {
        if (version() == FILES.size()) {
            return FILES.size();
        }
        return database.once(connection -> {
            try (Statement statement = connection.createStatement()) {
                // Another process may take long to migrate, and running jobs hold short locks.
                statement.execute("set local lock_timeout = 0");
                statement.execute("set local idle_in_transaction_session_timeout = 0");
                statement.execute("select pg_advisory_xact_lock(" + ADVISORY_LOCK + ")");
                for (int next = version(connection); next < FILES.size(); next++) {
                    String file = FILES.get(next);
                    LOG.info("migrating the database: {}", file);
                    statement.execute(NamedSql.resource("migrations/" + file + ".sql"));
                }
            }
            return FILES.size();
        });
    }

    /** The SQL that {@link #apply} would run; empty when the schema is up to date. */
    public String missing() {
        return FILES.subList(version(), FILES.size()).stream()
                .map(file -> "-- " + file + "\n" + NamedSql.resource("migrations/" + file + ".sql"))
                .collect(Collectors.joining("\n"));
    }

    /** Rejects a schema of another version than this program's; returns the version. */
    public int check() {
        int version = version();
        if (version != FILES.size()) {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION,
                    "database schema: version " + version + " (expected: " + FILES.size()
                            + "); run: longhaul migrate --database-url <url>, or open the store with migrate = true");
        }
        return version;
    }

    private int version() {
        return database.single((connection, again) -> version(connection));
    }

    /** The version of the schema; rejects a schema that this program did not create or does not know yet. */
    private static int version(Connection connection) throws SQLException {
        // Does not use to_regclass: its result comes from a cache that may be older than the lock that this session
        // waited for.
        String exists = "select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n"
                + " on n.oid = c.relnamespace where n.nspname = 'longhaul' and c.relname = 'schema_version')";
        try (Statement statement = connection.createStatement();
                ResultSet there = statement.executeQuery(exists)) {
            there.next();
            if (!there.getBoolean(1)) {
                return 0;
            }
        }
        int version = 0;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select version, description from longhaul.schema_version order by version")) {
            while (row.next()) {
                version = row.getInt("version");
                requireOwn(version, row.getString("description"));
            }
        }
        if (version > FILES.size()) {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION,
                    "database schema: version " + version + " (expected: <= " + FILES.size()
                            + "); this program is older than the database: update it");
        }
        return version;
    }

    /** Rejects a schema of an unreleased version, in which the same version number may mean other tables. */
    private static void requireOwn(int version, String description) {
        if (version <= FILES.size()) {
            String file = FILES.get(version - 1);
            String expected = file.substring(file.indexOf("__") + 2);
            if (!description.equals(expected)) {
                throw new LonghaulException(
                        ErrorCode.FAILED_PRECONDITION,
                        "database schema: version " + version + " is \"" + description + "\" (expected: \"" + expected
                                + "\"); an unreleased version of Longhaul created it, and it cannot be migrated: use an"
                                + " empty database, or drop schema longhaul (docs/guides/upgrading.md)");
            }
        }
    }
}
