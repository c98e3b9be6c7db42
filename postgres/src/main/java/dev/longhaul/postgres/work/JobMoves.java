package dev.longhaul.postgres.work;

import static dev.longhaul.postgres.database.Call.column;

import dev.longhaul.job.Failure;
import dev.longhaul.job.JobState;
import dev.longhaul.job.RunAt;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.spi.HookSource;
import dev.longhaul.stats.Meter;
import dev.longhaul.work.EndedRun;
import dev.longhaul.work.RunEnd;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes the end of a run to its job: moves it back to waiting, or to the finished jobs. */
public final class JobMoves {
    static final Long HEAD_START = HookSource.HOOK_HEAD_START.toNanos() / 1000;

    private final NamedSql finish = NamedSql.load("work/finish");
    private final NamedSql requeue = NamedSql.load("work/requeue");
    private final NamedSql archiveRuns = NamedSql.load("work/archive_runs");
    private final NamedSql lockCounters = NamedSql.load("work/lock_counters");

    /** A locked job, and how it or its run ends. */
    public record Ended(RunRow row, RunEnd end) {
        /** Whether a run ends; false for a job that is cancelled while it waits. */
        boolean leased() {
            return row.state().leased();
        }

        public EndedRun run() {
            return new EndedRun(row.definitionKey(), end, row.startedAt(), row.now());
        }

        /** The run for statistics; null when it is not counted. */
        Meter.@Nullable Ended counted() {
            Meter.End as = Meter.End.of(end);
            return as == null
                    ? null
                    : new Meter.Ended(row.now(), row.queue(), row.definitionKey(), as, row.runAt(), row.startedAt());
        }

        /** When the job runs again, if it does. */
        Instant runAt() {
            RunAt when = end.when();
            return when == null ? row.runAt() : Call.micros(when.resolve(row.now()));
        }

        /** The position of the event that ends the run; null if the same event ends the job. */
        @Nullable
        Integer runEndPosition() {
            boolean own = end.state() == JobState.WAITING || end.lostThenEnded();
            return own ? row.position() + 1 : null;
        }
    }

    /** Writes ends that were decided while the rows were locked. */
    public void write(Connection connection, List<Ended> ends) throws SQLException {
        lockCounters(connection, ends);
        archive(
                connection,
                ends.stream().filter(one -> one.end().needsOwnRecord()).toList());
        requeue(
                connection,
                ends.stream()
                        .filter(one -> one.end().state() == JobState.WAITING)
                        .toList());
        finish(
                connection,
                ends.stream().filter(one -> one.end().state().terminal()).toList());
    }

    private void lockCounters(Connection connection, List<Ended> ends) throws SQLException {
        Set<String> keys = new HashSet<>();
        ends.stream()
                .filter(one -> one.row().counted() && one.leased())
                .forEach(one -> keys.add(one.row().definitionKey()));
        if (!keys.isEmpty()) {
            try (Call call = lockCounters.on(connection)) {
                call.texts("keys", keys).list(row -> true);
            }
        }
    }

    private void archive(Connection connection, List<Ended> ends) throws SQLException {
        if (ends.isEmpty()) {
            return;
        }
        try (Call call = archiveRuns.on(connection)) {
            call.uuids("ids", column(ends, one -> one.row().id().value()))
                    .ints("runs", column(ends, one -> one.row().run()))
                    .shorts("attempts", column(ends, one ->
                            (short) one.row().tally().attempts()))
                    .shorts(
                            "statuses",
                            column(ends, one -> one.end().runStatus().code()))
                    .uuids("keys", column(ends, one -> one.row().key()))
                    .texts("workers", column(ends, one -> one.row().workerId()))
                    .instants("startedAts", column(ends, one -> one.row().startedAt()))
                    .instants("endedAts", column(ends, one -> one.row().now()))
                    .ints("startedPositions", column(ends, one -> one.row().startedPosition()))
                    .ints("endedPositions", column(ends, Ended::runEndPosition));
            errors(call, ends, one -> one.end().runFailure()).update();
        }
    }

    private void requeue(Connection connection, List<Ended> ends) throws SQLException {
        if (ends.isEmpty()) {
            return;
        }
        try (Call call = requeue.on(connection)) {
            call.set("now", ends.get(0).row().now())
                    .uuids("ids", column(ends, one -> one.row().id().value()))
                    .instants("runAts", column(ends, Ended::runAt))
                    .shorts("attempts", column(ends, one ->
                            (short) one.end().tally(one.row().tally()).attempts()))
                    .shorts("crashes", column(ends, one ->
                            (short) one.end().tally(one.row().tally()).crashes()))
                    .ints("positions", column(ends, one -> one.row().position() + 1))
                    .flags("beginFirst", column(ends, one -> one.end().beginFirst()));
            errors(call, ends, one -> one.end().jobFailure()).update();
        }
    }

    private void finish(Connection connection, List<Ended> ends) throws SQLException {
        if (ends.isEmpty()) {
            return;
        }
        try (Call call = finish.on(connection)) {
            call.set("now", ends.get(0).row().now())
                    .set("headStart", HEAD_START)
                    .uuids("ids", column(ends, one -> one.row().id().value()))
                    .ints("runs", column(ends, one -> one.row().run()))
                    .uuids("keys", column(ends, one -> one.row().key()))
                    .shorts("states", column(ends, one -> one.end().state().code()))
                    .texts("results", List.of())
                    .shorts("crashes", column(ends, one -> one.end().crashed() ? (short) 1 : null))
                    .ints("positions", column(ends, one -> one.end().lostThenEnded() ? 2 : null))
                    .flags("leased", column(ends, one -> one.leased() ? null : false));
            errors(call, ends, one -> one.end().jobFailure());
            int moved = call.list(row -> true).size();
            if (moved != ends.size()) {
                throw new IllegalStateException("moved " + moved + " of " + ends.size() + " locked jobs");
            }
        }
    }

    static <T> Call errors(Call call, List<T> items, Function<T, @Nullable Failure> failure) throws SQLException {
        return call.texts("errorCodes", column(items, one -> map(failure.apply(one), Failure::code)))
                .texts("errorMessages", column(items, one -> map(failure.apply(one), Failure::message)))
                .texts("errorTypes", column(items, one -> map(failure.apply(one), Failure::type)))
                .texts("errorStacks", column(items, one -> map(failure.apply(one), Failure::stack)));
    }

    private static @Nullable String map(@Nullable Failure failure, Function<Failure, @Nullable String> part) {
        return failure == null ? null : part.apply(failure);
    }
}
