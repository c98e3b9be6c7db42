package dev.longhaul.postgres.work;

import static dev.longhaul.postgres.database.Call.column;

import dev.longhaul.event.EventType;
import dev.longhaul.event.NewEvent;
import dev.longhaul.event.Payload;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Step;
import dev.longhaul.postgres.database.Backend;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.job.Rows;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Verdict;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores reports of running jobs: progress, steps and events. Most reports are one statement for the whole batch.
 * Reports with steps, or with events that may be stored already, are first compared with the stored ones under their
 * jobs' row locks.
 */
final class Updates {
    private final NamedSql save = NamedSql.load("work/save");
    private final NamedSql knownSteps = NamedSql.load("job/known_steps");
    private final NamedSql knownSequences = NamedSql.load("job/known_sequences");
    private final NamedSql storeSteps = NamedSql.load("job/store_steps");
    private final Database database;
    private final RunEnds runEnds;

    Updates(Database database, RunEnds runEnds) {
        this.database = database;
        this.runEnds = runEnds;
    }

    /**
     * The part of an update to save.
     *
     * @param first the first event sequence, if it may have been stored before: the update is then rejected unless the
     * sequence is new
     * @param steps new steps, and steps with another result
     * @param events in the order of their positions; the events of the steps come before them
     */
    private record Saved(
            Claim claim,
            @Nullable Progress progress,
            @Nullable Integer first,
            List<StoredStep> steps,
            List<NewEvent> events) {

        int lastSequence() {
            return events.isEmpty() ? 0 : events.get(events.size() - 1).sequence();
        }

        int count() {
            return steps.size() + events.size();
        }
    }

    /** An event of the nth report, and its position among that report's events. */
    private record Placed(
            int nth,
            Claim claim,
            int place,
            int sequence,
            EventType type,
            @Nullable Instant at,
            @Nullable String payload) {}

    private record StoredStep(JobId jobId, int run, int number, Step step) {}

    /**
     * A run whose report may repeat stored events: its sequences begin at {@code first}, which is not above the highest
     * stored one.
     */
    private record Late(RunRow row, int first) {}

    List<Verdict> save(List<RunUpdate> updates) {
        RunUpdate.requireOnePerClaim(updates);
        List<Saved> plain = updates.stream()
                .filter(update -> update.steps().isEmpty())
                .map(update -> new Saved(update.claim(), update.progress(), first(update), List.of(), update.events()))
                .toList();
        Set<Claim> saved = plain.isEmpty() ? Set.of() : saveAtOnce(plain);
        List<RunUpdate> others = updates.stream()
                .filter(update -> !saved.contains(update.claim()))
                .toList();
        Map<Claim, Verdict> verdicts = others.isEmpty()
                ? Map.of()
                : database.transaction((connection, again) -> compareAndSave(connection, others));
        return updates.stream()
                .map(update -> verdicts.getOrDefault(update.claim(), Verdict.WON))
                .toList();
    }

    private static @Nullable Integer first(RunUpdate update) {
        return update.events().isEmpty() ? null : update.events().get(0).sequence();
    }

    private Set<Claim> saveAtOnce(List<Saved> reports) {
        var tried = new ArrayList<Backend>();
        return database.single((connection, again) -> {
            if (again) {
                for (Backend backend : tried) {
                    // Wait for the old statement: after a lost connection it may still run later, and must not
                    // overwrite newer progress.
                    backend.awaitEnd(connection);
                }
            }
            tried.add(Backend.of(connection));
            return save(connection, reports);
        });
    }

    /** The verdicts of updates whose events or steps may be stored already. */
    private Map<Claim, Verdict> compareAndSave(Connection connection, List<RunUpdate> updates) throws SQLException {
        Map<Claim, RunRow> held =
                runEnds.lock(connection, updates.stream().map(RunUpdate::claim).toList());
        Map<JobId, Map<String, String>> steps = knownSteps(connection, updates, held);
        Map<JobId, Set<Integer>> sequences = knownSequences(connection, updates, held);
        var verdicts = new HashMap<Claim, Verdict>();
        var toSave = new ArrayList<Saved>();
        for (RunUpdate update : updates) {
            JobId id = update.claim().jobId();
            Map<String, String> known = steps.getOrDefault(id, new HashMap<>());
            Verdict verdict = held.containsKey(update.claim()) ? checked(update, known) : Verdict.LOST;
            verdicts.put(update.claim(), verdict);
            if (verdict.won()) {
                Set<Integer> stored = sequences.getOrDefault(id, Set.of());
                List<NewEvent> events = update.events().stream()
                        .filter(event -> !stored.contains(event.sequence()))
                        .toList();
                toSave.add(new Saved(update.claim(), update.progress(), null, newSteps(update, known), events));
            }
        }
        storeSteps(
                connection, toSave.stream().flatMap(one -> one.steps().stream()).toList());
        save(connection, toSave);
        return verdicts;
    }

    private static Verdict checked(RunUpdate update, Map<String, String> known) {
        var names = new HashSet<>(known.keySet());
        update.steps().forEach(step -> names.add(step.name()));
        return names.size() > Limits.STEPS
                ? Verdict.refused("steps: " + names.size() + " (expected: <= " + Limits.STEPS + ")")
                : Verdict.WON;
    }

    /** Steps that are stored already create no event: a report may be sent again when its response was lost. */
    private static List<StoredStep> newSteps(RunUpdate update, Map<String, String> known) {
        var steps = new ArrayList<StoredStep>();
        for (Step step : update.steps()) {
            String digest = md5(step.result());
            if (!digest.equals(known.put(step.name(), digest))) {
                Claim claim = update.claim();
                steps.add(new StoredStep(claim.jobId(), claim.run(), known.size(), step));
            }
        }
        return steps;
    }

    /** The digests of the stored steps of the jobs, by name. */
    private Map<JobId, Map<String, String>> knownSteps(
            Connection connection, List<RunUpdate> updates, Map<Claim, RunRow> held) throws SQLException {
        List<UUID> ids = updates.stream()
                .filter(update -> !update.steps().isEmpty())
                .map(RunUpdate::claim)
                .filter(held::containsKey)
                .map(claim -> claim.jobId().value())
                .toList();
        var known = new HashMap<JobId, Map<String, String>>();
        if (!ids.isEmpty()) {
            try (Call call = knownSteps.on(connection)) {
                call.uuids("ids", ids)
                        .list(row -> known.computeIfAbsent(new JobId(row.uuid("id")), id -> new HashMap<>())
                                .put(row.text("name"), row.text("digest")));
            }
        }
        return known;
    }

    /**
     * The stored sequences of the runs. Read only for reports whose first sequence is not above the highest stored one:
     * they may be duplicates or late.
     */
    private Map<JobId, Set<Integer>> knownSequences(
            Connection connection, List<RunUpdate> updates, Map<Claim, RunRow> held) throws SQLException {
        var known = new HashMap<JobId, Set<Integer>>();
        var late = new ArrayList<Late>();
        for (RunUpdate update : updates) {
            RunRow row = held.get(update.claim());
            if (row != null && !update.events().isEmpty()) {
                int first = update.events().get(0).sequence();
                if (first <= row.lastSequence()) {
                    late.add(new Late(row, first));
                }
            }
        }
        if (!late.isEmpty()) {
            try (Call call = knownSequences.on(connection)) {
                call.uuids("ids", column(late, one -> one.row().id().value()))
                        .ints("runs", column(late, one -> one.row().run()))
                        .ints("started", column(late, one -> one.row().startedPosition()))
                        .ints("firsts", column(late, Late::first))
                        .list(row -> known.computeIfAbsent(new JobId(row.uuid("id")), id -> new HashSet<>())
                                .add(row.integer("sequence")));
            }
        }
        return known;
    }

    /** Saves reports whose claims hold and whose events are new; returns their claims. */
    private Set<Claim> save(Connection connection, List<Saved> reports) throws SQLException {
        if (reports.isEmpty()) {
            return Set.of();
        }
        // Sorted by id, so that two batches lock their rows in the same order.
        List<Saved> sorted = reports.stream()
                .sorted(Comparator.comparing(one -> one.claim().jobId()))
                .toList();
        List<Placed> events = placed(sorted);
        try (Call call = save.on(connection)) {
            Rows.bindClaims(call, sorted.stream().map(Saved::claim).toList())
                    .shorts("progresses", column(sorted, one -> percent(one.progress())))
                    .texts("messages", column(sorted, one -> message(one.progress())))
                    .texts("progressPayloads", column(sorted, one -> payload(one.progress())))
                    .ints("firsts", column(sorted, Saved::first))
                    .ints("lasts", column(sorted, Saved::lastSequence))
                    .ints("counts", column(sorted, Saved::count))
                    .ints("nths", column(events, Placed::nth))
                    .uuids(
                            "eventIds",
                            column(events, event -> event.claim().jobId().value()))
                    .ints("eventRuns", column(events, event -> event.claim().run()))
                    .ints("places", column(events, Placed::place))
                    .ints("sequences", column(events, Placed::sequence))
                    .texts("types", column(events, event -> event.type().wireName()))
                    .instants("ats", column(events, Placed::at))
                    .texts("payloads", column(events, Placed::payload));
            return new HashSet<>(call.list(Rows::claim));
        }
    }

    private static List<Placed> placed(List<Saved> reports) {
        var events = new ArrayList<Placed>();
        for (int i = 0; i < reports.size(); i++) {
            Saved report = reports.get(i);
            Claim claim = report.claim();
            int place = 0;
            for (StoredStep step : report.steps()) {
                String payload = Payload.of("name", step.step().name());
                events.add(new Placed(i + 1, claim, ++place, 0, EventType.STEP, null, payload));
            }
            for (NewEvent event : report.events()) {
                events.add(
                        new Placed(i + 1, claim, ++place, event.sequence(), event.type(), event.at(), event.payload()));
            }
        }
        return events;
    }

    private void storeSteps(Connection connection, List<StoredStep> steps) throws SQLException {
        if (steps.isEmpty()) {
            return;
        }
        try (Call call = storeSteps.on(connection)) {
            call.uuids("ids", column(steps, one -> one.jobId().value()))
                    .texts("names", column(steps, one -> one.step().name()))
                    .texts("results", column(steps, one -> one.step().result()))
                    .ints("runs", column(steps, StoredStep::run))
                    .ints("numbers", column(steps, StoredStep::number))
                    .update();
        }
    }

    /** Returns the same digest as PostgreSQL's function md5. */
    private static String md5(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static @Nullable Short percent(@Nullable Progress progress) {
        return progress == null ? null : (short) progress.percent();
    }

    private static @Nullable String message(@Nullable Progress progress) {
        return progress == null ? null : progress.message();
    }

    private static @Nullable String payload(@Nullable Progress progress) {
        return progress == null ? null : Payload.of(progress);
    }
}
