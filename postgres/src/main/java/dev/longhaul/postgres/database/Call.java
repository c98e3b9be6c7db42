package dev.longhaul.postgres.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One execution of a {@link NamedSql}: set its parameters by name, then run it. */
public final class Call implements AutoCloseable {
    /** Sets the parameters of a statement, runs it and reads its result. */
    public interface Use<T> {
        T of(Call call) throws SQLException;
    }

    private final NamedSql sql;
    private final Connection connection;
    private final PreparedStatement statement;

    Call(NamedSql sql, Connection connection) throws SQLException {
        this.sql = sql;
        this.connection = connection;
        this.statement = connection.prepareStatement(sql.text());
    }

    /** Turns a row into a value. */
    public interface RowMapper<T> {
        T map(Row row) throws SQLException;
    }

    public Call set(String name, @Nullable String value) throws SQLException {
        for (int position : sql.positions(name)) {
            statement.setString(position, value);
        }
        return this;
    }

    public Call set(String name, @Nullable UUID value) throws SQLException {
        for (int position : sql.positions(name)) {
            if (value == null) {
                setTypedNull(position);
            } else {
                statement.setObject(position, value);
            }
        }
        return this;
    }

    public Call set(String name, @Nullable Integer value) throws SQLException {
        for (int position : sql.positions(name)) {
            statement.setObject(position, value, Types.INTEGER);
        }
        return this;
    }

    public Call set(String name, @Nullable Long value) throws SQLException {
        for (int position : sql.positions(name)) {
            statement.setObject(position, value, Types.BIGINT);
        }
        return this;
    }

    public Call set(String name, boolean value) throws SQLException {
        for (int position : sql.positions(name)) {
            statement.setBoolean(position, value);
        }
        return this;
    }

    public Call set(String name, byte[] value) throws SQLException {
        for (int position : sql.positions(name)) {
            statement.setBytes(position, value);
        }
        return this;
    }

    /** Sets the duration in microseconds. */
    public Call set(String name, Duration value) throws SQLException {
        return set(name, (Long) (value.toNanos() / 1000));
    }

    /** Sets the time as text, which the statement casts. */
    public Call set(String name, @Nullable Instant value) throws SQLException {
        return set(name, value == null ? null : micros(value).toString());
    }

    /**
     * Sets a null that the statement casts to the required type. For an untyped null, as the driver sends for most
     * types, the driver would request the types first, in an extra round trip that ends the transaction of the planner
     * settings.
     */
    private void setTypedNull(int position) throws SQLException {
        statement.setString(position, null);
    }

    public Call texts(String name, @Nullable Collection<? extends @Nullable String> values) throws SQLException {
        return array(name, "text", values == null ? null : values.toArray());
    }

    public Call bytes(String name, Collection<byte[]> values) throws SQLException {
        // Typed array: the driver rejects byte[] elements in an Object[].
        return array(name, "bytea", values.toArray(byte[][]::new));
    }

    public Call uuids(String name, Collection<? extends @Nullable UUID> values) throws SQLException {
        return array(name, "uuid", values.toArray());
    }

    public Call ints(String name, Collection<? extends @Nullable Integer> values) throws SQLException {
        return array(name, "int4", values.toArray());
    }

    public Call longs(String name, Collection<? extends @Nullable Long> values) throws SQLException {
        return array(name, "int8", values.toArray());
    }

    public Call shorts(String name, @Nullable Collection<? extends @Nullable Short> values) throws SQLException {
        return array(name, "int2", values == null ? null : values.toArray());
    }

    public Call flags(String name, Collection<? extends @Nullable Boolean> values) throws SQLException {
        return array(name, "bool", values.toArray());
    }

    public Call instants(String name, @Nullable Collection<? extends @Nullable Instant> values) throws SQLException {
        return array(
                name,
                "timestamptz",
                values == null
                        ? null
                        : values.stream()
                                .map(at -> at == null ? null : micros(at).toString())
                                .toArray());
    }

    private Call array(String name, String type, @Nullable Object @Nullable [] values) throws SQLException {
        for (int position : sql.positions(name)) {
            if (values == null) {
                setTypedNull(position);
            } else {
                statement.setArray(position, connection.createArrayOf(type, values));
            }
        }
        return this;
    }

    /** Runs the statement and maps every row of its result. */
    public <T> List<T> list(RowMapper<T> mapper) throws SQLException {
        boolean rows = statement.execute();
        if (sql.prefixed()) {
            rows = statement.getMoreResults();
        }
        var all = new ArrayList<T>();
        if (rows) {
            try (ResultSet answer = statement.getResultSet()) {
                var row = new Row(answer);
                while (answer.next()) {
                    all.add(mapper.map(row));
                }
            }
        }
        return all;
    }

    /** Runs the statement and returns how many rows it wrote. */
    public int update() throws SQLException {
        statement.execute();
        if (sql.prefixed()) {
            statement.getMoreResults();
        }
        return statement.getUpdateCount();
    }

    @Override
    public void close() throws SQLException {
        statement.close();
    }

    /** Returns one value for each of the {@code items}; an empty list if all values are null. */
    public static <T, V> List<@Nullable V> column(Collection<T> items, Function<T, @Nullable V> value) {
        var values = new ArrayList<@Nullable V>(items.size());
        boolean any = false;
        for (T item : items) {
            V one = value.apply(item);
            any |= one != null;
            values.add(one);
        }
        return any ? values : List.of();
    }

    /** Truncates a time to PostgreSQL's precision, because PostgreSQL would round it. */
    public static Instant micros(Instant at) {
        return at.truncatedTo(ChronoUnit.MICROS);
    }
}
