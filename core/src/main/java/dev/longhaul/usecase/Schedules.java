package dev.longhaul.usecase;

import dev.longhaul.JobDefinition;
import dev.longhaul.NewSchedule;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.PastFire;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.spi.SchedulePage;
import dev.longhaul.spi.ScheduleStore;
import dev.longhaul.spi.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes, changes and asks about schedules. All that is wrong with one is told at once, and nothing of it is stored; its params are
 * checked as those of a job would be.
 */
public final class Schedules {
    /** How many fires one backfill makes up for. */
    public static final int MOST_BACKFILLED = 1000;

    /** Jobs of a backfill run one after the other, so that they leave room for those of today. */
    private static final Duration BACKFILL_APART = Duration.ofSeconds(1);

    private static final int EDIT_TRIES = 10;
    private static final String NO_PARAMS = "{}";

    private final Jobs jobs;
    private final Store jobStore;
    private final ScheduleStore store;

    public Schedules(Jobs jobs, Store store) {
        this.jobs = jobs;
        this.jobStore = store;
        this.store = store.schedules();
    }

    // Making and changing

    public Schedule create(NewSchedule wish) {
        return create(wish, null);
    }

    /** Stores a new schedule, paused if it is not {@link NewSchedule#enabled}; refused if there is one of that key. */
    public Schedule create(NewSchedule wish, @Nullable String by) {
        return store.create(checked(wish), isPaused(wish), by);
    }

    /** Fails with all problems of a schedule, as storing it would; returns it unchanged. */
    public NewSchedule check(NewSchedule wish) {
        checked(wish);
        return wish;
    }

    /** Stores a new schedule for jobs of {@code definition}. */
    public <P> Schedule create(NewSchedule wish, JobDefinition<P, ?> definition, @Nullable P params) {
        return create(wish.definition(definition.ref().key(), definition.ref().version())
                .params(definition.params().write(params)));
    }

    /**
     * Makes a schedule what code says, whether or not there is one. One that was paused stays so; a new one is paused if it is not
     * {@link NewSchedule#enabled}.
     */
    public Schedule upsert(NewSchedule wish) {
        Optional<Schedule> before = find(wish.key());
        NewSchedule goingOn =
                before.map(known -> wish.goingOnFrom(known.spec().timetable())).orElse(wish);
        ScheduleSpec spec = checked(goingOn);
        return store.upsert(before.map(known -> hiding(spec, known.spec())).orElse(spec), isPaused(wish));
    }

    private static boolean isPaused(NewSchedule wish) {
        return Boolean.FALSE.equals(wish.enabled());
    }

    public Schedule edit(String key, UnaryOperator<NewSchedule> change) {
        return edit(key, change, null);
    }

    /**
     * Changes a schedule in one step; what {@code change} leaves as it is stays.
     *
     * @param by who pauses it, if this does
     */
    public Schedule edit(String key, UnaryOperator<NewSchedule> change, @Nullable String by) {
        for (int i = 0; i < EDIT_TRIES; i++) {
            ScheduleSpec before = get(key).spec();
            NewSchedule wish = edited(before, change);
            Optional<Schedule> edited = store.edit(before, hiding(checked(wish), before), wish.enabled(), by);
            if (edited.isPresent()) {
                return edited.get();
            }
        }
        throw new LonghaulException(
                ErrorCode.FAILED_PRECONDITION, "schedule " + key + " is being changed by others all the time");
    }

    /** The schedule with the secret places that it had before, whatever its definition marks now. */
    private static ScheduleSpec hiding(ScheduleSpec spec, ScheduleSpec before) {
        String secrets = Jobs.united(before.job().secrets(), spec.job().secrets());
        boolean sameKey =
                spec.job().definition().key().equals(before.job().definition().key());
        return sameKey
                ? new ScheduleSpec(
                        spec.key(), spec.job().withSecrets(secrets), spec.timetable(), spec.catchUp(), spec.overlap())
                : spec;
    }

    /** Fails with all problems of an edit, as storing it would; returns the schedule as it would be then. */
    public NewSchedule checkEdit(String key, UnaryOperator<NewSchedule> change) {
        return check(edited(get(key).spec(), change));
    }

    private static NewSchedule edited(ScheduleSpec before, UnaryOperator<NewSchedule> change) {
        NewSchedule wish = change.apply(NewSchedule.of(before)).key(before.key());
        return wish.goingOnFrom(before.timetable());
    }

    public Schedule pause(String key, @Nullable String by, @Nullable String note) {
        return store.pause(named(key), by, note);
    }

    /** Lets it fire again, from its next fire time after now. */
    public Schedule resume(String key) {
        return store.resume(named(key));
    }

    public void delete(String key) {
        store.delete(named(key));
    }

    // Asking for jobs

    /** Makes a job of it now. */
    public Fire trigger(String key, @Nullable String by) {
        return store.trigger(named(key), by);
    }

    /**
     * Makes the jobs of all its fire times from {@code from} to {@code to}, both included, that have made none as far as the history goes
     * back; they run one second apart, earliest first. At most {@value #MOST_BACKFILLED} at once.
     */
    public List<Fire> backfill(String key, Instant from, Instant to, @Nullable String by) {
        Timetable timetable = get(key).spec().timetable();
        Instant now = jobStore.now();
        new Problems()
                .require(!to.isAfter(now), "to", to, "not after now, " + now)
                .require(!from.isAfter(to), "from", from, "not after to, " + to)
                .throwIfAny();
        List<Instant> times = timetable.fires(justBefore(from), to, MOST_BACKFILLED + 1L);
        new Problems()
                .require(
                        times.size() <= MOST_BACKFILLED,
                        "from",
                        from,
                        "at most " + MOST_BACKFILLED + " fire times up to " + to)
                .throwIfAny();
        return store.backfill(key, times, BACKFILL_APART, by);
    }

    /** So that a range that begins at the first instant there is can be asked for, too. */
    private static Instant justBefore(Instant from) {
        return from.isAfter(Instant.EPOCH) ? from.minusNanos(1) : Instant.EPOCH;
    }

    // Looking

    public Optional<Schedule> find(String key) {
        return Names.valid(key) ? store.find(key) : Optional.empty();
    }

    public Schedule get(String key) {
        return find(key).orElseThrow(() -> Refusal.noSchedule(key));
    }

    public SchedulePage list(@Nullable String after, int limit) {
        requireCount("limit", limit);
        new Problems()
                .require(after == null || Names.valid(after), "cursor", after, "the nextCursor of another page")
                .throwIfAny();
        return store.list(after, limit);
    }

    /** Its next fire times, as if it were not paused. */
    public List<Instant> preview(String key, int count) {
        return preview(get(key), count);
    }

    /** The same of one that was just read. */
    public List<Instant> preview(Schedule schedule, int count) {
        requireCount("count", count);
        return schedule.spec().timetable().preview(previewFrom(schedule), schedule.runs(), count);
    }

    /** What is due and about to fire comes first. */
    private Instant previewFrom(Schedule schedule) {
        Instant next = schedule.nextRunAt();
        Instant now = jobStore.now();
        return next != null && next.isBefore(now) ? next.minusNanos(1) : now;
    }

    /** The next fire times of a schedule that is not stored; only what it says about time counts. */
    public List<Instant> preview(NewSchedule wish, int count) {
        requireCount("count", count);
        Instant now = jobStore.now();
        Timetable timetable = wish.timetable(now);
        timetable.firstAfter(now);
        return timetable.preview(now, 0, count);
    }

    /** What it has fired, latest fire time first, each with its job. */
    public List<PastFire> fires(String key, @Nullable Instant before, int limit) {
        requireCount("limit", limit);
        get(key);
        return store.fires(key, before, limit);
    }

    /** The params of its jobs with their secrets masked; null when neither it nor a definition says which they are. */
    public @Nullable String paramsToShow(Schedule schedule) {
        JobTemplate job = schedule.spec().job();
        return jobs.paramsToShow(job.definition(), job.params(), job.secrets());
    }

    private ScheduleSpec checked(NewSchedule wish) {
        return wish.spec(this::job, jobStore.now());
    }

    private JobSpec job(NewSchedule wish) {
        String definition = wish.definitionKey();
        if (definition == null) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    List.of(new FieldError("definitionKey", "none", "the definition that its jobs run")));
        }
        String params = wish.params();
        return jobs.spec(definition, wish.definitionVersion(), params == null ? NO_PARAMS : params, wish.options());
    }

    /** What no schedule can be called cannot be looked for either. */
    private static String named(String key) {
        if (!Names.valid(key)) {
            throw Refusal.noSchedule(key);
        }
        return key;
    }

    private static void requireCount(String field, int count) {
        new Problems()
                .require(count >= 1 && count <= Limits.PAGE, field, count, "1 to " + Limits.PAGE)
                .throwIfAny();
    }
}
