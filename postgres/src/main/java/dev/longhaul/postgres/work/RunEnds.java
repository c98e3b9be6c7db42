package dev.longhaul.postgres.work;

import static dev.longhaul.postgres.database.Call.column;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobState;
import dev.longhaul.job.RunStatus;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.database.StoreBase;
import dev.longhaul.postgres.job.Rows;
import dev.longhaul.postgres.stats.PostgresStats;
import dev.longhaul.spi.Signal;
import dev.longhaul.stats.Meter;
import dev.longhaul.work.EndedRun;
import dev.longhaul.work.RunEnd;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Ends runs. Successes and requested cancels are one statement for the whole batch; every other end is decided under
 * the job's row lock by the rules in {@link RunEnd} and written by {@link JobMoves}.
 */
public final class RunEnds {
    private static final NamedSql FINISH = NamedSql.load("work/finish");

    private final NamedSql lockClaims = NamedSql.load("work/lock_claims");
    private final NamedSql settled = NamedSql.load("work/settled");
    private final Database database;
    private final JobMoves moves;
    private final Signals signals;
    private final PostgresStats stats;
    private final StoreListeners listeners;

    public RunEnds(StoreBase base, JobMoves moves, PostgresStats stats) {
        this.database = base.database();
        this.signals = base.signals();
        this.listeners = base.listeners();
        this.moves = moves;
        this.stats = stats;
    }

    public List<Verdict> apply(List<Transition> transitions) {
        var verdicts = new HashMap<Transition, Verdict>();
        var successes = new ArrayList<Transition>();
        var cancels = new ArrayList<Transition>();
        var others = new ArrayList<Transition>();
        var unstorables = new HashMap<Transition, String>();
        for (Transition transition : transitions) {
            String unstorable = transition instanceof Transition.Succeed succeed ? succeed.whyUnstorable() : null;
            if (unstorable != null) {
                unstorables.put(transition, unstorable);
            } else if (transition instanceof Transition.Succeed) {
                successes.add(transition);
            } else if (transition instanceof Transition.Cancelled) {
                cancels.add(transition);
            } else {
                others.add(transition);
            }
        }
        write(successes, this::finish, verdicts);
        write(cancels, this::finish, verdicts);
        write(others, this::end, verdicts);
        verdicts.putAll(refuse(unstorables));
        return transitions.stream().map(verdicts::get).toList();
    }

    public static boolean refused(LonghaulException e) {
        return e.getCause() instanceof SQLException cause && Database.refusesData(cause);
    }

    /** Writes a batch of transitions; returns the verdicts that are certain. The remaining ones are lost or repeats. */
    private interface Writer {
        Map<Transition, Verdict> write(List<Transition> batch);
    }

    /**
     * Writes the batch. If the database rejects something in it, halves the batch until only the faulty item is
     * rejected.
     */
    private void write(List<Transition> batch, Writer writer, Map<Transition, Verdict> verdicts) {
        if (batch.isEmpty()) {
            return;
        }
        // Sorted by id, so that two batches lock their rows in the same order.
        batch.sort(Comparator.comparing(transition -> transition.claim().jobId()));
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

    private Map<Transition, Verdict> finish(List<Transition> batch) {
        List<Finished> finished = database.single((connection, again) -> finish(connection, batch));
        Set<Claim> moved = new HashSet<>();
        for (Finished one : finished) {
            moved.add(one.claim());
            Meter.Ended ended = one.ended();
            stats.count(ended);
            RunEnd end = ended.end() == Meter.End.SUCCEEDED ? RunEnd.SUCCESS : RunEnd.CANCELLED;
            var run = new EndedRun(ended.definitionKey(), end, ended.startedAt(), ended.at());
            listeners.report(listener -> listener.ended(one.claim(), run));
        }
        var verdicts = new HashMap<Transition, Verdict>();
        var cancels = new ArrayList<Transition>();
        for (Transition transition : batch) {
            if (moved.contains(transition.claim())) {
                verdicts.put(transition, Verdict.WON);
            } else if (transition instanceof Transition.Cancelled) {
                cancels.add(transition);
            }
        }
        if (!cancels.isEmpty()) {
            // These cancels were not written: the claim is lost, or no cancel was requested. Which one is decided under
            // the lock of the job's row.
            verdicts.putAll(end(cancels));
        }
        return verdicts;
    }

    /** A run that has ended together with its job, for statistics. */
    public record Finished(Claim claim, Meter.Ended ended) {
        private static Finished of(Row row) throws SQLException {
            var ended = new Meter.Ended(
                    row.instant("finished_at"),
                    row.text("queue"),
                    row.text("definition_key"),
                    row.integer("state") == JobState.SUCCEEDED.code() ? Meter.End.SUCCEEDED : Meter.End.CANCELLED,
                    row.instant("run_at"),
                    row.instantOrNull("started_at"));
            return new Finished(Rows.claim(row), ended);
        }
    }

    /** Moves the jobs of runs that succeeded or were cancelled; returns those whose claims held. */
    public static List<Finished> finish(Connection connection, List<Transition> ends) throws SQLException {
        try (Call call = FINISH.on(connection)) {
            Rows.bindClaims(call, ends.stream().map(Transition::claim).toList())
                    .shorts("states", column(ends, one -> state(one).code()))
                    .texts(
                            "results",
                            column(ends, one -> one instanceof Transition.Succeed done ? done.result() : null));
            JobMoves.errors(call, List.<Transition>of(), one -> null);
            call.shorts("crashes", List.of()).ints("positions", List.of()).flags("leased", List.of());
            call.set("now", (Instant) null).set("headStart", JobMoves.HEAD_START);
            return call.list(Finished::of);
        }
    }

    private static JobState state(Transition end) {
        return end instanceof Transition.Succeed ? JobState.SUCCEEDED : JobState.CANCELLED;
    }

    private Map<Transition, Verdict> end(List<Transition> batch) {
        var ends = new ArrayList<JobMoves.Ended>();
        Map<Transition, Verdict> verdicts = database.transaction((connection, again) -> end(connection, batch, ends));
        for (JobMoves.Ended ended : ends) {
            announce(ended);
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
                verdicts.put(transition, Verdict.refused("job " + row.id() + " is running; no cancel was requested"));
                continue;
            }
            ends.add(new JobMoves.Ended(row, end));
            verdicts.put(transition, Verdict.WON);
        }
        moves.write(connection, ends);
        return verdicts;
    }

    /**
     * Rejects transitions that cannot be stored, so that the owner can fail the job; reports those whose claim no
     * longer holds as lost.
     */
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

    /** Locks the jobs that these claims own; claims absent from the result are lost. */
    Map<Claim, RunRow> lock(Connection connection, List<Claim> claims) throws SQLException {
        var held = new HashMap<Claim, RunRow>();
        try (Call call = lockClaims.on(connection)) {
            Rows.bindClaims(call, Rows.sorted(claims)).list(RunRow::of).forEach(row -> held.put(row.claim(), row));
        }
        return held;
    }

    /** Counts a stored end, and signals workers if the job is due again. */
    public void announce(JobMoves.Ended ended) {
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
                return Rows.bindClaims(
                                call, unsure.stream().map(Transition::claim).toList())
                        .list(row -> settledRuns.put(
                                Rows.claim(row),
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
