package dev.longhaul.cli.client.doctor;

import dev.longhaul.postgres.database.DatabaseAdvice;
import dev.longhaul.postgres.database.Pooling;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import javax.sql.DataSource;

/** Checks the version of PostgreSQL, and whether its settings keep acknowledged commits. */
final class DatabaseChecks {
    private static final int OLDEST = 14;
    private static final int NEWEST = 18;
    private static final int FEW_CONNECTIONS = 20;
    private static final Duration CLOSE_ENOUGH = Duration.ofSeconds(1);

    private final DataSource dataSource;
    private final Findings findings;

    DatabaseChecks(DataSource dataSource, Findings findings) {
        this.dataSource = dataSource;
        this.findings = findings;
    }

    void run() {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            version(statement);
            settings(statement);
            connections(statement);
            schema(statement);
            clock(statement);
            pooler();
        } catch (SQLException e) {
            DatabaseAdvice advice = DatabaseAdvice.of(e);
            if (advice == null) {
                findings.fail("database", e.getMessage(), "correct the database URL, or see PostgreSQL's log");
            } else {
                findings.fail("database", advice.problem(e), advice.advice());
            }
        }
    }

    private void version(Statement statement) throws SQLException {
        int version = Integer.parseInt(text(statement, "show server_version_num")) / 10_000;
        String shown = "PostgreSQL " + text(statement, "show server_version");
        findings.expect(version >= OLDEST, "database", shown, "use PostgreSQL " + OLDEST + " to " + NEWEST);
        if (version > NEWEST) {
            findings.warn("version", version + " is newer than tested", "use " + NEWEST + " if in doubt");
        }
        boolean standby = text(statement, "select pg_is_in_recovery()").equals("t");
        findings.expect(!standby, "primary", standby ? "this is a standby" : "accepts writes", "use the primary");
    }

    private void settings(Statement statement) throws SQLException {
        expectOn(statement, "fsync", "a crash of the machine can destroy the database: set fsync = on");
        expectOn(
                statement,
                "synchronous_commit",
                "acknowledged jobs can be lost in a crash: alter database … set synchronous_commit = on");
        expectOn(statement, "full_page_writes", "a crash can tear pages: set full_page_writes = on");
        String isolation = text(statement, "show default_transaction_isolation");
        findings.prefer(
                isolation.equals("read committed"),
                "isolation",
                isolation,
                "alter role … set default_transaction_isolation = 'read committed'");
    }

    /**
     * Expects a setting to be on: any value but off keeps acknowledged commits, at least as long as the database's
     * machine runs.
     */
    private void expectOn(Statement statement, String setting, String advice) throws SQLException {
        String value = text(statement, "show " + setting);
        findings.expect(!value.equals("off"), setting, value, advice);
    }

    private void connections(Statement statement) throws SQLException {
        int most = Integer.parseInt(text(statement, "show max_connections"));
        int used = Integer.parseInt(text(statement, "select count(*) from pg_stat_activity"));
        findings.prefer(
                most - used >= FEW_CONNECTIONS,
                "connections",
                used + " of " + most + " in use",
                "a server with a worker needs about 30; raise max_connections, or use a pooler");
    }

    private void schema(Statement statement) throws SQLException {
        String there = "select exists (select from pg_catalog.pg_tables"
                + " where schemaname = 'longhaul' and tablename = 'schema_version')";
        boolean made = text(statement, there).equals("t");
        String version = made ? text(statement, "select max(version) from longhaul.schema_version") : "";
        findings.prefer(
                made,
                "schema",
                made ? "longhaul, version " + version : "schema longhaul does not exist",
                "longhaul migrate creates it, and so does the first start of a server");
    }

    private void clock(Statement statement) throws SQLException {
        Instant before = Instant.now();
        Instant there;
        try (ResultSet row = statement.executeQuery("select clock_timestamp()")) {
            row.next();
            there = row.getObject(1, OffsetDateTime.class).toInstant();
        }
        Duration half = Duration.between(before, Instant.now()).dividedBy(2);
        Duration apart = Duration.between(before.plus(half), there).abs();
        findings.prefer(
                apart.minus(half).compareTo(CLOSE_ENOUGH) <= 0,
                "db clock",
                "the clocks of this machine and the database differ by " + apart.toMillis() + " ms",
                "run NTP on both; due times of jobs use the database's clock");
    }

    private void pooler() throws SQLException {
        switch (Pooling.of(dataSource)) {
            case DIRECT -> findings.ok("pooler", "none");
            case SESSION -> findings.ok("pooler", "in session mode, which supports all features");
            case TRANSACTION ->
                findings.warn(
                        "pooler",
                        "in transaction mode, without LISTEN: jobs start within about 1 s and cancels within 5 s",
                        "connect directly or in session mode for faster wake-ups; your own DataSource needs"
                                + " prepareThreshold=0");
        }
    }

    private static String text(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }
}
