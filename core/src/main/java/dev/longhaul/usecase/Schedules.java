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
 * Creates, changes and reads schedules. A request with problems stores nothing, and all of its problems are reported at
 * once; its params are checked like the params of a job.
 */
public final class Schedules {
    /** The most fires of one backfill. */
    public static final int MOST_BACKFILLED = 1000;

    /** Jobs of a backfill run one after the other, so that they leave capacity for current jobs. */
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

    // Changes

    public Schedule create(NewSchedule draft) {
        return create(draft, null);
    }

    /** Stores a new schedule, paused if it is not {@link NewSchedule#enabled}; rejected if the key exists. */
    public Schedule create(NewSchedule draft, @Nullable String by) {
        return store.create(checked(draft), isPaused(draft), by);
    }

    /**
     * Checks a schedule without storing it; throws the same exception as storing it, with all problems. Returns {@code
     * draft}.
     */
    public NewSchedule check(NewSchedule draft) {
        checked(draft);
        return draft;
    }

    /** Stores a new schedule for jobs of {@code definition}. */
    public <P> Schedule create(NewSchedule draft, JobDefinition<P, ?> definition, @Nullable P params) {
        return create(draft.definition(definition.ref().key(), definition.ref().version())
                .params(definition.params().write(params)));
    }

    /**
     * Creates the schedule that code declares, or replaces the spec of an existing one. An existing schedule keeps its
     * pause; a new one is paused if it is not {@link NewSchedule#enabled}.
     */
    public Schedule upsert(NewSchedule draft) {
        Optional<Schedule> before = find(draft.key());
        NewSchedule continued =
                before.map(known -> draft.continuing(known.spec().timetable())).orElse(draft);
        ScheduleSpec spec = checked(continued);
        return store.upsert(before.map(known -> hiding(spec, known.spec())).orElse(spec), isPaused(draft));
    }

    private static boolean isPaused(NewSchedule draft) {
        return Boolean.FALSE.equals(draft.enabled());
    }

    public Schedule edit(String key, UnaryOperator<NewSchedule> change) {
        return edit(key, change, null);
    }

    /**
     * Changes a schedule in one step; settings that {@code change} does not touch stay.
     *
     * @param by the caller's name, stored if this edit pauses the schedule
     */
    public Schedule edit(String key, UnaryOperator<NewSchedule> change, @Nullable String by) {
        for (int i = 0; i < EDIT_TRIES; i++) {
            ScheduleSpec before = get(key).spec();
            NewSchedule draft = edited(before, change);
            Optional<Schedule> edited = store.edit(before, hiding(checked(draft), before), draft.enabled(), by);
            if (edited.isPresent()) {
                return edited.get();
            }
        }
        throw new LonghaulException(
                ErrorCode.FAILED_PRECONDITION, "schedule " + key + ": too many concurrent edits; try again");
    }

    /** The schedule with its previous secret places added, regardless of what its definition marks now. */
    private static ScheduleSpec hiding(ScheduleSpec spec, ScheduleSpec before) {
        String secrets = Jobs.united(before.job().secrets(), spec.job().secrets());
        boolean sameKey =
                spec.job().definition().key().equals(before.job().definition().key());
        return sameKey
                ? new ScheduleSpec(
                        spec.key(), spec.job().withSecrets(secrets), spec.timetable(), spec.catchUp(), spec.overlap())
                : spec;
    }

    /**
     * Checks an edit without storing it; throws the same exception as storing it, with all problems. Returns the
     * schedule after the edit.
     */
    public NewSchedule checkEdit(String key, UnaryOperator<NewSchedule> change) {
        return check(edited(get(key).spec(), change));
    }

    private static NewSchedule edited(ScheduleSpec before, UnaryOperator<NewSchedule> change) {
        NewSchedule draft = change.apply(NewSchedule.of(before)).key(before.key());
        return draft.continuing(before.timetable());
    }

    public Schedule pause(String key, @Nullable String by, @Nullable String note) {
        return store.pause(named(key), by, note);
    }

    /** Resumes the schedule at its next fire time after now. */
    public Schedule resume(String key) {
        return store.resume(named(key));
    }

    public void delete(String key) {
        store.delete(named(key));
    }

    // Requested jobs

    /** Creates a job of the schedule now. */
    public Fire trigger(String key, @Nullable String by) {
        return store.trigger(named(key), by);
    }

    /**
     * Creates the jobs of all fire times from {@code from} to {@code to}, both inclusive, except fire times for which
     * the stored history has a job; the jobs run one second apart, earliest first. At most {@value #MOST_BACKFILLED} at
     * once.
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

    /** The instant before {@code from}; the earliest possible instant stays as it is. */
    private static Instant justBefore(Instant from) {
        return from.isAfter(Instant.EPOCH) ? from.minusNanos(1) : Instant.EPOCH;
    }

    // Reads

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

    /** Returns the next fire times of a schedule, even if it is paused. */
    public List<Instant> preview(String key, int count) {
        return preview(get(key), count);
    }

    /** The next fire times of a schedule that was just read. */
    public List<Instant> preview(Schedule schedule, int count) {
        requireCount("count", count);
        return schedule.spec().timetable().preview(previewFrom(schedule), schedule.runs(), count);
    }

    /**
     * Returns the instant from which a preview starts, so that it includes a fire time that is due and about to fire.
     */
    private Instant previewFrom(Schedule schedule) {
        Instant next = schedule.nextRunAt();
        Instant now = jobStore.now();
        return next != null && next.isBefore(now) ? next.minusNanos(1) : now;
    }

    /** The next fire times of a schedule that is not stored; uses only its timing settings. */
    public List<Instant> preview(NewSchedule draft, int count) {
        requireCount("count", count);
        Instant now = jobStore.now();
        Timetable timetable = draft.timetable(now);
        timetable.firstAfter(now);
        return timetable.preview(now, 0, count);
    }

    /** Past fires, latest fire time first, each with its job. */
    public List<PastFire> fires(String key, @Nullable Instant before, int limit) {
        requireCount("limit", limit);
        get(key);
        return store.fires(key, before, limit);
    }

    /**
     * The params of a schedule's jobs with their secrets masked; null when neither the schedule nor a definition
     * declares its secrets.
     */
    public @Nullable String paramsToShow(Schedule schedule) {
        JobTemplate job = schedule.spec().job();
        return jobs.paramsToShow(job.definition(), job.params(), job.secrets());
    }

    private ScheduleSpec checked(NewSchedule draft) {
        return draft.spec(this::job, jobStore.now());
    }

    private JobSpec job(NewSchedule draft) {
        String definition = draft.definitionKey();
        if (definition == null) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    List.of(new FieldError("definitionKey", "none", "the definition that its jobs run")));
        }
        String params = draft.params();
        return jobs.spec(definition, draft.definitionVersion(), params == null ? NO_PARAMS : params, draft.options());
    }

    /** No schedule can have an invalid key: it is reported as not found. */
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
