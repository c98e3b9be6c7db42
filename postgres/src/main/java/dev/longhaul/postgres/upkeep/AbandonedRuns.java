package dev.longhaul.postgres.upkeep;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.work.JobMoves;
import dev.longhaul.postgres.work.RunEnds;
import dev.longhaul.postgres.work.RunRow;
import dev.longhaul.spi.Leadership;
import dev.longhaul.work.Expired;
import dev.longhaul.work.Overdue;
import dev.longhaul.work.RunEnd;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends runs without their workers, for the leader: runs with expired leases, and remote runs past their deadline. */
public final class AbandonedRuns {
    private static final Logger LOG = LoggerFactory.getLogger(AbandonedRuns.class);
    private static final UUID BEFORE_ALL = new UUID(0, 0);

    private final NamedSql lockOverdue = NamedSql.load("work/lock_overdue");
    private final NamedSql lockLapsed = NamedSql.load("work/lock_lapsed");
    private final Database database;
    private final JobMoves moves;
    private final RunEnds runEnds;
    private final Leader leader;

    public AbandonedRuns(Database database, JobMoves moves, RunEnds runEnds, Leader leader) {
        this.database = database;
        this.moves = moves;
        this.runEnds = runEnds;
        this.leader = leader;
    }

    /** Ends runs whose leases have expired. */
    public List<Expired> expire(Leadership leadership, int max) {
        if (leadership.lapsedBefore() == null) {
            return List.of();
        }
        var lapsed = new Sweep(
                leadership,
                (connection, after, most) -> lapsed(connection, leadership, after, most),
                row -> RunEnd.lapsed(row.state(), row.tally(), row.maxAttempts(), row.lapse()));
        return endAll(lapsed, max).stream()
                .map(ended -> new Expired(
                        ended.row().claim(),
                        String.valueOf(ended.row().workerId()),
                        ended.end().state(),
                        ended.row().definitionKey()))
                .toList();
    }

    /** Ends runs of remote workers past their deadline. */
    public List<Overdue> endOverdue(Leadership leadership, int max) {
        var overdue = new Sweep(
                leadership,
                this::overdue,
                row -> RunEnd.overdue(row.state(), row.tally(), row.maxAttempts(), row.begun()));
        return endAll(overdue, max).stream()
                .map(ended -> new Overdue(
                        ended.row().claim(), String.valueOf(ended.row().workerId()), ended.run()))
                .toList();
    }

    /** Selects runs that the leader ends without their workers, and decides how. */
    private record Sweep(Leadership leadership, Finder finder, Function<RunRow, RunEnd> end) {}

    /** Locks the runs to end, in the order of their jobs' ids. */
    private interface Finder {
        List<RunRow> lock(Connection connection, UUID after, int max) throws SQLException;
    }

    /** Ends all runs that the sweep selects. A run that the database refuses to end does not affect the others. */
    private List<JobMoves.Ended> endAll(Sweep sweep, int max) {
        List<JobMoves.Ended> ends = new ArrayList<>();
        try {
            ends.addAll(endSome(sweep, BEFORE_ALL, max));
        } catch (LonghaulException e) {
            if (!RunEnds.refused(e)) {
                throw e;
            }
            ends.addAll(endOneByOne(sweep, max));
        }
        ends.forEach(runEnds::announce);
        return ends;
    }

    private List<JobMoves.Ended> endOneByOne(Sweep sweep, int max) {
        var ends = new ArrayList<JobMoves.Ended>();
        UUID after = BEFORE_ALL;
        for (int i = 0; i < max; i++) {
            UUID from = after;
            List<RunRow> next = database.transaction((connection, again) -> lock(connection, sweep, from, 1));
            if (next.isEmpty()) {
                break;
            }
            try {
                ends.addAll(endSome(sweep, after, 1));
            } catch (LonghaulException e) {
                if (!RunEnds.refused(e)) {
                    throw e;
                }
                LOG.error(
                        "job {}: ending the run failed; retrying in the next pass",
                        next.get(0).id(),
                        e);
            }
            after = next.get(0).id().value();
        }
        return ends;
    }

    private List<RunRow> lock(Connection connection, Sweep sweep, UUID after, int max) throws SQLException {
        return leader.holds(connection, sweep.leadership()) ? sweep.finder().lock(connection, after, max) : List.of();
    }

    private List<RunRow> overdue(Connection connection, UUID after, int max) throws SQLException {
        try (Call call = lockOverdue.on(connection)) {
            return call.set("after", after)
                    .set("max", max)
                    .set("defaultGraceMillis", CancelRequest.DEFAULT_GRACE.toMillis())
                    .list(RunRow::of);
        }
    }

    private List<RunRow> lapsed(Connection connection, Leadership leadership, UUID after, int max) throws SQLException {
        try (Call call = lockLapsed.on(connection)) {
            return call.set("lapsedBefore", leadership.lapsedBefore())
                    .set("after", after)
                    .set("max", max)
                    .list(RunRow::of);
        }
    }

    private List<JobMoves.Ended> endSome(Sweep sweep, UUID after, int max) {
        return database.transaction((connection, again) -> {
            var ends = new ArrayList<JobMoves.Ended>();
            for (RunRow row : lock(connection, sweep, after, max)) {
                ends.add(new JobMoves.Ended(row, sweep.end().apply(row)));
            }
            moves.write(connection, ends);
            return ends;
        });
    }
}
