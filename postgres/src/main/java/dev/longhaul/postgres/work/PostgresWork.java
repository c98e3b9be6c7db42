package dev.longhaul.postgres.work;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Step;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.LeaseConnection;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.job.Reads;
import dev.longhaul.postgres.upkeep.Leader;
import dev.longhaul.spi.ClaimById;
import dev.longhaul.spi.HookSource;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.spi.WorkerDirectory;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseAnswer;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import dev.longhaul.work.WorkFilter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What workers do. Announces what has changed, and reports to listeners. */
public final class PostgresWork implements WorkSource, HookSource, ClaimById {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresWork.class);

    private final Reads reads;
    private final Claims claims;
    private final ClaimOne claimOne;
    private final LeaseConnection leases;
    private final RunEnds runEnds;
    private final Updates updates;
    private final Database database;
    private final NamedSql lockedClaims = NamedSql.load("work/locked_claims");
    private final Hooks hooks;
    private final Leader leader;
    private final Signals signals;
    private final WorkerDirectory directory;
    private final StoreListeners listeners;

    public PostgresWork(
            Database database,
            Reads reads,
            Claims claims,
            RunEnds runEnds,
            Updates updates,
            Hooks hooks,
            Leader leader,
            Signals signals,
            WorkerDirectory directory,
            StoreListeners listeners) {
        this.reads = reads;
        this.claims = claims;
        this.claimOne = new ClaimOne(database, reads);
        this.leases = new LeaseConnection(database.connections());
        this.runEnds = runEnds;
        this.updates = updates;
        this.database = database;
        this.hooks = hooks;
        this.leader = leader;
        this.signals = signals;
        this.directory = directory;
        this.listeners = listeners;
    }

    /** Opens the connection that extends leases. */
    public void open() {
        leases.open();
    }

    public void close() {
        leases.close();
    }

    @Override
    public Optional<Job> find(JobId id) {
        return reads.find(id);
    }

    @Override
    public WorkerDirectory directory() {
        return directory;
    }

    @Override
    public HookSource hooks() {
        return this;
    }

    @Override
    public List<Step> steps(JobId id) {
        return reads.steps(id);
    }

    @Override
    public Optional<Duration> untilNextDue(WorkFilter filter) {
        if (filter.lastLife()) {
            return claims.lastLifeDue(filter.queues(), filter.definitions())
                    ? Optional.of(Duration.ZERO)
                    : Optional.empty();
        }
        return claims.untilNextDue(filter.queues(), filter.definitions());
    }

    @Override
    public List<ClaimedJob> claim(ClaimRequest request) {
        List<ClaimedJob> claimed = listeners.claim(request.lease(), () -> claims.claim(request));
        claimed.forEach(one -> signals.changed(one.job().id()));
        return claimed;
    }

    @Override
    public ClaimedJob claimOne(JobId id, UUID key, String workerId, Duration lease) {
        ClaimedJob claimed = claimOne.claim(id, key, workerId, lease);
        signals.changed(id);
        listeners.report(listener -> listener.claimed(List.of(claimed), lease));
        return claimed;
    }

    @Override
    public List<ClaimedJob> claimed(UUID batch) {
        List<ClaimedJob> held = claims.claimed(batch);
        listeners.report(listener -> listener.claimed(held, null));
        return held;
    }

    @Override
    public List<Verdict> begin(List<Claim> held) {
        return held.isEmpty() ? List.of() : claims.begin(held);
    }

    @Override
    public List<LeaseAnswer> extend(List<Claim> held, Duration lease) {
        return held.isEmpty() ? List.of() : listeners.extend(lease, () -> extendLeases(held, lease));
    }

    private List<LeaseAnswer> extendLeases(List<Claim> held, Duration lease) {
        try {
            return leases.run(connection -> claims.extend(connection, held, lease));
        } catch (LonghaulException e) {
            if (e.getCause() instanceof SQLException cause && Database.outOfResources(cause)) {
                reportOutage();
            }
            throw e;
        }
    }

    /** Keeps leases that cannot be renewed from being ended as lapsed: the database is there, but takes not every write. */
    private void reportOutage() {
        try {
            leases.run(leader::reportOutage);
        } catch (LonghaulException e) {
            LOG.debug("could not report that leases cannot be renewed", e);
        }
    }

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

    @Override
    public List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold) {
        return hooks.take(definitions, max, hold);
    }

    @Override
    public void hooksDone(JobId id, List<String> failures) {
        hooks.done(id, failures);
        if (!failures.isEmpty()) {
            signals.changed(id);
        }
    }

    @Override
    public Subscription listen(Consumer<Signal> listener) {
        return signals.listen(listener);
    }

    /** Writes the batch; if another session does not release a row lock in time, all but the locked ones. One verdict each, in order. */
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
                return new HashSet<>(Claims.bind(call, claims).list(Claims::claimOf));
            }
        });
    }

    private void changed(Verdict verdict, Claim claim) {
        if (verdict.won()) {
            signals.changed(claim.jobId());
        }
    }
}
