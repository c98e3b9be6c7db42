package dev.longhaul;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.JobSpec;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.CronExpression;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing;
import dev.longhaul.schedule.Timing.Cron;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A requested schedule, not checked yet; null means the default. Each setter returns a new object, so that instances
 * can be shared. {@link #spec} checks everything at once.
 */
public final class NewSchedule {
    private static final Cron ANY = Cron.of("* * * * *");

    private String key;
    private @Nullable String definitionKey;
    private @Nullable Integer definitionVersion;
    private @Nullable String params;
    private JobOptions options = JobOptions.options();
    private @Nullable String cron;
    private @Nullable String timeZone;
    private Cron.@Nullable Dst dst;
    private @Nullable Duration every;
    private @Nullable Instant anchor;
    private @Nullable List<Instant> at;
    private @Nullable Instant startAt;
    private @Nullable Instant endAt;
    private @Nullable Integer maxRuns;
    private Duration jitter = Duration.ZERO;
    private CatchUp.Policy catchUp = CatchUp.DEFAULT.policy();
    private int catchUpMax = CatchUp.DEFAULT.max();
    private Duration catchUpWindow = CatchUp.DEFAULT.window();
    private Overlap overlap = Overlap.ALLOW;
    private @Nullable Boolean enabled;

    private NewSchedule(String key) {
        this.key = key;
    }

    private NewSchedule(NewSchedule other) {
        key = other.key;
        definitionKey = other.definitionKey;
        definitionVersion = other.definitionVersion;
        params = other.params;
        options = other.options;
        cron = other.cron;
        timeZone = other.timeZone;
        dst = other.dst;
        every = other.every;
        anchor = other.anchor;
        at = other.at;
        startAt = other.startAt;
        endAt = other.endAt;
        maxRuns = other.maxRuns;
        jitter = other.jitter;
        catchUp = other.catchUp;
        catchUpMax = other.catchUpMax;
        catchUpWindow = other.catchUpWindow;
        overlap = other.overlap;
        enabled = other.enabled;
    }

    /** Starts a schedule with that key and no other settings. */
    public static NewSchedule of(String key) {
        return new NewSchedule(key);
    }

    public static NewSchedule of(String key, Timing timing) {
        return of(key).timing(timing);
    }

    /** Copies the settings of an existing schedule, as a base for a changed one. */
    public static NewSchedule of(ScheduleSpec spec) {
        JobTemplate job = spec.job();
        Timetable timetable = spec.timetable();
        return of(spec.key())
                .definition(job.definition().key(), job.definition().version())
                .params(job.params())
                .name(job.name())
                .queue(job.queue())
                .priority(job.priority())
                .maxAttempts(job.maxAttempts())
                .labels(job.labels())
                .startAt(timetable.start())
                .endAt(timetable.end())
                .maxRuns(timetable.maxRuns())
                .jitter(timetable.jitter())
                .timing(timetable.timing())
                .catchUp(spec.catchUp())
                .overlap(spec.overlap());
    }

    /**
     * Returns the checked schedule; throws one exception with all of its problems.
     *
     * @param job returns the checked job, or throws one exception with all of its problems
     * @param now the anchor of {@code every} when no start is given
     */
    public ScheduleSpec spec(Function<NewSchedule, JobSpec> job, Instant now) {
        var problems = new Problems().require(Names.valid(key), "key", key, Names.RULE);
        JobSpec checked = problems.made(() -> job.apply(this));
        Timetable timetable = problems.made(() -> timetable(now));
        CatchUp missed = problems.made(() -> new CatchUp(catchUp, catchUpMax, catchUpWindow));
        problems.throwIfAny();
        if (checked == null || timetable == null || missed == null) {
            throw new IllegalStateException("a part of the schedule is missing, but no problem was reported");
        }
        return new ScheduleSpec(key, JobTemplate.of(checked), timetable, missed, overlap);
    }

    /** Returns the checked fire times; throws one exception with all of their problems. */
    public Timetable timetable(Instant now) {
        var problems = new Problems();
        Timing timing = timing(problems, now);
        // Limits are checked even if the timing is wrong, so that the author sees all problems at once.
        Timetable limits = problems.made(
                () -> new Timetable(timing == null ? ANY : timing, micros(startAt), micros(endAt), maxRuns, jitter));
        problems.throwIfAny();
        if (limits == null) {
            throw new IllegalStateException("the limits are missing, but no problem was reported");
        }
        return limits;
    }

    private @Nullable Timing timing(Problems problems, Instant now) {
        String expression = cron;
        Duration period = every;
        List<Instant> times = at;
        int given = (expression == null ? 0 : 1) + (period == null ? 0 : 1) + (times == null ? 0 : 1);
        problems.require(given == 1, "cron", given == 0 ? "none" : "and others", "one of cron, everySeconds and at")
                .require(expression != null || timeZone == null, "timeZone", timeZone, "none without cron")
                .require(expression != null || dst == null, "dst", dst, "none without cron");
        if (expression != null) {
            Cron zoned = problems.made(() -> timeZone == null ? ANY : ANY.zone(timeZone));
            CronExpression parsed = problems.made(() -> CronExpression.parse(expression));
            return zoned == null || parsed == null
                    ? null
                    : new Cron(parsed, zoned.zone(), dst == null ? Cron.Dst.RUN : dst);
        }
        if (period != null) {
            Instant from = anchor != null ? anchor : startAt != null ? startAt : now;
            return problems.made(() -> Timing.every(period, from));
        }
        return times == null ? null : problems.made(() -> new Timing.At(times));
    }

    /**
     * Returns these settings as an edit of a schedule with the timing {@code before}: an unchanged period keeps its
     * anchor, so that the next fire time does not move.
     */
    public NewSchedule continuing(Timetable before) {
        boolean same = before.timing() instanceof Timing.Every period
                && anchor == null
                && period.period().equals(every)
                && Objects.equals(before.start(), micros(startAt));
        return same && before.timing() instanceof Timing.Every period
                ? with(copy -> copy.anchor = period.anchor())
                : this;
    }

    private static @Nullable Instant micros(@Nullable Instant instant) {
        return instant == null ? null : instant.truncatedTo(ChronoUnit.MICROS);
    }

    private NewSchedule with(Consumer<NewSchedule> change) {
        var copy = new NewSchedule(this);
        change.accept(copy);
        return copy;
    }

    public NewSchedule key(String key) {
        return with(copy -> copy.key = key);
    }

    /**
     * The definition of its jobs.
     *
     * @param version null means the highest known when the schedule is stored
     */
    public NewSchedule definition(String definitionKey, @Nullable Integer version) {
        return with(copy -> {
            copy.definitionKey = definitionKey;
            copy.definitionVersion = version;
        });
    }

    /** Sets the params of its jobs, as JSON text. */
    public NewSchedule params(@Nullable String params) {
        return with(copy -> copy.params = params);
    }

    /** Sets a display name, which the jobs of the schedule get too. */
    public NewSchedule name(@Nullable String name) {
        return with(copy -> copy.options = options.name(name));
    }

    public NewSchedule queue(@Nullable String queue) {
        return with(copy -> copy.options = options.queue(queue));
    }

    public NewSchedule priority(@Nullable Integer priority) {
        return with(copy -> copy.options = options.priority(priority));
    }

    public NewSchedule maxAttempts(@Nullable Integer maxAttempts) {
        return with(copy -> copy.options = options.maxAttempts(maxAttempts));
    }

    public NewSchedule labels(Map<String, String> labels) {
        return with(copy -> copy.options = options.labels(labels));
    }

    /** Sets the fire times; replaces any timing given before. */
    public NewSchedule timing(Timing timing) {
        return untimed().with(copy -> {
            if (timing instanceof Cron byCron) {
                copy.cron = byCron.expression().toString();
                copy.timeZone = byCron.zone();
                copy.dst = byCron.dst();
            } else if (timing instanceof Timing.Every byPeriod) {
                copy.every = byPeriod.period();
                copy.anchor = byPeriod.anchor();
            } else if (timing instanceof Timing.At given) {
                copy.at = given.instants();
            }
        });
    }

    /** Clears cron, period and fixed times, so that a new timing can be set. */
    public NewSchedule untimed() {
        return with(copy -> {
            copy.cron = null;
            copy.timeZone = null;
            copy.dst = null;
            copy.every = null;
            copy.anchor = null;
            copy.at = null;
        });
    }

    public NewSchedule cron(@Nullable String expression) {
        return with(copy -> copy.cron = expression);
    }

    public NewSchedule timeZone(@Nullable String id) {
        return with(copy -> copy.timeZone = id);
    }

    public NewSchedule dst(Cron.@Nullable Dst dst) {
        return with(copy -> copy.dst = dst);
    }

    /**
     * Fires once per period of elapsed time. The first fire is at {@link #startAt}; without it, one period after the
     * schedule is stored.
     */
    public NewSchedule every(@Nullable Duration period) {
        return with(copy -> copy.every = period);
    }

    public NewSchedule at(@Nullable List<Instant> instants) {
        return with(copy -> copy.at = instants == null ? null : List.copyOf(instants));
    }

    /** Sets the earliest fire time, from which {@link #every} counts its periods. */
    public NewSchedule startAt(@Nullable Instant startAt) {
        return with(copy -> {
            copy.startAt = startAt;
            copy.anchor = null;
        });
    }

    public NewSchedule endAt(@Nullable Instant endAt) {
        return with(copy -> copy.endAt = endAt);
    }

    public NewSchedule maxRuns(@Nullable Integer maxRuns) {
        return with(copy -> copy.maxRuns = maxRuns);
    }

    public NewSchedule jitter(Duration jitter) {
        return with(copy -> copy.jitter = jitter);
    }

    public NewSchedule catchUp(CatchUp catchUp) {
        return catchUp(catchUp.policy(), catchUp.max(), catchUp.window());
    }

    /** Sets parts of {@link CatchUp}; null keeps the current value. */
    public NewSchedule catchUp(CatchUp.@Nullable Policy policy, @Nullable Integer max, @Nullable Duration window) {
        return with(copy -> {
            copy.catchUp = policy == null ? catchUp : policy;
            copy.catchUpMax = max == null ? catchUpMax : max;
            copy.catchUpWindow = window == null ? catchUpWindow : window;
        });
    }

    public NewSchedule overlap(Overlap overlap) {
        return with(copy -> copy.overlap = overlap);
    }

    /**
     * Enables or disables the schedule. Default: a new schedule is enabled, an edited one keeps its state, and a
     * schedule declared in code does not resume one that an operator paused.
     */
    public NewSchedule enabled(@Nullable Boolean enabled) {
        return with(copy -> copy.enabled = enabled);
    }

    public String key() {
        return key;
    }

    public @Nullable String definitionKey() {
        return definitionKey;
    }

    public @Nullable Integer definitionVersion() {
        return definitionVersion;
    }

    public @Nullable String params() {
        return params;
    }

    public JobOptions options() {
        return options;
    }

    public @Nullable Boolean enabled() {
        return enabled;
    }
}
