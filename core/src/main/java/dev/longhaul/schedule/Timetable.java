package dev.longhaul.schedule;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import dev.longhaul.schedule.Timing.Cron;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * When a schedule fires, and when the jobs of its fires run.
 *
 * @param start no fire before it
 * @param end no fire after it
 * @param maxRuns the most fires; null means no limit
 * @param jitter the longest random delay of a job after its fire time; it keeps schedules with the same fire time from
 * all starting at once
 */
public record Timetable(
        Timing timing,
        @Nullable Instant start,
        @Nullable Instant end,
        @Nullable Integer maxRuns,
        Duration jitter) {
    /** The rule that {@link #sane} checks, as error messages show it. */
    static final String SANE = "between 1970 and 2200";

    private static final Duration LONGEST_JITTER = Duration.ofDays(1);
    private static final Instant EARLIEST = Instant.EPOCH;
    private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

    public Timetable {
        new Problems()
                .require(sane(start), "startAt", start, SANE)
                .require(sane(end), "endAt", end, SANE)
                .require(start == null || end == null || end.isAfter(start), "endAt", end, "after startAt, " + start)
                .require(maxRuns == null || maxRuns >= 1, "maxRuns", maxRuns, ">= 1")
                .require(
                        !jitter.isNegative() && jitter.compareTo(LONGEST_JITTER) <= 0,
                        "jitterSeconds",
                        jitter.toSeconds(),
                        "0 to " + LONGEST_JITTER.toSeconds())
                .throwIfAny();
    }

    public static Timetable of(Timing timing) {
        return new Timetable(timing, null, null, null, Duration.ZERO);
    }

    /** The first fire time after {@code after}, regardless of {@code maxRuns}. */
    public Optional<Instant> nextAfter(Instant after) {
        if (!after.isBefore(LATEST)) {
            return Optional.empty();
        }
        Instant from = after.isBefore(EARLIEST) ? EARLIEST : after;
        if (start != null && from.isBefore(start)) {
            from = start.minusNanos(1);
        }
        return timing.nextAfter(from).filter(this::reaches);
    }

    /** The first fire time of a schedule that is created now; fails if it would never fire. */
    public Instant firstAfter(Instant now) {
        return nextAfter(now).orElseThrow(() -> neverFires(now));
    }

    /**
     * Returns the next {@code count} fire times after {@code after}; fewer if the schedule has fired {@code runs} times
     * and {@code maxRuns} allows fewer.
     */
    public List<Instant> preview(Instant after, long runs, int count) {
        return fires(after, LATEST, Math.min(count, runsLeft(runs)));
    }

    /** The first {@code most} fire times after {@code after} and up to {@code upTo}, regardless of {@code maxRuns}. */
    public List<Instant> fires(Instant after, Instant upTo, long most) {
        var fires = new ArrayList<Instant>();
        Optional<Instant> next = nextAfter(after);
        while (next.isPresent() && !next.get().isAfter(upTo) && fires.size() < most) {
            fires.add(next.get());
            next = nextAfter(next.get());
        }
        return fires;
    }

    /**
     * When the job of a fire runs. Deterministic: every process computes the same time for a schedule and fire time.
     */
    public Instant runAt(String key, Instant fire) {
        return fire.plusMillis(Math.floorMod(hash(key, fire), jitter.toMillis() + 1));
    }

    /**
     * Finds the first instant at or after {@code from} that is neither a fire time nor taken. A manual trigger must not
     * use the time of a scheduled fire.
     */
    public Instant freeFrom(Instant from, Predicate<Instant> taken) {
        Instant free = from.truncatedTo(ChronoUnit.MICROS);
        while (taken.test(free)
                || nextAfter(free.minusNanos(1)).filter(free::equals).isPresent()) {
            free = free.plus(1, ChronoUnit.MICROS);
        }
        return free;
    }

    /** Whether {@code end} allows that fire time. */
    boolean reaches(Instant fire) {
        return end == null || !fire.isAfter(end);
    }

    long runsLeft(long runs) {
        return maxRuns == null ? Long.MAX_VALUE : Math.max(0, maxRuns - runs);
    }

    /**
     * The fire times that are due at {@code now}, in order. Takes at most a few thousand steps, however long ago the
     * last one was.
     *
     * @param after fire times must be later than this instant
     * @param runs how often it has fired
     */
    public List<Instant> due(CatchUp catchUp, Instant after, Instant now, long runs) {
        return due(catchUp, after, now).stream().limit(runsLeft(runs)).toList();
    }

    private List<Instant> due(CatchUp catchUp, Instant after, Instant now) {
        Instant onTime = now.minus(CatchUp.ON_TIME);
        Optional<Instant> oldest = nextAfter(after);
        if (oldest.isEmpty() || !oldest.get().isBefore(onTime)) {
            return lastFires(after, now, Integer.MAX_VALUE);
        }
        boolean onlyOnTime =
                catchUp.policy() == CatchUp.Policy.SKIP || catchUp.window().compareTo(CatchUp.ON_TIME) < 0;
        // A fire that is exactly at the limit is still made up for.
        Instant opens = (onlyOnTime ? onTime : now.minus(catchUp.window())).minusNanos(1);
        int most = catchUp.policy() == CatchUp.Policy.ALL ? catchUp.max() : 1;
        return lastFires(opens.isAfter(after) ? opens : after, now, most);
    }

    /** The last {@code most} fire times after {@code after} and up to {@code upTo}. */
    List<Instant> lastFires(Instant after, Instant upTo, int most) {
        List<Instant> fires = fires(after, upTo, most + 1L);
        if (fires.size() <= most) {
            return fires;
        }
        // There may be millions of fire times: bisect the span, to the second, to find where the last ones begin.
        long tooEarly = 0;
        long lateEnough = Duration.between(after, upTo).toSeconds() + 1;
        while (lateEnough - tooEarly > 1) {
            long middle = (tooEarly + lateEnough) >>> 1;
            if (fires(after.plusSeconds(middle), upTo, most + 1L).size() > most) {
                tooEarly = middle;
            } else {
                lateEnough = middle;
            }
        }
        fires = fires(after.plusSeconds(tooEarly), upTo, Long.MAX_VALUE);
        return fires.subList(fires.size() - most, fires.size());
    }

    private LonghaulException neverFires(Instant now) {
        Optional<Instant> uncut = new Timetable(timing, start, null, null, jitter).nextAfter(now);
        FieldError problem;
        if (end != null && uncut.isPresent()) {
            problem = new FieldError("endAt", end.toString(), "not before the first fire time, " + uncut.get());
        } else if (timing instanceof Cron cron) {
            String expected = "a time in the next " + Cron.LONGEST_WAIT_YEARS + " years; this never fires";
            problem = new FieldError("cron", cron.expression().toString(), expected);
        } else {
            problem = new FieldError("at", timing.describe(), "a time in the future; this never fires");
        }
        return new LonghaulException(ErrorCode.INVALID_ARGUMENT, List.of(problem));
    }

    /**
     * A hash of a fire time. It is evenly distributed and the same in every Java version, because two leaders must
     * compute the same jitter.
     */
    private static long hash(String key, Instant fire) {
        long hash = key.hashCode() * 0x9E3779B97F4A7C15L + fire.getEpochSecond() * 31 + fire.getNano();
        hash = (hash ^ (hash >>> 30)) * 0xBF58476D1CE4E5B9L;
        hash = (hash ^ (hash >>> 27)) * 0x94D049BB133111EBL;
        return hash ^ (hash >>> 31);
    }

    /** Whether every store supports the instant. */
    static boolean sane(@Nullable Instant instant) {
        return instant == null || (instant.isAfter(EARLIEST) && instant.isBefore(LATEST));
    }
}
