package dev.longhaul.postgres.faults;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads the database directly, without the store. */
final class Sql {
    private Sql() {}

    /** The first column of every row. */
    static List<String> texts(String url, String sql) {
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            var texts = new ArrayList<String>();
            while (row.next()) {
                texts.add(row.getString(1));
            }
            return texts;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
