package dev.longhaul.postgres.work;

import dev.longhaul.internal.store.Refusal;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.database.StoreBase;
import dev.longhaul.postgres.job.Reads;
import dev.longhaul.postgres.job.Rows;
import dev.longhaul.spi.ClaimById;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Claims one given job. Locks its row first, then the counter of its definition, in the same order as the end of a run,
 * so that they cannot deadlock. Batch claims lock the counter first, but skip locked jobs.
 */
public final class ClaimOne implements ClaimById {
    private final NamedSql lockLive = NamedSql.load("job/lock_live");
    private final NamedSql lockLimit = NamedSql.load("work/lock_limit");
    private final NamedSql claimOne = NamedSql.load("work/claim_one");
    private final Database database;
    private final Reads reads;
    private final Signals signals;
    private final StoreListeners listeners;

    public ClaimOne(StoreBase base, Reads reads) {
        this.database = base.database();
        this.signals = base.signals();
        this.listeners = base.listeners();
        this.reads = reads;
    }

    @Override
    public ClaimedJob claimOne(JobId id, UUID key, String workerId, Duration lease) {
        ClaimedJob claimed = claim(id, key, workerId, lease);
        signals.changed(id);
        listeners.report(listener -> listener.claimed(List.of(claimed), lease));
        return claimed;
    }

    private ClaimedJob claim(JobId id, UUID key, String workerId, Duration lease) {
        ClaimRequest.requireOwner(workerId, lease);
        return database.transaction((connection, again) -> {
            RunRow row = lock(connection, id);
            // An earlier call with this key, whose response was lost, held the row lock until it committed or rolled
            // back.
            if (row.state().leased() && key.equals(row.key())) {
                ClaimedJob.Begin begin = row.begun() ? ClaimedJob.Begin.STORED : ClaimedJob.Begin.FIRST;
                return new ClaimedJob(row.claim(), found(connection, id), begin);
            }
            if (row.state() != JobState.WAITING) {
                throw forbidden(
                        id, JobStatus.of(row.state(), row.runAt(), row.tally().attempts(), row.now()));
            }
            boolean counted = takesPlace(connection, row.definitionKey());
            try (Call call = claimOne.on(connection)) {
                return call.set("id", id.value())
                        .set("key", key)
                        .set("worker", workerId)
                        .set("lease", (Long) (lease.toNanos() / 1000))
                        .set("counted", counted)
                        .list(claimed -> Rows.claimed(claimed, key, workerId))
                        .get(0);
            }
        });
    }

    private RunRow lock(Connection connection, JobId id) throws SQLException {
        List<RunRow> live;
        try (Call call = lockLive.on(connection)) {
            live = call.set("id", id.value()).list(RunRow::of);
        }
        if (live.isEmpty()) {
            throw forbidden(id, found(connection, id).status());
        }
        return live.get(0);
    }

    private Job found(Connection connection, JobId id) throws SQLException {
        Job job = reads.find(connection, List.of(id)).get(id);
        if (job == null) {
            throw Refusal.notFound(id);
        }
        return job;
    }

    private static RuntimeException forbidden(JobId id, JobStatus status) {
        return Refusal.forbidden(id, status, "run", "scheduled, queued or retrying");
    }

    /** Whether the run counts towards a limit; throws when the limit is reached. */
    private boolean takesPlace(Connection connection, String definitionKey) throws SQLException {
        record Limit(int maxRunning, boolean hasRoom) {}
        List<Limit> limits;
        try (Call call = lockLimit.on(connection)) {
            limits = call.set("key", definitionKey)
                    .list(row -> new Limit(row.integer("max_running"), row.flag("has_room")));
        }
        for (Limit limit : limits) {
            if (!limit.hasRoom()) {
                throw Refusal.definitionFull(definitionKey, limit.maxRunning());
            }
        }
        return !limits.isEmpty();
    }
}
