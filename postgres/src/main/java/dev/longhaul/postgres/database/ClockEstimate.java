package dev.longhaul.postgres.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Estimates the time of the database's clock without a query; precise enough for hours. */
public final class ClockEstimate {
    private static final NamedSql CLOCK = NamedSql.load("upkeep/clock");

    private final Database database;
    private volatile @Nullable Seen last;

    private record Seen(Instant clock, long nanos) {}

    public ClockEstimate(Database database) {
        this.database = database;
    }

    /** The time by the database's clock. */
    public static Instant now(Connection connection) throws SQLException {
        try (Call call = CLOCK.on(connection)) {
            return call.list(row -> row.instant("now")).get(0);
        }
    }

    public void saw(Instant clock) {
        last = new Seen(clock, System.nanoTime());
    }

    public Instant estimate() {
        Seen seen = last;
        if (seen == null) {
            Instant now = database.single((connection, again) -> now(connection));
            saw(now);
            return now;
        }
        return seen.clock().plusNanos(System.nanoTime() - seen.nanos());
    }
}
