package dev.longhaul.memory;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.queue.Pause;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.PastFire;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.Schedule.Planned;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.ScheduleFires;
import dev.longhaul.spi.SchedulePage;
import dev.longhaul.spi.ScheduleStore;
import dev.longhaul.spi.Signal;
import dev.longhaul.webhook.SystemEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Schedules and fires of this process. */
final class MemorySchedules implements ScheduleStore, ScheduleFires {
    private static final Comparator<HeldJob> EARLIEST_FIRST =
            Comparator.<HeldJob, Instant>comparing(job -> job.fire().fireAt()).thenComparing(HeldJob::id);
    private static final Comparator<Schedule> LONGEST_DUE_FIRST = Comparator.comparing(
                    Schedule::nextRunAt, Comparator.nullsLast(Comparator.naturalOrder()))
            .thenComparing(Schedule::key);

    private final NavigableMap<String, Schedule> schedules = new TreeMap<>();
    private final Map<String, NavigableMap<Instant, Fire>> fires = new HashMap<>();
    private final StoreLock lock;
    private final JobIndex jobs;
    private final Inserts inserts;
    private final Leader leader;
    private final MemoryWebhooks webhooks;

    MemorySchedules(StoreLock lock, JobIndex jobs, Inserts inserts, Leader leader, MemoryWebhooks webhooks) {
        this.lock = lock;
        this.jobs = jobs;
        this.inserts = inserts;
        this.leader = leader;
        this.webhooks = webhooks;
    }

    @Override
    public Schedule create(ScheduleSpec spec, boolean paused, @Nullable String by) {
        return lock.write(now -> {
            if (schedules.containsKey(spec.key())) {
                throw Refusal.scheduleExists(spec.key());
            }
            Schedule created = stored(Schedule.created(spec, ScheduleStore.pauseOf(paused, by, now), now));
            lock.audit().add(now, "schedule.create", spec.key(), () -> AuditDetails.created(created));
            return created;
        });
    }

    @Override
    public Schedule upsert(ScheduleSpec spec, boolean paused) {
        return lock.write(now -> stored(
                Schedule.upserted(schedules.get(spec.key()), spec, ScheduleStore.pauseOf(paused, null, now), now)));
    }

    @Override
    public Optional<Schedule> edit(
            ScheduleSpec before, ScheduleSpec after, @Nullable Boolean enabled, @Nullable String by) {
        return lock.write(now -> {
            Schedule schedule = existing(before.key());
            if (!schedule.spec().equals(before)) {
                return Optional.empty();
            }
            Schedule edited = stored(schedule.edited(after, enabled, by, now));
            lock.audit().add(now, "schedule.edit", before.key(), () -> AuditDetails.edited(schedule, edited));
            return Optional.of(edited);
        });
    }

    @Override
    public Schedule pause(String key, @Nullable String by, @Nullable String note) {
        return lock.write(now -> {
            var pause = new Pause(now, by, note);
            Schedule paused = stored(existing(key).paused(pause));
            lock.audit().add(now, "schedule.pause", key, () -> AuditDetails.of(pause));
            return paused;
        });
    }

    @Override
    public Schedule resume(String key) {
        return lock.write(now -> {
            Schedule resumed = stored(existing(key).resumed(now));
            lock.audit().add(now, "schedule.resume", key);
            return resumed;
        });
    }

    @Override
    public void delete(String key) {
        lock.update(now -> {
            existing(key);
            schedules.remove(key);
            fires.remove(key);
            lock.audit().add(now, "schedule.delete", key);
        });
    }

    @Override
    public Optional<Schedule> find(String key) {
        return lock.read(() -> Optional.ofNullable(schedules.get(key)));
    }

    @Override
    public SchedulePage list(@Nullable String after, int limit) {
        return lock.read(() -> {
            var rest = after == null ? schedules : schedules.tailMap(after, false);
            return SchedulePage.of(List.copyOf(rest.values()), rest.size(), limit);
        });
    }

    @Override
    public List<PastFire> fires(String key, @Nullable Instant before, int limit) {
        return lock.read(() -> {
            var all = firesOf(key).descendingMap();
            var rest = before == null ? all : all.tailMap(before, false);
            return rest.values().stream().limit(limit).map(this::withJob).toList();
        });
    }

    private PastFire withJob(Fire fire) {
        JobId id = fire.jobId();
        StoredJob job = id == null ? null : jobs.find(id);
        return new PastFire(fire, job == null ? null : job.view(lock.now()));
    }

    @Override
    public Fire trigger(String key, @Nullable String by) {
        return lock.write(now -> {
            Schedule schedule = existing(key);
            Instant fireAt = schedule.spec().timetable().freeFrom(now, firesOf(key)::containsKey);
            Planned planned = schedule.planRequested(Fire.Cause.TRIGGERED, fireAt, now, by, now);
            Fire fire = planned.fire();
            store(List.of(planned), now);
            schedules.put(key, schedule.triggered(fire));
            lock.audit().add(now, "schedule.trigger", key, () -> AuditDetails.fired(List.of(fire)));
            return fire;
        });
    }

    @Override
    public List<Fire> backfill(String key, List<Instant> fireTimes, Duration apart, @Nullable String by) {
        return lock.write(now -> {
            Schedule schedule = existing(key);
            var plan = new ArrayList<Planned>();
            for (Instant fireAt : fireTimes) {
                Fire before = firesOf(key).get(fireAt);
                if (before == null || before.outcome() != Fire.Outcome.CREATED) {
                    Instant runAt = now.plus(apart.multipliedBy(plan.size()));
                    plan.add(schedule.planRequested(Fire.Cause.BACKFILLED, fireAt, runAt, by, now));
                }
            }
            store(plan, now);
            schedules.put(key, schedule.backfilled());
            List<Fire> created = Planned.fires(plan);
            lock.audit().add(now, "schedule.backfill", key, () -> AuditDetails.fired(created));
            return created;
        });
    }

    @Override
    public Optional<Duration> untilNextDue() {
        return lock.read(() -> upcoming().findFirst().map(schedule -> {
            Duration wait = Duration.between(lock.now(), dueAt(schedule));
            return wait.isNegative() ? Duration.ZERO : wait;
        }));
    }

    private Stream<Schedule> upcoming() {
        return schedules.values().stream()
                .filter(schedule -> schedule.nextRunAt() != null)
                .sorted(LONGEST_DUE_FIRST);
    }

    private static Instant dueAt(Schedule schedule) {
        return Objects.requireNonNull(schedule.nextRunAt());
    }

    @Override
    public Pass fireDue(Leadership leadership, int max) {
        return lock.write(now -> {
            if (!leader.leads(leadership)) {
                return Pass.NOTHING;
            }
            List<Schedule> due = upcoming()
                    .filter(schedule -> !dueAt(schedule).isAfter(now))
                    .limit(max)
                    .toList();
            var unknownZones = new ArrayList<String>();
            var created = new ArrayList<Fire>();
            for (Schedule schedule : due) {
                if (schedule.spec().timetable().timing().known()) {
                    created.addAll(fire(schedule, now));
                } else {
                    unknownZones.add(schedule.key());
                }
            }
            return new Pass(due.size() - unknownZones.size(), created, unknownZones);
        });
    }

    private List<Fire> fire(Schedule schedule, Instant now) {
        String key = schedule.key();
        List<StoredJob> others = schedule.spec().overlap() == Overlap.ALLOW
                ? List.of()
                : jobsOf(key).toList();
        int going = (int)
                others.stream().filter(job -> job.state() != JobState.CREATED).count();
        var earlier = new Schedule.Earlier(Set.copyOf(firesOf(key).keySet()), going, others.size() - going);
        List<Instant> due = schedule.dueAt(now);
        List<Planned> plan = schedule.plan(due, earlier, now);
        try {
            store(plan, now);
        } catch (LonghaulException refused) {
            plan = schedule.planRefused(due, earlier, now);
            store(plan, now);
        }
        schedules.put(key, schedule.fired(Planned.fires(plan), now));
        schedule.missed(due, now)
                .ifPresent(missed ->
                        webhooks.publish(WebhookEvent.SCHEDULE_MISSED, SystemEvent.missed(schedule, missed), now));
        return Planned.fires(plan);
    }

    @Override
    public List<HeldJob> held(@Nullable HeldJob after, int max) {
        return lock.read(() -> jobs.all().stream()
                .filter(job -> job.state() == JobState.CREATED && job.spec().schedule() != null)
                .map(this::held)
                .filter(job -> after == null || EARLIEST_FIRST.compare(job, after) > 0)
                .sorted(EARLIEST_FIRST)
                .limit(max)
                .toList());
    }

    private HeldJob held(StoredJob job) {
        String key = fireOf(job).scheduleKey();
        Schedule schedule = schedules.get(key);
        boolean cancels = schedule != null && schedule.spec().overlap() == Overlap.CANCEL_PREVIOUS;
        List<JobId> ahead = jobsOf(key)
                .filter(other -> fireAt(other).isBefore(fireAt(job)))
                .map(StoredJob::id)
                .toList();
        return new HeldJob(job.id(), fireOf(job), cancels, ahead);
    }

    /** Jobs of the schedule that have not ended, without backfilled jobs: later fires do not wait for those. */
    private Stream<StoredJob> jobsOf(String key) {
        var known = firesOf(key);
        return jobs.all().stream()
                .filter(job -> !job.state().terminal() && job.spec().schedule() != null)
                .filter(job -> fireOf(job).scheduleKey().equals(key))
                .filter(job -> {
                    Fire fire = known.get(fireAt(job));
                    return fire == null || fire.cause() != Fire.Cause.BACKFILLED;
                });
    }

    /** Removes fires before that time; the caller holds the store's lock. */
    void forgetBefore(Instant cutoff) {
        fires.values()
                .forEach(all -> all.values().removeIf(fire -> fire.firedAt().isBefore(cutoff)));
    }

    private NavigableMap<Instant, Fire> firesOf(String key) {
        return fires.computeIfAbsent(key, none -> new TreeMap<>());
    }

    private Schedule existing(String key) {
        Schedule schedule = schedules.get(key);
        if (schedule == null) {
            throw Refusal.noSchedule(key);
        }
        return schedule;
    }

    private Schedule stored(Schedule schedule) {
        if (!schedule.equals(schedules.put(schedule.key(), schedule))) {
            lock.sendLater(new Signal(Signal.Kind.SCHEDULE, schedule.key()));
        }
        return schedule;
    }

    /** Stores jobs and fires; none of them if a job is rejected. */
    private void store(List<Planned> plan, Instant now) {
        List<JobSpec> specs = Planned.jobs(plan);
        List<Fire> planned = Planned.fires(plan);
        inserts.insert(specs, now);
        lock.reportLater(listener -> listener.enqueued(specs));
        planned.forEach(fire -> firesOf(fire.scheduleKey()).put(fire.fireAt(), fire));
        lock.reportLater(listener -> listener.fired(planned));
    }

    private static ScheduleFire fireOf(StoredJob job) {
        return Objects.requireNonNull(job.spec().schedule());
    }

    private static Instant fireAt(StoredJob job) {
        return fireOf(job).fireAt();
    }
}
