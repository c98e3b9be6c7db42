package dev.longhaul.postgres.database;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Failures of a database that an operator can fix, each with its reason and what to do. */
public enum DatabaseAdvice {
    NO_PASSWORD(
            "no database password",
            "add a line for this host, port, database and user to ~/.pgpass, or to the file that PGPASSFILE names",
            true),
    WRONG_PASSWORD("wrong user or password", "correct the user or the password in the database URL", true),
    USER_REJECTED(
            "user not allowed", "correct the user in the database URL, or allow it in the server's pg_hba.conf", true),
    NO_DATABASE("no such database", "create the database, or correct its name in the database URL", true),
    NO_SCHEMA("schema longhaul is missing or incomplete", "run: longhaul migrate --database-url URL", true),
    NO_PRIVILEGE(
            "missing privilege",
            "run longhaul migrate as the owner of the database, and grant its tables to this user",
            true),
    READ_ONLY("database is read-only", "a standby cannot be used: name the primary in the database URL", false),
    TOO_MANY_CONNECTIONS(
            "database has no connection left", "raise max_connections in PostgreSQL, or use smaller pools", false),
    UNKNOWN_HOST(
            "unknown database host",
            "correct the host in the database URL, or make its name resolve on this machine",
            false),
    CONNECTION_REFUSED(
            "database refused the connection",
            "start PostgreSQL there, or correct the host and port in the database URL",
            false),
    NO_ROUTE("database host does not respond", "check the network and firewalls between this machine and it", false),
    STATEMENT_TIMEOUT(
            "database statement timed out",
            "safe to retry; if it happens often, raise statement_timeout of this user, or find out why the database is slow",
            false),
    LOCK_TIMEOUT(
            "timeout while waiting for a database lock",
            "safe to retry; if it happens often, find sessions that are idle in transaction in pg_stat_activity",
            false);

    private final String problem;
    private final String advice;
    private final boolean lasting;

    DatabaseAdvice(String problem, String advice, boolean lasting) {
        this.problem = problem;
        this.advice = advice;
        this.lasting = lasting;
    }

    /** Returns the advice about that failure; null when there is none. A pool's failure is judged by its cause. */
    public static @Nullable DatabaseAdvice of(SQLException failure) {
        for (Throwable reason = failure; reason != null; reason = reason.getCause()) {
            DatabaseAdvice advice = ofOne(reason);
            if (advice != null) {
                return advice;
            }
        }
        return null;
    }

    /** The problem, the details and what to do next, in one line; null when there is no advice. */
    public static @Nullable String describe(SQLException failure) {
        DatabaseAdvice advice = of(failure);
        return advice == null ? null : advice.problem(failure) + " (" + advice.advice + ")";
    }

    /** The problem and its details, in one line. */
    public String problem(SQLException failure) {
        return problem + ": " + detail(failure).replace('\n', ' ');
    }

    /** The message of the innermost cause that the driver wraps: an SQLException, or an unknown host. */
    private static String detail(SQLException failure) {
        Throwable detail = failure;
        while (detail.getCause() instanceof SQLException || detail.getCause() instanceof UnknownHostException) {
            detail = detail.getCause();
        }
        return String.valueOf(detail.getMessage());
    }

    private static @Nullable DatabaseAdvice ofOne(Throwable reason) {
        if (reason instanceof UnknownHostException) {
            return UNKNOWN_HOST;
        }
        if (reason instanceof NoRouteToHostException || reason instanceof SocketTimeoutException) {
            return NO_ROUTE;
        }
        if (reason instanceof ConnectException) {
            return CONNECTION_REFUSED;
        }
        String state = reason instanceof SQLException sql ? sql.getSQLState() : null;
        return switch (state == null ? "" : state) {
            // The driver uses this state for other rejections too.
            case "08004" ->
                String.valueOf(reason.getMessage()).contains("no password was provided") ? NO_PASSWORD : null;
            case "28P01" -> WRONG_PASSWORD;
            case "28000" -> USER_REJECTED;
            case "3D000" -> NO_DATABASE;
            case "3F000", "42P01", "42883" ->
                String.valueOf(reason.getMessage()).contains("longhaul") ? NO_SCHEMA : null;
            case "42501" -> NO_PRIVILEGE;
            case "25006" -> READ_ONLY;
            case "53300" -> TOO_MANY_CONNECTIONS;
            case "55P03" -> LOCK_TIMEOUT;
            // The state of every cancelled statement.
            case "57014" ->
                String.valueOf(reason.getMessage()).contains("statement timeout") ? STATEMENT_TIMEOUT : null;
            // The driver's own timeout of a connection attempt has no cause.
            case "08001" -> String.valueOf(reason.getMessage()).contains("timed out") ? NO_ROUTE : null;
            default -> null;
        };
    }

    /** Returns the advice what to do next. */
    public String advice() {
        return advice;
    }

    /** Whether only a person can fix it, so that a retry is useless. */
    public boolean lasting() {
        return lasting;
    }
}
