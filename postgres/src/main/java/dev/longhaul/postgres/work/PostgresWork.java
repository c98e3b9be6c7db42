package dev.longhaul.postgres.work;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Step;
import dev.longhaul.postgres.database.Backend;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.database.StoreBase;
import dev.longhaul.postgres.job.Reads;
import dev.longhaul.postgres.job.Rows;
import dev.longhaul.postgres.work.Lanes.Lane;
import dev.longhaul.spi.HookSource;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.spi.WorkerDirectory;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import dev.longhaul.work.WorkFilter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker's side of the store. Claims due jobs and renews their leases; delegates reports to {@link Updates} and
 * ends to {@link RunEnds}. Signals changed jobs, and notifies listeners.
 */
public final class PostgresWork implements WorkSource {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresWork.class);
    private static final Comparator<ClaimedJob> ORDER = Comparator.<ClaimedJob>comparingInt(
                    claimed -> -claimed.job().spec().priority())
            .thenComparing(claimed -> claimed.job().times().runAt())
            .thenComparing(claimed -> claimed.job().id());

    static final int MOST_FLOORS = 1000;

    private final NamedSql claim = claimSql(false);
    private final NamedSql claimLastLife = claimSql(true);
    private final NamedSql claimed = NamedSql.load("work/claimed");
    private final NamedSql waitForBatch = NamedSql.load("work/wait_for_batch");
    private final NamedSql begin = NamedSql.load("work/begin");
    private final NamedSql extend = NamedSql.load("work/extend");
    private final NamedSql extendWaiting = NamedSql.load("work/extend_waiting");
    private final NamedSql lockedClaims = NamedSql.load("work/locked_claims");
    private final NamedSql reportOutage = NamedSql.load("work/report_outage");
    private final Database database;
    private final Reads reads;
    private final Lanes lanes;
    private final RunEnds runEnds;
    private final Updates updates;
    private final Hooks hooks;
    private final Signals signals;
    private final WorkerDirectory directory;
    private final StoreListeners listeners;
    /** Duration from which a claim counts as slow; a little is added per job. */
    volatile long slowNanos = ClaimFloor.SLOW_NANOS;
    /** Duration of the fastest claim: the round trip without the scan. */
    private final AtomicLong quickest = new AtomicLong(Long.MAX_VALUE);
    /**
     * The floors for lists of queues with slow claims. Bounded, because clients choose the names: the least recently
     * used entry is removed first.
     */
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

    public PostgresWork(StoreBase base, Reads reads, RunEnds runEnds, Hooks hooks, WorkerDirectory directory) {
        this.database = base.database();
        this.signals = base.signals();
        this.listeners = base.listeners();
        this.reads = reads;
        this.lanes = new Lanes(database);
        this.runEnds = runEnds;
        this.updates = new Updates(database, runEnds);
        this.hooks = hooks;
        this.directory = directory;
    }

    @Override
    public WorkerDirectory directory() {
        return directory;
    }

    @Override
    public HookSource hooks() {
        return hooks;
    }

    @Override
    public Optional<Job> find(JobId id) {
        return reads.find(id);
    }

    @Override
    public List<Step> steps(JobId id) {
        return reads.steps(id);
    }

    @Override
    public Optional<Duration> untilNextDue(WorkFilter filter) {
        return lanes.untilNextDue(filter);
    }

    @Override
    public Subscription listen(Consumer<Signal> listener) {
        return signals.listen(listener);
    }

    // Claims

    public static NamedSql claimSql(boolean lastLife) {
        return NamedSql.load(
                "work/claim",
                lastLife
                        ? Map.of("lanes", "last_life_lanes", "last_life", "true")
                        : Map.of("lanes", "lanes", "last_life", "false"));
    }

    @Override
    public List<ClaimedJob> claim(ClaimRequest request) {
        List<ClaimedJob> jobs = listeners.claim(
                request.lease(),
                () -> request.lastLife() ? claim(request, ClaimFloor.Plan.WALK) : claimAtFloors(request));
        jobs.forEach(one -> signals.changed(one.job().id()));
        return jobs;
    }

    @Override
    public List<ClaimedJob> claimed(UUID batch) {
        List<ClaimedJob> held = database.single((connection, again) -> heldAfterAll(connection, batch));
        listeners.report(listener -> listener.claimed(held, null));
        return held;
    }

    /**
     * Claims by scanning all lanes. After slow claims, it starts each lane at its floor instead, until floors are no
     * longer needed.
     */
    private List<ClaimedJob> claimAtFloors(ClaimRequest request) {
        ClaimFloor floor = floors.get(request.queues());
        if (floor != null) {
            ClaimFloor.Plan plan = floor.plan(System.nanoTime());
            if (!plan.walk()) {
                List<ClaimedJob> jobs = claim(request, plan);
                floor.raise(jobs);
                return jobs;
            }
            floors.remove(request.queues());
        }
        long start = System.nanoTime();
        List<ClaimedJob> jobs = claim(request, ClaimFloor.Plan.WALK);
        long nanos = System.nanoTime() - start;
        long longer = nanos - quickest.accumulateAndGet(nanos, Math::min);
        if (longer > slowNanos + jobs.size() * ClaimFloor.SLOW_NANOS_PER_JOB) {
            floors.put(request.queues(), new ClaimFloor(lanes.probe(request.queues()), slowNanos, quickest.get()));
        }
        return jobs;
    }

    int floors() {
        return floors.size();
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

    private List<ClaimedJob> claim(Connection connection, ClaimRequest request, ClaimFloor.Plan plan)
            throws SQLException {
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
            Rows.bindDefinitions(call, request.definitions())
                    .set("max", request.max())
                    .set("batch", request.batch())
                    .set("lease", request.lease().toNanos() / 1000)
                    .set("worker", request.workerId())
                    .set("endMargin", millis(request.endMargin()))
                    .set("begin", begin(request.begin()));
            return call.list(row -> Rows.claimed(row, request.batch(), request.workerId()));
        }
    }

    /**
     * Reads the jobs of a claim whose response may have been lost. If the claim is still running, waits for its end
     * first.
     */
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

    private static @Nullable Integer millis(@Nullable Duration duration) {
        return duration == null ? null : (int) duration.toMillis();
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

    @Override
    public List<Verdict> begin(List<Claim> held) {
        if (held.isEmpty()) {
            return List.of();
        }
        var verdicts = new HashMap<Claim, Verdict>();
        database.single((connection, again) -> {
            try (Call call = begin.on(connection)) {
                return Rows.bindClaims(call, Rows.sorted(held))
                        .list(row -> verdicts.put(Rows.claim(row), row.flag("stored") ? Verdict.WON : Verdict.LOCKED));
            }
        });
        return held.stream()
                .map(claim -> verdicts.getOrDefault(claim, Verdict.LOST))
                .toList();
    }

    // Leases

    @Override
    public List<LeaseRenewal> extend(List<Claim> held, Duration lease) {
        return held.isEmpty() ? List.of() : listeners.extend(lease, () -> extendLeases(held, lease));
    }

    private List<LeaseRenewal> extendLeases(List<Claim> held, Duration lease) {
        try {
            return database.reserved(connection -> extend(connection, held, lease));
        } catch (LonghaulException e) {
            if (e.getCause() instanceof SQLException cause && Database.outOfResources(cause)) {
                reportOutage();
            }
            throw e;
        }
    }

    /**
     * Records that workers cannot renew leases now. The leader then waits a whole lease before it ends expired ones.
     */
    private void reportOutage() {
        try {
            database.reserved(connection -> {
                try (Call call = reportOutage.on(connection)) {
                    return call.update();
                }
            });
        } catch (LonghaulException e) {
            LOG.debug("could not record the outage of lease renewals", e);
        }
    }

    private List<LeaseRenewal> extend(Connection connection, List<Claim> claims, Duration lease) throws SQLException {
        var held = new HashMap<Claim, LeaseRenewal>();
        var unsure = new ArrayList<Claim>();
        try (Call call = extend.on(connection)) {
            Rows.bindClaims(call, Rows.sorted(claims))
                    .set("lease", lease.toNanos() / 1000)
                    .list(row -> {
                        Claim own = Rows.claim(row);
                        if (!row.flag("sure")) {
                            unsure.add(own);
                        }
                        return held.put(own, new LeaseRenewal(own, true, Rows.cancelRequest(row)));
                    });
        }
        for (Claim claim : unsure) {
            if (!extendWaiting(connection, claim, lease)) {
                held.remove(claim);
            }
        }
        return claims.stream()
                .map(claim -> held.getOrDefault(claim, new LeaseRenewal(claim, false, null)))
                .toList();
    }

    /** Renews an expired lease whose row is locked; returns false when the claim is lost. */
    private boolean extendWaiting(Connection connection, Claim claim, Duration lease) throws SQLException {
        try (Call call = extendWaiting.on(connection)) {
            return !Rows.bindClaims(call, List.of(claim))
                    .set("lease", lease.toNanos() / 1000)
                    .list(row -> true)
                    .isEmpty();
        } catch (SQLException e) {
            if (Database.lockTimeout(e)) {
                // Another session than the lease reaper holds the lock, because the reaper holds locks only briefly.
                // The lease is extended in held_lease.
                return true;
            }
            throw e;
        }
    }

    // Reports and ends

    @Override
    public List<Verdict> save(List<RunUpdate> reports) {
        if (reports.isEmpty()) {
            return List.of();
        }
        List<Verdict> verdicts =
                listeners.save(reports, () -> writeAroundLocks(reports, RunUpdate::claim, updates::save));
        for (int i = 0; i < verdicts.size(); i++) {
            changed(verdicts.get(i), reports.get(i).claim());
        }
        return verdicts;
    }

    @Override
    public List<Verdict> apply(List<Transition> transitions) {
        List<Verdict> verdicts =
                listeners.apply(transitions, () -> writeAroundLocks(transitions, Transition::claim, runEnds::apply));
        for (int i = 0; i < verdicts.size(); i++) {
            changed(verdicts.get(i), transitions.get(i).claim());
        }
        return verdicts;
    }

    /**
     * Writes the batch. If a lock wait times out, writes all rows except those that another session has locked. Returns
     * one verdict per item, in order.
     */
    private <T> List<Verdict> writeAroundLocks(
            List<T> batch, Function<T, Claim> claimOf, Function<List<T>, List<Verdict>> write) {
        try {
            return write.apply(batch);
        } catch (LonghaulException e) {
            if (!(e.getCause() instanceof SQLException cause) || !Database.lockTimeout(cause)) {
                throw e;
            }
            Set<Claim> locked = locked(batch.stream().map(claimOf).toList());
            if (locked.isEmpty()) {
                throw e;
            }
            List<T> others = batch.stream()
                    .filter(one -> !locked.contains(claimOf.apply(one)))
                    .toList();
            Iterator<Verdict> written = (others.isEmpty() ? List.<Verdict>of() : write.apply(others)).iterator();
            var verdicts = new ArrayList<Verdict>();
            for (T one : batch) {
                verdicts.add(locked.contains(claimOf.apply(one)) ? Verdict.LOCKED : written.next());
            }
            return verdicts;
        }
    }

    private Set<Claim> locked(List<Claim> claims) {
        return database.single((connection, again) -> {
            try (Call call = lockedClaims.on(connection)) {
                return new HashSet<>(Rows.bindClaims(call, claims).list(Rows::claim));
            }
        });
    }

    private void changed(Verdict verdict, Claim claim) {
        if (verdict.won()) {
            signals.changed(claim.jobId());
        }
    }
}
