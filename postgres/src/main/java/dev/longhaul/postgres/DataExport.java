package dev.longhaul.postgres;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.IOException;
import java.io.Writer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Writes all that a database keeps as JSON lines: jobs with their runs, steps and events, queues, definitions, the hashes of API
 * keys, the audit trail. One moment of the database, also while others work with it.
 */
public final class DataExport {
    static final String HEADER = "longhaul_export";
    static final String TRAILER = "end";

    private static final int AHEAD = 500;

    private final DataSource dataSource;

    public DataExport(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Answers how many rows it wrote. */
    public long writeTo(Writer out) {
        int version = new Migrations(new Database(dataSource)).check();
        // Not by Database: half an export cannot be repeated into the same file.
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            // For this transaction only: behind a pooler, what is set for the session would hold for other clients.
            try (Statement statement = connection.createStatement()) {
                statement.execute("set transaction isolation level repeatable read, read only");
            }
            out.write("{\"" + HEADER + "\":{\"schemaVersion\":" + version + "}}\n");
            long rows = 0;
            for (Exported table : Exported.values()) {
                rows += write(connection, table, out);
            }
            out.write("{\"" + TRAILER + "\":{\"rows\":" + rows + "}}\n");
            out.flush();
            connection.rollback();
            return rows;
        } catch (SQLException e) {
            throw new LonghaulException(
                    ErrorCode.UNAVAILABLE, "the export broke off: " + e.getMessage() + " (begin anew)", e);
        } catch (IOException e) {
            throw new LonghaulException(ErrorCode.INTERNAL, "the export could not be written: " + e, e);
        }
    }

    private static long write(Connection connection, Exported table, Writer out) throws SQLException, IOException {
        long count = 0;
        try (PreparedStatement statement =
                connection.prepareStatement(table.export().text())) {
            statement.setFetchSize(AHEAD);
            try (ResultSet rows = statement.executeQuery()) {
                for (; rows.next(); count++) {
                    out.write("{\"" + table.table() + "\":" + rows.getString(1) + "}\n");
                }
            }
        }
        return count;
    }
}
