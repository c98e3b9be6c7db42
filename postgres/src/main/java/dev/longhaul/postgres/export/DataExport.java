package dev.longhaul.postgres.export;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.Migrations;
import dev.longhaul.postgres.database.NamedSql;
import java.io.IOException;
import java.io.Writer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * Writes all stored data as JSON lines: jobs with their runs, steps and events, queues, definitions, the hashes of API
 * keys, the audit trail. The export is a consistent snapshot, even while other clients use the database.
 */
public final class DataExport {
    static final String HEADER = "longhaul_export";
    static final String TRAILER = "end";
    /** Ends the line of a row whose secrets were masked; import.sql searches for it. */
    private static final String MASKED = ",\"masked\": true";

    private static final int AHEAD = 500;

    private final DataSource dataSource;

    public DataExport(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Writes all rows.
     *
     * @param withSecrets whether secrets are written in clear; otherwise as {@code ***}
     * @return how many rows were written
     */
    public long writeTo(Writer out, boolean withSecrets) {
        int version = new Migrations(new Database(dataSource)).check();
        // Does not use Database, because it would retry, and a partial export cannot be continued in the same file.
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            // The settings apply to this transaction only: behind a pooler, session settings would affect other
            // clients.
            try (Statement statement = connection.createStatement()) {
                statement.execute("set transaction isolation level repeatable read, read only");
            }
            ExportMask mask = withSecrets ? null : ExportMask.of(connection);
            MaskedCounts counts = mask == null ? null : counts(connection, mask);
            out.write("{\"" + HEADER + "\":{\"schemaVersion\":" + version + ",\"masked\":"
                    + (counts == null ? "false" : counts.json()) + "}}\n");
            long rows = 0;
            for (Exported table : Exported.values()) {
                rows += mask != null && table.hasValues()
                        ? writeValues(connection, table, mask, out)
                        : each(
                                connection,
                                table.export(withSecrets),
                                row -> write(table.table(), row.getString(1), row.getBoolean(2), out));
            }
            out.write("{\"" + TRAILER + "\":{\"rows\":" + rows + "}}\n");
            out.flush();
            connection.rollback();
            return rows;
        } catch (SQLException e) {
            throw new LonghaulException(
                    ErrorCode.UNAVAILABLE, "export failed: " + e.getMessage() + " (start it again)", e);
        } catch (IOException e) {
            throw new LonghaulException(ErrorCode.INTERNAL, "writing the export failed: " + e, e);
        }
    }

    /**
     * Counts the masked rows before any row is written, so that an import can reject the export before it has added
     * anything, even from a pipe.
     */
    private static MaskedCounts counts(Connection connection, ExportMask mask) throws SQLException, IOException {
        long webhooks;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select count(*) from longhaul.webhook")) {
            row.next();
            webhooks = row.getLong(1);
        }
        return new MaskedCounts(
                masked(connection, Exported.LIVE_JOB, mask), masked(connection, Exported.SCHEDULE, mask), webhooks);
    }

    private static long masked(Connection connection, Exported table, ExportMask mask)
            throws SQLException, IOException {
        var count = new AtomicLong();
        each(
                connection,
                table.valuesOnly(),
                row -> count.addAndGet(mask.masked(row).resumes() ? 1 : 0));
        return count.get();
    }

    private static long writeValues(Connection connection, Exported table, ExportMask mask, Writer out)
            throws SQLException, IOException {
        return each(connection, table.exportValues(), row -> {
            ExportMask.Values values = mask.masked(row);
            write(table.table(), values.in(row.getString("row")), values.masked(), out);
        });
    }

    private interface RowUse {
        void of(ResultSet row) throws SQLException, IOException;
    }

    /** Reads all rows of a statement; returns how many there were. */
    private static long each(Connection connection, NamedSql sql, RowUse use) throws SQLException, IOException {
        long count = 0;
        try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
            statement.setFetchSize(AHEAD);
            try (ResultSet rows = statement.executeQuery()) {
                for (; rows.next(); count++) {
                    use.of(rows);
                }
            }
        }
        return count;
    }

    private static void write(String table, String row, boolean masked, Writer out) throws IOException {
        out.write("{\"" + table + "\":" + row + (masked ? MASKED : "") + "}\n");
    }
}
