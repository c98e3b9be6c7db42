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
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Verdict;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Stores what runs report while they go on: progress, steps and events, each under its job's row lock. */
public final class Updates {
    private final NamedSql save = NamedSql.load("work/save");
    private final NamedSql knownSteps = NamedSql.load("job/known_steps");
    private final NamedSql knownSequences = NamedSql.load("job/known_sequences");
    private final NamedSql storeSteps = NamedSql.load("job/store_steps");
    private final NamedSql storeEvents = NamedSql.load("job/store_events");
    private final Database database;
    private final RunEnds runEnds;

    public Updates(Database database, RunEnds runEnds) {
        this.database = database;
        this.runEnds = runEnds;
    }

    /** An event with the position that was given to it. */
    record StoredEvent(
            JobId jobId,
            int position,
            int run,
            int sequence,
            EventType type,
            @Nullable Instant at,
            @Nullable String payload) {}

    private record StoredStep(JobId jobId, int run, int number, Step step) {}

    /** A run that reports events behind its highest stored sequence, from that one on. */
    private record Late(RunRow row, int first) {}

    private record Saved(RunRow row, @Nullable Progress progress, int position, int lastSequence) {}

    public List<Verdict> save(List<RunUpdate> updates) {
        RunUpdate.requireOnePerClaim(updates);
        return database.transaction((connection, again) -> save(connection, updates));
    }

    private List<Verdict> save(Connection connection, List<RunUpdate> updates) throws SQLException {
        Map<Claim, RunRow> held =
                runEnds.lock(connection, updates.stream().map(RunUpdate::claim).toList());
        Map<JobId, Map<String, String>> steps = knownSteps(connection, updates, held);
        var batch = new Batch(steps, knownSequences(connection, updates, held));
        var verdicts = new ArrayList<Verdict>();
        for (RunUpdate update : updates) {
            Claim claim = update.claim();
            RunRow row = held.get(claim);
            verdicts.add(row == null ? Verdict.LOST : batch.add(row, update));
        }
        batch.write(connection);
        return verdicts;
    }

    /** The digests of the steps that the jobs have, by name. */
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
     * The sequences that the runs have stored already, as far as they matter: looked up only for reports that go back behind the
     * highest one, which are repeats or late.
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

    void storeEvents(Connection connection, List<StoredEvent> events) throws SQLException {
        if (events.isEmpty()) {
            return;
        }
        try (Call call = storeEvents.on(connection)) {
            call.uuids("ids", column(events, event -> event.jobId().value()))
                    .ints("positions", column(events, StoredEvent::position))
                    .ints("runs", column(events, StoredEvent::run))
                    .ints("sequences", column(events, StoredEvent::sequence))
                    .texts("types", column(events, event -> event.type().wireName()))
                    .instants("ats", column(events, StoredEvent::at))
                    .texts("payloads", column(events, StoredEvent::payload))
                    .update();
        }
    }

    /** Gathers the rows of several updates, so that each table is written once. */
    private final class Batch {
        private final Map<JobId, Map<String, String>> knownSteps;
        private final Map<JobId, Set<Integer>> knownSequences;
        private final List<Saved> saved = new ArrayList<>();
        private final List<StoredStep> steps = new ArrayList<>();
        private final List<StoredEvent> events = new ArrayList<>();

        Batch(Map<JobId, Map<String, String>> knownSteps, Map<JobId, Set<Integer>> knownSequences) {
            this.knownSteps = knownSteps;
            this.knownSequences = knownSequences;
        }

        Verdict add(RunRow row, RunUpdate update) {
            Map<String, String> known = knownSteps.computeIfAbsent(row.id(), id -> new HashMap<>());
            var names = new HashSet<>(known.keySet());
            update.steps().forEach(step -> names.add(step.name()));
            if (names.size() > Limits.STEPS) {
                return Verdict.refused("steps: " + names.size() + " (expected: <= " + Limits.STEPS + ")");
            }
            int position = row.position();
            int lastSequence = row.lastSequence();
            Progress progress = update.progress();
            // What is stored already makes no event: a report may be sent again when its answer was lost.
            if (progress != null && !progress.equals(row.progress())) {
                events.add(made(row, ++position, EventType.PROGRESS, Payload.of(progress)));
            }
            for (Step step : update.steps()) {
                String digest = md5(step.result());
                if (digest.equals(known.put(step.name(), digest))) {
                    continue;
                }
                steps.add(new StoredStep(row.id(), row.run(), known.size(), step));
                String payload = Payload.of("name", step.name());
                events.add(made(row, ++position, EventType.STEP, payload));
            }
            Set<Integer> stored = knownSequences.getOrDefault(row.id(), Set.of());
            for (NewEvent event : update.events()) {
                int sequence = event.sequence();
                if (!stored.contains(sequence)) {
                    lastSequence = Math.max(lastSequence, sequence);
                    events.add(new StoredEvent(
                            row.id(), ++position, row.run(), sequence, event.type(), event.at(), event.payload()));
                }
            }
            saved.add(new Saved(row, progress, position, lastSequence));
            return Verdict.WON;
        }

        private StoredEvent made(RunRow row, int position, EventType type, @Nullable String payload) {
            return new StoredEvent(row.id(), position, row.run(), 0, type, null, payload);
        }

        void write(Connection connection) throws SQLException {
            if (saved.isEmpty()) {
                return;
            }
            try (Call call = save.on(connection)) {
                call.uuids("ids", column(saved, one -> one.row().id().value()))
                        .shorts("progresses", column(saved, one -> percent(one.progress())))
                        .texts("messages", column(saved, one -> message(one.progress())))
                        .ints("positions", column(saved, Saved::position))
                        .ints("sequences", column(saved, Saved::lastSequence))
                        .update();
            }
            if (!steps.isEmpty()) {
                try (Call call = storeSteps.on(connection)) {
                    call.uuids("ids", column(steps, one -> one.jobId().value()))
                            .texts("names", column(steps, one -> one.step().name()))
                            .texts("results", column(steps, one -> one.step().result()))
                            .ints("runs", column(steps, StoredStep::run))
                            .ints("numbers", column(steps, StoredStep::number))
                            .update();
                }
            }
            storeEvents(connection, events);
        }
    }

    /** As PostgreSQL's function of the same name. */
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
}
