package dev.longhaul.postgres.work;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.RunStatus;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Partitions;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.stats.PostgresStats;
import dev.longhaul.postgres.upkeep.Leader;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.Signal;
import dev.longhaul.stats.Meter;
import dev.longhaul.work.EndedRun;
import dev.longhaul.work.Expired;
import dev.longhaul.work.Overdue;
import dev.longhaul.work.RunEnd;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends runs. Success, the common case, is one statement for the whole batch; every other end is decided under the job's row
 * lock by the rules in {@link RunEnd} and written by {@link JobMoves}.
 */
public final class RunEnds {
    private static final Logger LOG = LoggerFactory.getLogger(RunEnds.class);
    private static final UUID BEFORE_ALL = new UUID(0, 0);

    private final NamedSql lockClaims = NamedSql.load("work/lock_claims");
    private final NamedSql lockOverdue = NamedSql.load("work/lock_overdue");
    private final NamedSql lockLapsed = NamedSql.load("work/lock_lapsed");
    private final NamedSql settled = NamedSql.load("work/settled");
    private final Database database;
    private final JobMoves moves;
    private final Partitions partitions;
    private final Signals signals;
    private final Leader leader;
    private final PostgresStats stats;
    private final StoreListeners listeners;

    public RunEnds(
            Database database,
            JobMoves moves,
            Partitions partitions,
            Signals signals,
            Leader leader,
            PostgresStats stats,
            StoreListeners listeners) {
        this.database = database;
        this.moves = moves;
        this.partitions = partitions;
        this.signals = signals;
        this.leader = leader;
        this.stats = stats;
        this.listeners = listeners;
    }

    public List<Verdict> apply(List<Transition> transitions) {
        var verdicts = new HashMap<Transition, Verdict>();
        var successes = new ArrayList<Transition>();
        var others = new ArrayList<Transition>();
        var unstorables = new HashMap<Transition, String>();
        for (Transition transition : transitions) {
            String unstorable = transition instanceof Transition.Succeed succeed ? succeed.whyUnstorable() : null;
            if (unstorable != null) {
                unstorables.put(transition, unstorable);
            } else if (transition instanceof Transition.Succeed) {
                successes.add(transition);
            } else {
                others.add(transition);
            }
        }
        // By id, so that two batches lock their rows in the same order.
        successes.sort(Comparator.comparing(transition -> transition.claim().jobId()));
        others.sort(Comparator.comparing(transition -> transition.claim().jobId()));
        write(successes, this::succeed, verdicts);
        write(others, this::end, verdicts);
        verdicts.putAll(refuse(unstorables));
        return transitions.stream().map(verdicts::get).toList();
    }

    /** Ends runs whose leases have lapsed. */
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

    /** Ends runs of remote workers that are past their deadline. */
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

    /** Runs that the leader ends without their workers, and how. */
    private record Sweep(Leadership leadership, Finder finder, Function<RunRow, RunEnd> end) {}

    /** Locks such runs, in the order of their jobs' ids. */
    private interface Finder {
        List<RunRow> lock(Connection connection, UUID after, int max) throws SQLException;
    }

    /** Ends all of them. One that the database refuses to end does not prevent the end of the others. */
    private List<JobMoves.Ended> endAll(Sweep sweep, int max) {
        List<JobMoves.Ended> ends = new ArrayList<>();
        try {
            ends.addAll(endSome(sweep, BEFORE_ALL, max));
        } catch (LonghaulException e) {
            if (!refused(e)) {
                throw e;
            }
            ends.addAll(endOneByOne(sweep, max));
        }
        ends.forEach(this::tell);
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
                if (!refused(e)) {
                    throw e;
                }
                LOG.error("the run of job {} cannot be ended", next.get(0).id(), e);
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
        var days = new ArrayList<JobId>();
        return partitions.retryWithPartitions(
                days,
                day -> day,
                () -> database.transaction((connection, again) -> {
                    var ends = new ArrayList<JobMoves.Ended>();
                    for (RunRow row : lock(connection, sweep, after, max)) {
                        ends.add(new JobMoves.Ended(row, sweep.end().apply(row)));
                    }
                    days.clear();
                    ends.forEach(ended -> days.add(ended.row().id()));
                    moves.write(connection, ends);
                    return ends;
                }));
    }

    private static boolean refused(LonghaulException e) {
        return e.getCause() instanceof SQLException cause && Database.refusesData(cause);
    }

    /** One way to write a batch of transitions; answers the verdicts it is sure of, the rest is lost or a repeat. */
    private interface Writer {
        Map<Transition, Verdict> write(List<Transition> batch);
    }

    /** Writes the batch; if the database refuses something in it, halves it until only the culprit is refused. */
    private void write(List<Transition> batch, Writer writer, Map<Transition, Verdict> verdicts) {
        if (batch.isEmpty()) {
            return;
        }
        try {
            Map<Transition, Verdict> written = writer.write(batch);
            verdicts.putAll(written);
            List<Transition> unsure =
                    batch.stream().filter(one -> !written.containsKey(one)).toList();
            if (!unsure.isEmpty()) {
                verdicts.putAll(lostOrRepeated(unsure));
            }
        } catch (LonghaulException e) {
            if (!refused(e)) {
                throw e;
            }
            if (batch.size() == 1) {
                verdicts.put(batch.get(0), Verdict.refused(String.valueOf(e.getMessage())));
                return;
            }
            int half = batch.size() / 2;
            write(batch.subList(0, half), writer, verdicts);
            write(batch.subList(half, batch.size()), writer, verdicts);
        }
    }

    private Map<Transition, Verdict> succeed(List<Transition> batch) {
        List<JobMoves.Succeeded> moved = partitions.retryWithPartitions(
                batch,
                one -> one.claim().jobId(),
                () -> database.single((connection, again) -> moves.succeed(connection, batch)));
        Set<Claim> held = new HashSet<>();
        for (JobMoves.Succeeded one : moved) {
            Meter.Ended ended = one.ended();
            held.add(one.claim());
            stats.count(ended);
            var run = new EndedRun(ended.definitionKey(), RunEnd.SUCCESS, ended.startedAt(), ended.at());
            listeners.report(listener -> listener.ended(one.claim(), run));
        }
        var won = new HashMap<Transition, Verdict>();
        for (Transition transition : batch) {
            if (held.contains(transition.claim())) {
                won.put(transition, Verdict.WON);
            }
        }
        return won;
    }

    private Map<Transition, Verdict> end(List<Transition> batch) {
        var ends = new ArrayList<JobMoves.Ended>();
        Map<Transition, Verdict> verdicts = partitions.retryWithPartitions(
                batch,
                one -> one.claim().jobId(),
                () -> database.transaction((connection, again) -> end(connection, batch, ends)));
        for (JobMoves.Ended ended : ends) {
            tell(ended);
            listeners.report(listener -> listener.ended(ended.row().claim(), ended.run()));
        }
        return verdicts;
    }

    private Map<Transition, Verdict> end(Connection connection, List<Transition> batch, List<JobMoves.Ended> ends)
            throws SQLException {
        ends.clear();
        Map<Claim, RunRow> held =
                lock(connection, batch.stream().map(Transition::claim).toList());
        var verdicts = new HashMap<Transition, Verdict>();
        for (Transition transition : batch) {
            RunRow row = held.remove(transition.claim());
            if (row == null) {
                continue;
            }
            RunEnd end = RunEnd.of(transition, row.state(), row.tally(), row.maxAttempts())
                    .orElse(null);
            if (end == null) {
                verdicts.put(transition, Verdict.refused("job " + row.id() + " is running; nobody asked to cancel it"));
                continue;
            }
            ends.add(new JobMoves.Ended(row, end));
            verdicts.put(transition, Verdict.WON);
        }
        moves.write(connection, ends);
        return verdicts;
    }

    /** What cannot be stored is refused while its claim holds, so that the owner can fail the job; else it is lost. */
    private Map<Transition, Verdict> refuse(Map<Transition, String> unstorables) {
        if (unstorables.isEmpty()) {
            return Map.of();
        }
        List<Claim> claims =
                unstorables.keySet().stream().map(Transition::claim).toList();
        Set<Claim> held = database.transaction(
                (connection, again) -> lock(connection, claims).keySet());
        var verdicts = new HashMap<Transition, Verdict>();
        unstorables.forEach((transition, why) ->
                verdicts.put(transition, held.contains(transition.claim()) ? Verdict.refused(why) : Verdict.LOST));
        return verdicts;
    }

    /** Locks the jobs that these claims own; what is absent from the answer is lost. */
    Map<Claim, RunRow> lock(Connection connection, List<Claim> claims) throws SQLException {
        var held = new HashMap<Claim, RunRow>();
        try (Call call = lockClaims.on(connection)) {
            Claims.bind(call, Claims.sorted(claims)).list(RunRow::of).forEach(row -> held.put(row.claim(), row));
        }
        return held;
    }

    /** Lets those know who count runs or wait for work. */
    private void tell(JobMoves.Ended ended) {
        Meter.Ended counted = ended.counted();
        if (counted != null) {
            stats.count(counted);
        }
        if (ended.end().state() == JobState.WAITING
                && !ended.runAt().isAfter(ended.row().now())) {
            signals.send(new Signal(Signal.Kind.WORK, ended.row().queue()));
        }
    }

    /** How a run has ended. */
    private record Settled(RunStatus status, @Nullable String errorCode) {}

    private Map<Transition, Verdict> lostOrRepeated(List<Transition> unsure) {
        var settledRuns = new HashMap<Claim, Settled>();
        database.single((connection, again) -> {
            try (Call call = settled.on(connection)) {
                return Claims.bind(call, unsure.stream().map(Transition::claim).toList())
                        .list(row -> settledRuns.put(
                                Claims.claimOf(row),
                                new Settled(RunStatus.ofCode(row.integer("status")), row.textOrNull("error_code"))));
            }
        });
        var verdicts = new HashMap<Transition, Verdict>();
        for (Transition transition : unsure) {
            Settled run = settledRuns.get(transition.claim());
            boolean repeated = run != null && RunEnd.repeats(transition, run.status(), run.errorCode());
            verdicts.put(transition, repeated ? Verdict.WON : Verdict.LOST);
        }
        return verdicts;
    }
}
