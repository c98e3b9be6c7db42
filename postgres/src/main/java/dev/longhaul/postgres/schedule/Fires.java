package dev.longhaul.postgres.schedule;

import static dev.longhaul.postgres.database.Call.column;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.postgres.access.Audit;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.job.Inserts;
import dev.longhaul.postgres.upkeep.Leader;
import dev.longhaul.postgres.webhook.PostgresWebhooks;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.Firing;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.ScheduleFires;
import dev.longhaul.spi.Signal;
import dev.longhaul.webhook.Happening;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires schedules: stores the fires, their jobs and the next fire times in one transaction, which locks the schedules' rows. Many
 * schedules take as many statements as one.
 */
public final class Fires implements ScheduleFires {
    private static final Logger LOG = LoggerFactory.getLogger(Fires.class);
    private static final UUID BEFORE_ALL = new UUID(0, 0);

    private final NamedSql due = NamedSql.load("schedule/due_schedules");
    private final NamedSql untilNext = NamedSql.load("schedule/until_next_fire");
    private final NamedSql lock = NamedSql.load("schedule/lock_schedules");
    private final NamedSql known = NamedSql.load("schedule/known_fires");
    private final NamedSql going = NamedSql.load("schedule/going_jobs");
    private final NamedSql forgetUnmade = NamedSql.load("schedule/forget_unmade_fires");
    private final NamedSql insert = NamedSql.load("schedule/insert_fires");
    private final NamedSql fired = NamedSql.load("schedule/schedules_fired");
    private final NamedSql held = NamedSql.load("schedule/held_jobs");
    private final Database database;
    private final Leader leader;
    private final Inserts inserts;
    private final Signals signals;
    private final PostgresWebhooks webhooks;
    private final StoreListeners listeners;

    public Fires(
            Database database,
            Leader leader,
            Inserts inserts,
            Signals signals,
            PostgresWebhooks webhooks,
            StoreListeners listeners) {
        this.database = database;
        this.leader = leader;
        this.inserts = inserts;
        this.signals = signals;
        this.webhooks = webhooks;
        this.listeners = listeners;
    }

    /** Takes the lock of one schedule. */
    interface Lock {
        ScheduleRows.Read on(Connection connection) throws SQLException;
    }

    @Override
    public Due due(int max) {
        List<ScheduleRows.Read> read = database.single((connection, again) -> {
            try (Call call = due.on(connection)) {
                return call.set("max", (Integer) max).list(ScheduleRows::schedule);
            }
        });
        Instant now = read.isEmpty() ? Instant.EPOCH : read.get(0).now();
        return new Due(read.stream().map(ScheduleRows.Read::schedule).toList(), now);
    }

    @Override
    public Optional<Duration> untilNextDue() {
        return database.single((connection, again) -> {
            try (Call call = untilNext.on(connection)) {
                return call.list(row -> Duration.ofNanos(row.bigint("micros") * 1000)).stream()
                        .findFirst();
            }
        });
    }

    @Override
    public Fired fire(Leadership leadership, List<Firing> firings) {
        if (firings.isEmpty()) {
            return Fired.NOTHING;
        }
        try {
            return fire(leadership, firings, true);
        } catch (LonghaulException e) {
            rethrowUnlessRefused(e);
            // One of them cannot have its job: each on its own, so that it stands in nobody's way, its own next fire
            // included.
            LOG.debug("schedules are fired one by one", e);
        }
        int schedules = 0;
        var fires = new ArrayList<Fire>();
        for (Firing firing : firings) {
            Fired one = fireAlone(leadership, firing);
            schedules += one.schedules();
            fires.addAll(one.fires());
        }
        return new Fired(schedules, fires);
    }

    private Fired fireAlone(Leadership leadership, Firing firing) {
        try {
            return fire(leadership, List.of(firing), true);
        } catch (LonghaulException e) {
            rethrowUnlessRefused(e);
            LOG.warn("schedule {} cannot have its job: {}", firing.key(), e.getMessage());
            return fire(leadership, List.of(firing), false);
        }
    }

    /** Only what the store would refuse tomorrow, too, costs a schedule its fire; whatever else fails is tried again. */
    private static void rethrowUnlessRefused(LonghaulException e) {
        boolean data = e.getCause() instanceof SQLException cause && Database.refusesData(cause);
        if (!data && (e.code() == ErrorCode.UNAVAILABLE || e.code() == ErrorCode.INTERNAL)) {
            throw e;
        }
    }

    /** What was done, and the jobs of it. */
    private record Done(int schedules, List<Fire> fires, List<JobSpec> jobs, Instant now) {}

    private Fired fire(Leadership leadership, List<Firing> firings, boolean withJobs) {
        Done done = database.transaction((connection, again) -> {
            var nothing = new Done(0, List.of(), List.of(), Instant.EPOCH);
            return leader.holds(connection, leadership) ? fire(connection, firings, withJobs) : nothing;
        });
        report(done.fires(), done.jobs(), done.now());
        return new Fired(done.schedules(), done.fires());
    }

    private Done fire(Connection connection, List<Firing> firings, boolean withJobs) throws SQLException {
        Locked locked = lock(connection, firings);
        List<Firing> asSeen = firings.stream()
                .filter(firing -> Objects.equals(
                        locked.versions().get(firing.key()), firing.schedule().version()))
                .toList();
        Map<String, Set<Instant>> before = known(connection, asSeen);
        Map<String, Going> jobsGoing = going(connection, asSeen);
        var fires = new ArrayList<Fire>();
        var jobs = new ArrayList<JobSpec>();
        var after = new ArrayList<Schedule>();
        for (Firing firing : asSeen) {
            Going now = jobsGoing.getOrDefault(firing.key(), Going.NONE);
            Set<Instant> done = before.getOrDefault(firing.key(), Set.of());
            var own = new ArrayList<Fire>();
            for (Firing.Planned planned :
                    withJobs ? firing.plan(now.going(), now.held(), done) : firing.planWithoutJobs(done)) {
                JobSpec job = planned.job() == null ? null : onClock(planned.job(), locked.now());
                Fire.Outcome outcome =
                        job != null ? Fire.Outcome.CREATED : withJobs ? Fire.Outcome.SKIPPED : Fire.Outcome.REFUSED;
                own.add(fire(firing.key(), planned.fireAt(), Fire.Cause.SCHEDULED, outcome, locked.now(), job));
                if (job != null) {
                    jobs.add(job);
                }
            }
            fires.addAll(own);
            after.add(firing.schedule().fired(own, firing.next()));
            Firing.Missed missed = firing.missed(locked.now()).orElse(null);
            if (missed != null) {
                webhooks.publish(connection, WebhookEvent.SCHEDULE_MISSED, Happening.missed(firing, missed));
            }
        }
        store(connection, fires, jobs, after);
        return new Done(after.size(), fires, jobs, locked.now());
    }

    Fire trigger(String key, Lock lockOne, @Nullable String by) {
        record Triggered(Fire fire, JobSpec job) {}
        Audit audit = Audit.of("schedule.trigger");
        Triggered triggered = database.once(connection -> {
            ScheduleRows.Read read = lockOne.on(connection);
            Schedule schedule = read.schedule();
            var taken = new HashSet<Instant>();
            Instant fireAt = schedule.spec().timetable().freeFrom(read.now(), taken::contains);
            while (!known(connection, List.of(key), List.of(fireAt)).isEmpty()) {
                taken.add(fireAt);
                fireAt = schedule.spec().timetable().freeFrom(fireAt, taken::contains);
            }
            JobSpec job = onClock(schedule.spec().jobOf(fireAt, read.now(), by), read.now());
            Fire fire = fire(key, fireAt, Fire.Cause.TRIGGERED, Fire.Outcome.CREATED, read.now(), job);
            store(connection, List.of(fire), List.of(job), List.of(schedule.triggered(fire)));
            audit.write(connection, key, () -> AuditDetails.fired(List.of(fire)));
            return new Triggered(fire, job);
        });
        report(
                List.of(triggered.fire()),
                List.of(triggered.job()),
                triggered.fire().firedAt());
        return triggered.fire();
    }

    List<Fire> backfill(Lock lockOne, List<Instant> fireTimes, Duration apart, @Nullable String by) {
        Audit audit = Audit.of("schedule.backfill");
        Done done = database.once(connection -> {
            ScheduleRows.Read read = lockOne.on(connection);
            String key = read.schedule().key();
            try (Call call = forgetUnmade.on(connection)) {
                call.set("key", key).instants("fireAts", fireTimes).update();
            }
            Set<Instant> before = known(
                            connection, fireTimes.stream().map(time -> key).toList(), fireTimes)
                    .getOrDefault(key, Set.of());
            var fires = new ArrayList<Fire>();
            var jobs = new ArrayList<JobSpec>();
            for (Instant fireAt : fireTimes) {
                if (!before.contains(fireAt)) {
                    Instant runAt = read.now().plus(apart.multipliedBy(jobs.size()));
                    JobSpec job = onClock(read.schedule().spec().jobOf(fireAt, runAt, by), read.now());
                    jobs.add(job);
                    fires.add(fire(key, fireAt, Fire.Cause.BACKFILLED, Fire.Outcome.CREATED, read.now(), job));
                }
            }
            store(connection, fires, jobs, List.of());
            audit.write(connection, key, () -> AuditDetails.fired(fires));
            return new Done(1, fires, jobs, read.now());
        });
        report(done.fires(), done.jobs(), done.now());
        return done.fires();
    }

    /** The job, with an id of the database's time if this machine's clock is far from that. */
    private static JobSpec onClock(JobSpec job, Instant now) {
        Duration off = Duration.between(job.id().madeAt(), now).abs();
        return off.compareTo(Limits.CLOCK_SKEW.dividedBy(2)) < 0
                ? job
                : job.toBuilder()
                        .id(new JobId(new Uuid7(now::toEpochMilli).next()))
                        .build();
    }

    @Override
    public List<HeldJob> held(@Nullable HeldJob after, int max) {
        return database.single((connection, again) -> {
            try (Call call = held.on(connection)) {
                return call.set(
                                "afterFire",
                                after == null ? Instant.EPOCH : after.fire().fireAt())
                        .set("afterId", after == null ? BEFORE_ALL : after.id().value())
                        .set("max", (Integer) max)
                        .list(row -> {
                            UUID[] ahead = row.array("ahead", UUID[].class);
                            return new HeldJob(
                                    new JobId(row.uuid("id")),
                                    new ScheduleFire(row.text("schedule_key"), row.instant("fire_at")),
                                    row.flag("cancels_previous"),
                                    Arrays.stream(ahead).map(JobId::new).toList());
                        });
            }
        });
    }

    private record Locked(Map<String, Long> versions, Instant now) {}

    private Locked lock(Connection connection, List<Firing> firings) throws SQLException {
        var versions = new HashMap<String, Long>();
        try (Call call = lock.on(connection)) {
            List<Instant> clock = call.texts(
                            "keys", firings.stream().map(Firing::key).toList())
                    .list(row -> {
                        versions.put(row.text("key"), row.bigint("version"));
                        return row.instant("now");
                    });
            return new Locked(versions, clock.isEmpty() ? Instant.EPOCH : clock.get(0));
        }
    }

    private Map<String, Set<Instant>> known(Connection connection, List<Firing> firings) throws SQLException {
        var keys = new ArrayList<String>();
        var times = new ArrayList<Instant>();
        for (Firing firing : firings) {
            firing.fires().forEach(fire -> {
                keys.add(firing.key());
                times.add(fire);
            });
        }
        return known(connection, keys, times);
    }

    private Map<String, Set<Instant>> known(Connection connection, List<String> keys, List<Instant> times)
            throws SQLException {
        var found = new HashMap<String, Set<Instant>>();
        if (!keys.isEmpty()) {
            try (Call call = known.on(connection)) {
                call.texts("keys", keys)
                        .instants("fireAts", times)
                        .list(row -> found.computeIfAbsent(row.text("schedule_key"), key -> new HashSet<>())
                                .add(row.instant("fire_at")));
            }
        }
        return found;
    }

    private record Going(int going, int held) {
        static final Going NONE = new Going(0, 0);
    }

    private Map<String, Going> going(Connection connection, List<Firing> firings) throws SQLException {
        List<String> careful = firings.stream()
                .filter(firing -> firing.overlap() != Overlap.ALLOW)
                .map(Firing::key)
                .toList();
        var found = new HashMap<String, Going>();
        if (!careful.isEmpty()) {
            try (Call call = going.on(connection)) {
                call.texts("keys", careful)
                        .list(row -> found.put(row.text("key"), new Going(row.integer("going"), row.integer("held"))));
            }
        }
        return found;
    }

    private void store(Connection connection, List<Fire> fires, List<JobSpec> jobs, List<Schedule> after)
            throws SQLException {
        if (!fires.isEmpty()) {
            try (Call call = insert.on(connection)) {
                call.texts("keys", fires.stream().map(Fire::scheduleKey).toList())
                        .instants("fireAts", fires.stream().map(Fire::fireAt).toList())
                        .set("firedAt", fires.get(0).firedAt())
                        .uuids("jobIds", column(fires, fire -> value(fire.jobId())))
                        .shorts(
                                "causes",
                                fires.stream().map(fire -> fire.cause().code()).toList())
                        .shorts(
                                "outcomes",
                                fires.stream()
                                        .map(fire -> fire.outcome().code())
                                        .toList())
                        .update();
            }
        }
        inserts.insertNew(connection, jobs);
        if (!after.isEmpty()) {
            try (Call call = fired.on(connection)) {
                call.texts("keys", after.stream().map(Schedule::key).toList())
                        .instants("nextFireAts", column(after, Schedule::nextRunAt))
                        .longs("versions", after.stream().map(Schedule::version).toList())
                        .longs("runs", after.stream().map(Schedule::runs).toList())
                        .instants("lastFireAts", column(after, Schedule::lastRunAt))
                        .uuids("lastJobIds", column(after, schedule -> value(schedule.lastJobId())))
                        .update();
            }
        }
    }

    private static @Nullable UUID value(@Nullable JobId id) {
        return id == null ? null : id.value();
    }

    private static Fire fire(
            String key, Instant fireAt, Fire.Cause cause, Fire.Outcome outcome, Instant now, @Nullable JobSpec job) {
        return new Fire(key, fireAt, cause, outcome, now, job == null ? null : job.id());
    }

    private void report(List<Fire> fires, List<JobSpec> jobs, Instant now) {
        listeners.report(listener -> listener.enqueued(jobs));
        listeners.report(listener -> listener.fired(fires));
        jobs.stream()
                .filter(job -> !job.hold() && !job.runTime().resolve(now).isAfter(now))
                .map(JobSpec::queue)
                .distinct()
                .forEach(queue -> signals.send(new Signal(Signal.Kind.WORK, queue)));
        jobs.forEach(job -> signals.changed(job.id()));
    }
}
