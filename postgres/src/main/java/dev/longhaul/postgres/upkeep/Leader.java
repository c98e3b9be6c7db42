package dev.longhaul.postgres.upkeep;

import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.spi.Leadership;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Elects one process at a time for maintenance tasks that only one process may do. */
public final class Leader {
    private final NamedSql lead = NamedSql.load("upkeep/lead");
    private final NamedSql resign = NamedSql.load("upkeep/resign");
    private final NamedSql hold = NamedSql.load("upkeep/hold_leadership");
    private final Database database;

    public Leader(Database database) {
        this.database = database;
    }

    /** A retry after a lost response renews the leadership that the first call took. */
    public Optional<Leadership> lead(String holder, Duration term, Duration lease) {
        Leadership.check(holder, term, lease);
        List<Leadership> taken = database.single(
                lead,
                call -> call.set("holder", holder)
                        .set("term", term)
                        .set("lease", lease)
                        .list(row -> new Leadership(holder, row.bigint("epoch"), row.instantOrNull("lapsed_before"))));
        return taken.stream().findFirst();
    }

    public void resign(Leadership leadership) {
        database.single(resign, call -> bind(call, leadership).update());
    }

    /** Whether this leadership is still held; if so, no other process can take it before the transaction ends. */
    public boolean holds(Connection connection, Leadership leadership) throws SQLException {
        return hold.run(
                connection, call -> !bind(call, leadership).list(row -> true).isEmpty());
    }

    private static Call bind(Call call, Leadership leadership) throws SQLException {
        return call.set("holder", leadership.holder()).set("epoch", (Long) leadership.epoch());
    }
}
