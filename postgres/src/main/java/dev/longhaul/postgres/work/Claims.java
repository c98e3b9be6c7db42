package dev.longhaul.postgres.work;

import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.postgres.database.Backend;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.postgres.job.Rows;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseAnswer;
import dev.longhaul.work.Verdict;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Hands out due jobs and renews their leases. */
public final class Claims {
    private static final Comparator<ClaimedJob> ORDER = Comparator.<ClaimedJob>comparingInt(
                    claimed -> -claimed.job().spec().priority())
            .thenComparing(claimed -> claimed.job().times().runAt())
            .thenComparing(claimed -> claimed.job().id());

    static final int MOST_FLOORS = 1000;

    private final NamedSql claim = claimSql(false);
    private final NamedSql claimLastLife = claimSql(true);
    private final NamedSql lastLifeDue = NamedSql.load("work/last_life_due");
    private final NamedSql claimed = NamedSql.load("work/claimed");
    private final NamedSql waitForBatch = NamedSql.load("work/wait_for_batch");
    private final NamedSql lanes = NamedSql.load("work/lanes");
    private final NamedSql dueCount = NamedSql.load("work/due_count");
    private final NamedSql snapshot = NamedSql.load("work/snapshot");
    private final NamedSql begin = NamedSql.load("work/begin");
    private final NamedSql extend = NamedSql.load("work/extend");
    private final NamedSql extendWaiting = NamedSql.load("work/extend_waiting");
    private final Database database;
    private final long slowNanos;
    /** Of the lists of queues that were claimed from last; clients choose the names. */
    private final Map<List<String>, ClaimFloor> floors = Collections.synchronizedMap(new Floors());

    private static final class Floors extends LinkedHashMap<List<String>, ClaimFloor> {
        private static final long serialVersionUID = 1;

        Floors() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<String>, ClaimFloor> eldest) {
            return size() > MOST_FLOORS;
        }
    }

    int floors() {
        return floors.size();
    }

    public Claims(Database database) {
        this(database, ClaimFloor.SLOW_NANOS);
    }

    /** Claims that use floors once one took that long. */
    Claims(Database database, long slowNanos) {
        this.database = database;
        this.slowNanos = slowNanos;
    }

    public static NamedSql claimSql(boolean lastLife) {
        return NamedSql.load(
                "work/claim",
                lastLife
                        ? Map.of("lanes", "last_life_lanes", "last_life", "true")
                        : Map.of("lanes", "lanes", "last_life", "false"));
    }

    public List<ClaimedJob> claim(ClaimRequest request) {
        if (request.lastLife()) {
            return claim(request, ClaimFloor.Plan.WALK);
        }
        ClaimFloor floor =
                floors.computeIfAbsent(request.queues(), queues -> new ClaimFloor(new Look(queues), slowNanos));
        ClaimFloor.Plan plan = floor.plan(System.nanoTime());
        long start = System.nanoTime();
        List<ClaimedJob> jobs = claim(request, plan);
        floor.learn(plan, jobs, System.nanoTime() - start);
        return jobs;
    }

    private List<ClaimedJob> claim(ClaimRequest request, ClaimFloor.Plan plan) {
        var tried = new ArrayList<Backend>();
        List<ClaimedJob> jobs = database.single((connection, again) -> {
            if (again) {
                for (Backend backend : tried) {
                    backend.awaitEnd(connection);
                }
                List<ClaimedJob> won = heldAfterAll(connection, request.batch());
                if (!won.isEmpty()) {
                    return won;
                }
            }
            tried.add(Backend.of(connection));
            return claim(connection, request, plan);
        });
        jobs.sort(ORDER);
        return jobs;
    }

    public List<ClaimedJob> claimed(UUID batch) {
        return database.single((connection, again) -> heldAfterAll(connection, batch));
    }

    public boolean lastLifeDue(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return database.single((connection, again) -> {
            try (Call call = lastLifeDue.on(connection)) {
                return bindDefinitions(call.texts("queues", queues), definitions)
                        .list(row -> row.flag("due"))
                        .get(0);
            }
        });
    }

    public Optional<Duration> untilNextDue(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return lanes(queues, definitions).stream()
                .map(lane -> Duration.between(lane.now(), lane.firstRunAt()))
                .min(Comparator.naturalOrder())
                .map(wait -> wait.isNegative() ? Duration.ZERO : wait);
    }

    public long dueCount(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        List<Lane> known = lanes(queues, definitions);
        return database.single((connection, again) -> {
            try (Call call = dueCount.on(connection)) {
                return call.texts("queues", known.stream().map(Lane::queue).toList())
                        .texts("keys", known.stream().map(Lane::definitionKey).toList())
                        .ints(
                                "versions",
                                known.stream().map(Lane::definitionVersion).toList())
                        .shorts("ranks", known.stream().map(Lane::rank).toList())
                        .list(row -> row.bigint("jobs"))
                        .get(0);
            }
        });
    }

    public List<Verdict> begin(List<Claim> claims) {
        var verdicts = new HashMap<Claim, Verdict>();
        database.single((connection, again) -> {
            try (Call call = begin.on(connection)) {
                return bind(call, sorted(claims))
                        .list(row -> verdicts.put(claimOf(row), row.flag("stored") ? Verdict.WON : Verdict.LOCKED));
            }
        });
        return claims.stream()
                .map(claim -> verdicts.getOrDefault(claim, Verdict.LOST))
                .toList();
    }

    public List<LeaseAnswer> extend(Connection connection, List<Claim> claims, Duration lease) throws SQLException {
        var held = new HashMap<Claim, LeaseAnswer>();
        var unsure = new ArrayList<Claim>();
        try (Call call = extend.on(connection)) {
            bind(call, sorted(claims)).set("lease", lease.toNanos() / 1000).list(row -> {
                Claim own = claimOf(row);
                if (!row.flag("sure")) {
                    unsure.add(own);
                }
                return held.put(own, new LeaseAnswer(own, true, Rows.cancelRequest(row)));
            });
        }
        for (Claim claim : unsure) {
            if (!extendWaiting(connection, claim, lease)) {
                held.remove(claim);
            }
        }
        return claims.stream()
                .map(claim -> held.getOrDefault(claim, new LeaseAnswer(claim, false, null)))
                .toList();
    }

    /** Renews the lease of a locked row that had lapsed; false when the claim turns out to be lost. */
    private boolean extendWaiting(Connection connection, Claim claim, Duration lease) throws SQLException {
        try (Call call = extendWaiting.on(connection)) {
            return !bind(call, List.of(claim))
                    .set("lease", lease.toNanos() / 1000)
                    .list(row -> true)
                    .isEmpty();
        } catch (SQLException e) {
            if (Database.lockTimeout(e)) {
                // Not the reaper, which takes a moment. The lease is extended in held_lease.
                return true;
            }
            throw e;
        }
    }

    /** Claims by id, so that two batches lock their rows in the same order. */
    static List<Claim> sorted(List<Claim> claims) {
        return claims.stream().sorted(Comparator.comparing(Claim::jobId)).toList();
    }

    /** The claim in the columns id, run and lease_key. */
    static Claim claimOf(Row row) throws SQLException {
        return new Claim(new JobId(row.uuid("id")), row.integer("run"), row.uuid("lease_key"));
    }

    public static Call bind(Call call, List<Claim> claims) throws SQLException {
        return call.uuids(
                        "ids",
                        claims.stream().map(claim -> claim.jobId().value()).toList())
                .ints("runs", claims.stream().map(Claim::run).toList())
                .uuids("keys", claims.stream().map(Claim::key).toList());
    }

    private List<ClaimedJob> claim(Connection connection, ClaimRequest request, ClaimFloor.Plan plan)
            throws SQLException {
        Set<DefinitionRef> definitions = request.definitions();
        try (Call call = (request.lastLife() ? claimLastLife : claim).on(connection)) {
            call.set("batchLock", batchLock(request.batch()))
                    .set("walk", plan.walk())
                    .texts("queues", request.queues())
                    .texts("laneQueues", plan.lanes().stream().map(Lane::queue).toList())
                    .texts(
                            "laneKeys",
                            plan.lanes().stream().map(Lane::definitionKey).toList())
                    .ints(
                            "laneVersions",
                            plan.lanes().stream().map(Lane::definitionVersion).toList())
                    .shorts("laneRanks", plan.lanes().stream().map(Lane::rank).toList())
                    .instants(
                            "laneFloors",
                            plan.lanes().stream().map(Lane::firstRunAt).toList());
            bindDefinitions(call, definitions)
                    .set("max", request.max())
                    .set("batch", request.batch())
                    .set("lease", request.lease().toNanos() / 1000)
                    .set("worker", request.workerId())
                    .set("endMargin", millis(request.endMargin()))
                    .set("begin", begin(request.begin()));
            return call.list(row -> Rows.claimed(row, request.batch(), request.workerId()));
        }
    }

    private static @Nullable Integer millis(@Nullable Duration duration) {
        return duration == null ? null : (int) duration.toMillis();
    }

    /** What a claim won whose answer may have been lost: waits for it to end if it is still under way, then looks. */
    private List<ClaimedJob> heldAfterAll(Connection connection, UUID batch) throws SQLException {
        try (Call call = waitForBatch.on(connection)) {
            call.set("batchLock", batchLock(batch)).list(row -> true);
        }
        try (Call call = claimed.on(connection)) {
            return call.set("batch", batch).list(row -> {
                Job job = Rows.job(row);
                var held = new Claim(job.id(), job.tally().run(), batch);
                return new ClaimedJob(held, job, Rows.begin(job.spec(), row));
            });
        }
    }

    private List<Lane> lanes(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return database.single((connection, again) -> {
            try (Call call = lanes.on(connection)) {
                return bindDefinitions(call.texts("queues", queues).set("most", (Integer) null), definitions)
                        .list(row -> new Lane(
                                row.text("queue"),
                                row.text("definition_key"),
                                row.integer("definition_version"),
                                (short) row.integer("rank"),
                                row.instant("run_at"),
                                row.instant("now")));
            }
        });
    }

    private static Call bindDefinitions(Call call, @Nullable Set<DefinitionRef> definitions) throws SQLException {
        List<DefinitionRef> known = definitions == null ? List.of() : List.copyOf(definitions);
        return call.set("anyDefinition", definitions == null)
                .texts("keys", known.stream().map(DefinitionRef::key).toList())
                .ints("versions", known.stream().map(DefinitionRef::version).toList());
    }

    private static int begin(ClaimRequest.Begin begin) {
        return switch (begin) {
            case NONE -> 0;
            case ORDINARY -> 1;
            case ALL -> 2;
        };
    }

    private static long batchLock(UUID batch) {
        return batch.getMostSignificantBits();
    }

    /** One lane of waiting jobs: those of a definition's version with the same priority in the same queue. */
    record Lane(
            String queue, String definitionKey, int definitionVersion, short rank, Instant firstRunAt, Instant now) {

        Lane raisedTo(Instant runAt) {
            return runAt.isAfter(firstRunAt) ? startingAt(runAt) : this;
        }

        Lane loweredTo(Instant runAt) {
            return runAt.isBefore(firstRunAt) ? startingAt(runAt) : this;
        }

        private Lane startingAt(Instant runAt) {
            return new Lane(queue, definitionKey, definitionVersion, rank, runAt, now);
        }
    }

    /** Looks at the lanes of some queues and at the transactions under way. */
    private final class Look implements ClaimFloor.Probe {
        private final List<String> queues;

        Look(List<String> queues) {
            this.queues = queues;
        }

        @Override
        public List<Lane> lanes() {
            return Claims.this.lanes(queues, null);
        }

        @Override
        public ClaimFloor.Snapshot snapshot() {
            return database.single((connection, again) -> {
                try (Call call = snapshot.on(connection)) {
                    return call.list(row -> ClaimFloor.Snapshot.parse(row.text("snapshot"), row.instant("now")))
                            .get(0);
                }
            });
        }
    }
}
