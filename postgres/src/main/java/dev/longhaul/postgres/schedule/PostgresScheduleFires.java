package dev.longhaul.postgres.schedule;

import static dev.longhaul.postgres.database.Call.column;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.database.StoreBase;
import dev.longhaul.postgres.job.Inserts;
import dev.longhaul.postgres.webhook.PostgresWebhooks;
import dev.longhaul.queue.Pause;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.CronExpression;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.Schedule.Planned;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing;
import dev.longhaul.schedule.Timing.Cron;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.ScheduleFires;
import dev.longhaul.spi.Signal;
import dev.longhaul.webhook.SystemEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires schedules: stores the fires, their jobs and the next fire times in one transaction that locks the schedules'
 * rows. The number of statements does not depend on the number of schedules.
 */
public final class PostgresScheduleFires implements ScheduleFires {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresScheduleFires.class);
    private static final UUID BEFORE_ALL = new UUID(0, 0);

    private final NamedSql lockDue = NamedSql.load("schedule/lock_due_schedules");
    private final NamedSql storeFires = NamedSql.load("schedule/store_fires");
    private final NamedSql untilNext = NamedSql.load("schedule/until_next_fire");
    private final NamedSql held = NamedSql.load("schedule/held_jobs");
    private final Database database;
    private final Inserts inserts;
    private final Signals signals;
    private final PostgresWebhooks webhooks;
    private final StoreListeners listeners;

    public PostgresScheduleFires(StoreBase base, Inserts inserts, PostgresWebhooks webhooks) {
        this.database = base.database();
        this.signals = base.signals();
        this.listeners = base.listeners();
        this.inserts = inserts;
        this.webhooks = webhooks;
    }

    @Override
    public Pass fireDue(Leadership leadership, int max) {
        var locked = new ArrayList<String>();
        try {
            return fire(leadership, null, max, true, locked);
        } catch (LonghaulException e) {
            rethrowUnlessRefused(e);
            // A rejected job must not prevent other schedules, or the next fire of its own schedule, from firing.
            LOG.debug("a job was rejected; firing {} schedules one by one", locked.size(), e);
        }
        int schedules = 0;
        var fires = new ArrayList<Fire>();
        for (String key : List.copyOf(locked)) {
            Pass one = fireAlone(leadership, key);
            schedules += one.schedules();
            fires.addAll(one.fires());
        }
        return new Pass(schedules, fires, List.of());
    }

    private Pass fireAlone(Leadership leadership, String key) {
        var locked = new ArrayList<String>();
        try {
            return fire(leadership, key, 1, true, locked);
        } catch (LonghaulException e) {
            rethrowUnlessRefused(e);
            LOG.warn("schedule {}: job rejected; recording the fire without a job: {}", key, e.getMessage());
            return fire(leadership, key, 1, false, locked);
        }
    }

    /**
     * Rethrows the failure, unless the store would always reject the job: only then does the schedule skip the fire.
     */
    private static void rethrowUnlessRefused(LonghaulException e) {
        boolean data = e.getCause() instanceof SQLException cause && Database.refusesData(cause);
        if (!data && (e.code() == ErrorCode.UNAVAILABLE || e.code() == ErrorCode.INTERNAL)) {
            throw e;
        }
    }

    /**
     * Fires the due schedules in one transaction.
     *
     * @param key the only schedule to fire; null means any
     * @param locked receives the keys of the schedules, also if this fails
     */
    private Pass fire(Leadership leadership, @Nullable String key, int max, boolean withJobs, List<String> locked) {
        record Done(Pass pass, List<Planned> plan) {}
        Done done = database.transaction((connection, again) -> {
            List<Due> all = lockDue(connection, leadership, key, max);
            locked.clear();
            all.forEach(due -> locked.add(due.schedule().key()));
            var unknownZones = new ArrayList<String>();
            var plan = new ArrayList<Planned>();
            var after = new ArrayList<Schedule>();
            for (Due due : all) {
                Schedule schedule = due.schedule();
                if (!schedule.spec().timetable().timing().known()) {
                    unknownZones.add(schedule.key());
                    continue;
                }
                List<Instant> times = schedule.dueAt(due.now());
                if (!after.isEmpty() && plan.size() + times.size() > max) {
                    // Keeps the commit short: after downtime, one schedule may have a thousand fires to catch up.
                    break;
                }
                List<Planned> own = withJobs
                        ? schedule.plan(times, due.earlier(), due.now())
                        : schedule.planRefused(times, due.earlier(), due.now());
                plan.addAll(own);
                after.add(schedule.fired(Planned.fires(own), due.now()));
                Schedule.Missed missed = schedule.missed(times, due.now()).orElse(null);
                if (missed != null) {
                    webhooks.publish(connection, WebhookEvent.SCHEDULE_MISSED, SystemEvent.missed(schedule, missed));
                }
            }
            store(connection, plan, after);
            return new Done(new Pass(after.size(), Planned.fires(plan), unknownZones), plan);
        });
        report(done.plan());
        return done.pass();
    }

    /** A locked due schedule, and the database time. */
    private record Due(Schedule schedule, Schedule.Earlier earlier, Instant now) {}

    private List<Due> lockDue(Connection connection, Leadership leadership, @Nullable String key, int max)
            throws SQLException {
        try (Call call = lockDue.on(connection)) {
            return call.set("holder", leadership.holder())
                    .set("epoch", (Long) leadership.epoch())
                    .set("key", key)
                    .set("max", (Integer) max)
                    .list(row -> {
                        Set<Instant> fired = Set.copyOf(instants(row, "fired"));
                        var earlier = new Schedule.Earlier(fired, row.integer("going"), row.integer("held"));
                        return new Due(schedule(row), earlier, row.instant("now"));
                    });
        }
    }

    /** Stores fires and their jobs, and the advanced schedules, whose rows are locked. */
    void store(Connection connection, List<Planned> plan, List<Schedule> after) throws SQLException {
        if (plan.isEmpty() && after.isEmpty()) {
            return;
        }
        inserts.insertNew(connection, Planned.jobs(plan));
        List<Fire> fires = Planned.fires(plan);
        try (Call call = storeFires.on(connection)) {
            call.texts("fireKeys", column(fires, Fire::scheduleKey))
                    .instants("fireAts", column(fires, Fire::fireAt))
                    .set("firedAt", fires.isEmpty() ? null : fires.get(0).firedAt())
                    .uuids("jobIds", column(fires, fire -> value(fire.jobId())))
                    .shorts("causes", column(fires, fire -> fire.cause().code()))
                    .shorts("outcomes", column(fires, fire -> fire.outcome().code()))
                    .texts("keys", column(after, Schedule::key))
                    .instants("nextFireAts", column(after, Schedule::nextRunAt))
                    .longs("versions", column(after, Schedule::version))
                    .longs("runs", column(after, Schedule::runs))
                    .instants("lastFireAts", column(after, Schedule::lastRunAt))
                    .uuids("lastJobIds", column(after, schedule -> value(schedule.lastJobId())))
                    .update();
        }
    }

    private static @Nullable UUID value(@Nullable JobId id) {
        return id == null ? null : id.value();
    }

    /** Reports committed fires to listeners, and signals the workers of their jobs. */
    void report(List<Planned> plan) {
        List<JobSpec> jobs = Planned.jobs(plan);
        listeners.report(listener -> listener.enqueued(jobs));
        listeners.report(listener -> listener.fired(Planned.fires(plan)));
        plan.stream()
                .filter(PostgresScheduleFires::runsNow)
                .flatMap(planned -> Optional.ofNullable(planned.job()).stream())
                .map(JobSpec::queue)
                .distinct()
                .forEach(queue -> signals.send(new Signal(Signal.Kind.WORK, queue)));
        jobs.forEach(job -> signals.changed(job.id()));
    }

    private static boolean runsNow(Planned planned) {
        Instant now = planned.fire().firedAt();
        JobSpec job = planned.job();
        return job != null && !job.hold() && !job.runTime().resolve(now).isAfter(now);
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

    /** A row with the columns of a schedule. */
    static Schedule schedule(Row row) throws SQLException {
        Instant pausedAt = row.instantOrNull("paused_at");
        UUID lastJob = row.uuidOrNull("last_job_id");
        return new Schedule(
                spec(row),
                pausedAt == null
                        ? null
                        : new Pause(pausedAt, row.textOrNull("paused_by"), row.textOrNull("paused_note")),
                row.instant("created_at"),
                row.instant("updated_at"),
                row.bigint("runs"),
                row.instantOrNull("last_fire_at"),
                lastJob == null ? null : new JobId(lastJob),
                row.instantOrNull("next_fire_at"),
                row.bigint("version"));
    }

    private static ScheduleSpec spec(Row row) throws SQLException {
        var job = new JobTemplate(
                new DefinitionRef(row.text("definition_key"), row.integer("definition_version")),
                row.text("params"),
                row.text("queue"),
                -row.integer("rank"),
                row.integer("max_attempts"),
                Duration.ofSeconds(row.integer("timeout_seconds")),
                row.textOrNull("name"),
                row.labels("labels"),
                row.textOrNull("secrets"));
        int maxRuns = row.integer("max_runs");
        var timetable = new Timetable(
                timing(row),
                row.instantOrNull("start_at"),
                row.instantOrNull("end_at"),
                maxRuns == 0 ? null : maxRuns,
                Duration.ofSeconds(row.integer("jitter_seconds")));
        var catchUp = new CatchUp(
                CatchUp.Policy.valueOf(row.text("catch_up")),
                row.integer("catch_up_max"),
                Duration.ofSeconds(row.integer("catch_up_window_seconds")));
        return new ScheduleSpec(row.text("key"), job, timetable, catchUp, Overlap.valueOf(row.text("overlap")));
    }

    private static Timing timing(Row row) throws SQLException {
        String cron = row.textOrNull("cron");
        if (cron != null) {
            return new Cron(CronExpression.parse(cron), row.text("time_zone"), Cron.Dst.valueOf(row.text("dst")));
        }
        Instant anchor = row.instantOrNull("anchor");
        if (anchor != null) {
            return Timing.every(Duration.ofSeconds(row.integer("every_seconds")), anchor);
        }
        return new Timing.At(instants(row, "fire_times"));
    }

    private static List<Instant> instants(Row row, String column) throws SQLException {
        return Arrays.stream(row.array(column, Timestamp[].class))
                .map(Timestamp::toInstant)
                .toList();
    }
}
