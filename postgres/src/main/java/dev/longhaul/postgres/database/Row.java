package dev.longhaul.postgres.database;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The current row of a result, read by column names. The driver builds its name map once per result, so that a read
 * costs one map look-up more than a read by position. A method without {@code OrNull} is for columns that are never
 * null.
 */
public final class Row {
    private final ResultSet result;

    Row(ResultSet result) {
        this.result = result;
    }

    public String text(String column) throws SQLException {
        return result.getString(column);
    }

    public @Nullable String textOrNull(String column) throws SQLException {
        return result.getString(column);
    }

    /** Returns 0 for a null column. */
    public int integer(String column) throws SQLException {
        return result.getInt(column);
    }

    public @Nullable Integer integerOrNull(String column) throws SQLException {
        int value = result.getInt(column);
        return result.wasNull() ? null : (Integer) value;
    }

    /** Returns 0 for a null column. */
    public long bigint(String column) throws SQLException {
        return result.getLong(column);
    }

    public @Nullable Long bigintOrNull(String column) throws SQLException {
        long value = result.getLong(column);
        return result.wasNull() ? null : (Long) value;
    }

    public double real(String column) throws SQLException {
        return result.getDouble(column);
    }

    /** Returns false for a null column. */
    public boolean flag(String column) throws SQLException {
        return result.getBoolean(column);
    }

    public byte[] bytes(String column) throws SQLException {
        return result.getBytes(column);
    }

    public UUID uuid(String column) throws SQLException {
        return result.getObject(column, UUID.class);
    }

    public @Nullable UUID uuidOrNull(String column) throws SQLException {
        return result.getObject(column, UUID.class);
    }

    public Instant instant(String column) throws SQLException {
        return result.getObject(column, OffsetDateTime.class).toInstant();
    }

    public @Nullable Instant instantOrNull(String column) throws SQLException {
        OffsetDateTime at = result.getObject(column, OffsetDateTime.class);
        return at == null ? null : at.toInstant();
    }

    /** Returns an empty list for a null column. */
    public List<String> texts(String column) throws SQLException {
        Array array = result.getArray(column);
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }

    /** The elements of an array, in the driver's type for them. */
    public <T> T[] array(String column, Class<T[]> type) throws SQLException {
        return type.cast(result.getArray(column).getArray());
    }

    /** Labels, stored as {@code key=value}; a key has no equals sign. */
    public Map<String, String> labels(String column) throws SQLException {
        List<String> pairs = texts(column);
        if (pairs.isEmpty()) {
            return Map.of();
        }
        var labels = new TreeMap<String, String>();
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            labels.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return labels;
    }
}
