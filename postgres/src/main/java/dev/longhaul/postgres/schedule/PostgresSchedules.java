package dev.longhaul.postgres.schedule;

import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.postgres.access.Audit;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.job.Reads;
import dev.longhaul.postgres.job.Rows;
import dev.longhaul.queue.Pause;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.PastFire;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.Schedule.Planned;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing;
import dev.longhaul.schedule.Timing.Cron;
import dev.longhaul.spi.SchedulePage;
import dev.longhaul.spi.ScheduleStore;
import dev.longhaul.spi.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The schedules in the database, as users and code manage them. {@link PostgresScheduleFires} is the leader's port. */
public final class PostgresSchedules implements ScheduleStore {
    private static final String BEFORE_ALL = "";

    private final NamedSql save = NamedSql.load("schedule/save_schedule");
    private final NamedSql lock = NamedSql.load("schedule/lock_schedule");
    private final NamedSql find = NamedSql.load("schedule/find_schedule");
    private final NamedSql list = NamedSql.load("schedule/list_schedules").bounded("key", "octet_length(p.params)");
    private final NamedSql delete = NamedSql.load("schedule/delete_schedule");
    private final NamedSql known = NamedSql.load("schedule/known_fires");
    private final NamedSql forgetUnmade = NamedSql.load("schedule/forget_unmade_fires");
    private final NamedSql past = NamedSql.load("schedule/fires");
    private final Database database;
    private final Reads reads;
    private final Signals signals;
    private final PostgresScheduleFires fires;

    public PostgresSchedules(Database database, Reads reads, Signals signals, PostgresScheduleFires fires) {
        this.database = database;
        this.reads = reads;
        this.signals = signals;
        this.fires = fires;
    }

    @Override
    public Schedule create(ScheduleSpec spec, boolean paused, @Nullable String by) {
        Audit audit = Audit.of("schedule.create");
        Schedule created = database.transaction((connection, again) -> {
            Instant now = Database.now(connection);
            Schedule schedule = Schedule.created(spec, ScheduleStore.pauseOf(paused, by, now), now);
            if (save(connection, schedule, false)) {
                audit.write(connection, spec.key(), () -> AuditDetails.created(schedule));
                return schedule;
            }
            // After a broken connection, the existing row may be the one that the first attempt stored.
            return Optional.ofNullable(locked(connection, spec.key()))
                    .map(Read::schedule)
                    .filter(other -> again && other.spec().equals(spec))
                    .orElseThrow(() -> Refusal.scheduleExists(spec.key()));
        });
        changed(spec.key());
        return created;
    }

    @Override
    public Schedule upsert(ScheduleSpec spec, boolean paused) {
        return change(
                spec.key(),
                Audited.NOT,
                (before, now) -> Schedule.upserted(before, spec, ScheduleStore.pauseOf(paused, null, now), now));
    }

    @Override
    public Optional<Schedule> edit(
            ScheduleSpec before, ScheduleSpec after, @Nullable Boolean enabled, @Nullable String by) {
        Audit audit = Audit.of("schedule.edit");
        Audited audited = (connection, schedule, edited) -> {
            if (schedule != null && schedule.spec().equals(before)) {
                audit.write(connection, before.key(), () -> AuditDetails.edited(schedule, edited));
            }
        };
        Schedule edited = change(before.key(), audited, (schedule, now) -> {
            Schedule known = existing(schedule, before.key());
            return known.spec().equals(before) ? known.edited(after, enabled, by, now) : known;
        });
        return Optional.of(edited).filter(schedule -> schedule.spec().equals(after));
    }

    @Override
    public Schedule pause(String key, @Nullable String by, @Nullable String note) {
        Audit audit = Audit.of("schedule.pause");
        return change(
                key,
                (connection, before, after) -> audit.write(connection, key, () -> AuditDetails.of(after.pause())),
                (schedule, now) -> existing(schedule, key).paused(new Pause(now, by, note)));
    }

    @Override
    public Schedule resume(String key) {
        Audit audit = Audit.of("schedule.resume");
        return change(
                key,
                (connection, before, after) -> audit.write(connection, key),
                (schedule, now) -> existing(schedule, key).resumed(now));
    }

    @Override
    public void delete(String key) {
        Audit audit = Audit.of("schedule.delete");
        database.transaction((connection, again) -> {
            boolean there = locked(connection, key) != null;
            if (!there && !again) {
                throw Refusal.noSchedule(key);
            }
            audit.write(connection, key);
            try (Call call = delete.on(connection)) {
                return call.set("key", key).update();
            }
        });
    }

    @Override
    public Optional<Schedule> find(String key) {
        return database.single((connection, again) -> {
            try (Call call = find.on(connection)) {
                return call.set("key", key).list(PostgresSchedules::read).stream()
                        .map(Read::schedule)
                        .findFirst();
            }
        });
    }

    @Override
    public SchedulePage list(@Nullable String after, int limit) {
        var found = new AtomicInteger();
        List<Read> read = database.single((connection, again) -> {
            try (Call call = list.on(connection)) {
                return call.set("after", after == null ? BEFORE_ALL : after)
                        .set("limit", (Integer) (limit + 1))
                        .list(row -> {
                            found.set(row.integer("found"));
                            return read(row);
                        });
            }
        });
        return SchedulePage.of(read.stream().map(Read::schedule).toList(), read.isEmpty() ? 0 : found.get(), limit);
    }

    @Override
    public List<PastFire> fires(String key, @Nullable Instant before, int limit) {
        return database.transaction((connection, again) -> {
            try (Call call = past.on(connection)) {
                List<Fire> found = call.set("key", key)
                        .set("before", before)
                        .set("limit", (Integer) limit)
                        .list(PostgresSchedules::fire);
                List<JobId> ids =
                        found.stream().map(Fire::jobId).filter(Objects::nonNull).toList();
                Map<JobId, Job> jobs = reads.find(connection, ids);
                return found.stream()
                        .map(fire -> new PastFire(fire, fire.jobId() == null ? null : jobs.get(fire.jobId())))
                        .toList();
            }
        });
    }

    @Override
    public Fire trigger(String key, @Nullable String by) {
        Audit audit = Audit.of("schedule.trigger");
        Planned planned = database.once(connection -> {
            Read read = existing(locked(connection, key), key);
            Timetable timetable = read.schedule().spec().timetable();
            var taken = new HashSet<Instant>();
            Instant fireAt = timetable.freeFrom(read.now(), taken::contains);
            while (taken.addAll(known(connection, key, List.of(fireAt)))) {
                fireAt = timetable.freeFrom(fireAt, taken::contains);
            }
            Planned one = read.schedule().planRequested(Fire.Cause.TRIGGERED, fireAt, read.now(), by, read.now());
            fires.store(connection, List.of(one), List.of(read.schedule().triggered(one.fire())));
            audit.write(connection, key, () -> AuditDetails.fired(List.of(one.fire())));
            return one;
        });
        fires.report(List.of(planned));
        return planned.fire();
    }

    @Override
    public List<Fire> backfill(String key, List<Instant> fireTimes, Duration apart, @Nullable String by) {
        Audit audit = Audit.of("schedule.backfill");
        List<Planned> planned = database.once(connection -> {
            Read read = existing(locked(connection, key), key);
            try (Call call = forgetUnmade.on(connection)) {
                call.set("key", key).instants("fireAts", fireTimes).update();
            }
            Set<Instant> before = known(connection, key, fireTimes);
            var plan = new ArrayList<Planned>();
            for (Instant fireAt : fireTimes) {
                if (!before.contains(fireAt)) {
                    Instant runAt = read.now().plus(apart.multipliedBy(plan.size()));
                    plan.add(read.schedule().planRequested(Fire.Cause.BACKFILLED, fireAt, runAt, by, read.now()));
                }
            }
            // Also stores a new version of the schedule. If the leader planned fires from what it read before this
            // commit, it finds another version and skips the schedule, which stays due.
            fires.store(connection, plan, List.of(read.schedule().backfilled()));
            audit.write(connection, key, () -> AuditDetails.fired(Planned.fires(plan)));
            return plan;
        });
        fires.report(planned);
        return Planned.fires(planned);
    }

    /** Returns the given fire times that have fired. */
    private Set<Instant> known(Connection connection, String key, List<Instant> fireTimes) throws SQLException {
        try (Call call = known.on(connection)) {
            return Set.copyOf(
                    call.set("key", key).instants("fireAts", fireTimes).list(row -> row.instant("fire_at")));
        }
    }

    /** A schedule and the time of the statement that read it. */
    private record Read(Schedule schedule, Instant now) {}

    private static Read read(Row row) throws SQLException {
        return new Read(PostgresScheduleFires.schedule(row), row.instant("now"));
    }

    /** A change of a schedule. */
    private interface Step {
        Schedule from(@Nullable Schedule before, Instant now);
    }

    /** Writes the audit entry of a change. */
    private interface Audited {
        Audited NOT = (connection, before, after) -> {};

        void write(Connection connection, @Nullable Schedule before, Schedule after) throws SQLException;
    }

    private Schedule change(String key, Audited audited, Step step) {
        record Changed(Schedule schedule, boolean isNew) {}
        Changed changed = database.transaction((connection, again) -> {
            Read read = locked(connection, key);
            Schedule before = read == null ? null : read.schedule();
            Schedule after = step.from(before, read == null ? Database.now(connection) : read.now());
            audited.write(connection, before, after);
            if (after.equals(before)) {
                return new Changed(after, false);
            }
            if (!save(connection, after, before != null)) {
                throw new SQLException("the same schedule was created concurrently", Database.AGAIN);
            }
            return new Changed(after, true);
        });
        if (changed.isNew()) {
            changed(key);
        }
        return changed.schedule();
    }

    private void changed(String key) {
        signals.send(new Signal(Signal.Kind.SCHEDULE, key));
    }

    private boolean save(Connection connection, Schedule schedule, boolean replace) throws SQLException {
        try (Call call = save.on(connection)) {
            return !bind(call, schedule)
                    .set("replace", replace)
                    .list(row -> true)
                    .isEmpty();
        }
    }

    private @Nullable Read locked(Connection connection, String key) throws SQLException {
        try (Call call = lock.on(connection)) {
            List<Read> found = call.set("key", key).list(PostgresSchedules::read);
            return found.isEmpty() ? null : found.get(0);
        }
    }

    private static <T> T existing(@Nullable T found, String key) {
        if (found == null) {
            throw Refusal.noSchedule(key);
        }
        return found;
    }

    private static Call bind(Call call, Schedule schedule) throws SQLException {
        Pause pause = schedule.pause();
        JobId lastJob = schedule.lastJobId();
        call.set("key", schedule.key())
                .set("createdAt", schedule.createdAt())
                .set("updatedAt", schedule.updatedAt())
                .set("nextFireAt", schedule.nextRunAt())
                .set("version", (Long) schedule.version())
                .set("runs", (Long) schedule.runs())
                .set("lastFireAt", schedule.lastRunAt())
                .set("lastJobId", lastJob == null ? null : lastJob.value())
                .set("pausedAt", pause == null ? null : pause.since())
                .set("pausedBy", pause == null ? null : pause.by())
                .set("pausedNote", pause == null ? null : pause.note());
        ScheduleSpec spec = schedule.spec();
        bind(call, spec.job());
        bind(call, spec.timetable());
        return call.set("catchUp", spec.catchUp().policy().name())
                .set("catchUpMax", (Integer) spec.catchUp().max())
                .set("catchUpWindow", (Integer) (int) spec.catchUp().window().toSeconds())
                .set("overlap", spec.overlap().name());
    }

    private static void bind(Call call, JobTemplate job) throws SQLException {
        call.set("definitionKey", job.definition().key())
                .set("definitionVersion", (Integer) job.definition().version())
                .set("timeout", (Integer) (int) job.timeout().toSeconds())
                .set("rank", (Integer) (-job.priority()))
                .set("maxAttempts", (Integer) job.maxAttempts())
                .set("queue", job.queue())
                .set("params", job.params())
                .set("name", job.name())
                .texts("labels", Rows.labels(job.labels()))
                .set("secrets", job.secrets());
    }

    private static void bind(Call call, Timetable timetable) throws SQLException {
        Cron cron = timetable.timing() instanceof Cron given ? given : null;
        Timing.Every every = timetable.timing() instanceof Timing.Every given ? given : null;
        List<Instant> times = timetable.timing() instanceof Timing.At given ? given.instants() : null;
        call.set("cron", cron == null ? null : cron.expression().toString())
                .set("timeZone", cron == null ? null : cron.zone())
                .set("dst", cron == null ? null : cron.dst().name())
                .set(
                        "everySeconds",
                        every == null ? null : (Integer) (int) every.period().toSeconds())
                .set("anchor", every == null ? null : every.anchor())
                .instants("fireTimes", times)
                .set("startAt", timetable.start())
                .set("endAt", timetable.end())
                .set("maxRuns", timetable.maxRuns())
                .set("jitter", (Integer) (int) timetable.jitter().toSeconds());
    }

    /** A row of {@code fires.sql}. */
    private static Fire fire(Row row) throws SQLException {
        UUID job = row.uuidOrNull("job_id");
        return new Fire(
                row.text("schedule_key"),
                row.instant("fire_at"),
                Fire.Cause.ofCode(row.integer("cause")),
                Fire.Outcome.ofCode(row.integer("outcome")),
                row.instant("fired_at"),
                job == null ? null : new JobId(job));
    }
}
