package dev.longhaul.schedule;

import dev.longhaul.job.JobSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a leader wants a schedule to do now. A store does it only if the schedule still is as the leader saw it.
 *
 * @param fires the fire times that are to happen, in order; none when what was missed is not made up for
 * @param next its next fire time after that, however often it has fired
 */
public record Firing(
        Schedule schedule, List<Instant> fires, @Nullable Instant next) {
    private static final long MOST_COUNTED = 1000;

    /** One fire and its job; null if it makes none. */
    public record Planned(Instant fireAt, @Nullable JobSpec job) {}

    /**
     * Fire times that have come and do not happen.
     *
     * @param times how many, counted up to a thousand
     */
    public record Missed(Instant first, int times) {}

    /** What is missed with this, by {@code now}; empty when nothing is. */
    public Optional<Missed> missed(Instant now) {
        Instant due = schedule.nextRunAt();
        if (due == null || fires.contains(due)) {
            return Optional.empty();
        }
        int come = schedule.spec()
                .timetable()
                .fires(due.minusNanos(1), now, MOST_COUNTED + fires.size())
                .size();
        return come > fires.size() ? Optional.of(new Missed(due, come - fires.size())) : Optional.empty();
    }

    public String key() {
        return schedule.key();
    }

    public Overlap overlap() {
        return schedule.spec().overlap();
    }

    /**
     * What comes of each fire, by the schedule's {@link Overlap}.
     *
     * @param going how many jobs of earlier fires wait or run
     * @param held how many are held until others have ended
     * @param known fire times that have fired already, because somebody asked for them
     */
    public List<Planned> plan(int going, int held, Set<Instant> known) {
        List<Instant> fresh =
                fires.stream().filter(fire -> !known.contains(fire)).toList();
        var plan = new ArrayList<Planned>();
        int waiting = held;
        boolean busy = going + held > 0;
        for (int i = 0; i < fresh.size(); i++) {
            boolean last = i == fresh.size() - 1;
            boolean makesJob = switch (overlap()) {
                case ALLOW -> true;
                case SKIP -> !busy;
                case QUEUE_ONE -> waiting == 0;
                // Of several that are due at once, each would cancel the one before it.
                case CANCEL_PREVIOUS -> last;
            };
            boolean hold = busy && overlap() != Overlap.ALLOW;
            Instant fireAt = fresh.get(i);
            plan.add(new Planned(fireAt, makesJob ? schedule.spec().jobOf(fireAt, hold) : null));
            waiting += makesJob && hold ? 1 : 0;
            busy |= makesJob;
        }
        return plan;
    }

    /** The same without jobs, for those that the store refuses. */
    public List<Planned> planWithoutJobs(Set<Instant> known) {
        return fires.stream()
                .filter(fire -> !known.contains(fire))
                .map(fire -> new Planned(fire, null))
                .toList();
    }
}
