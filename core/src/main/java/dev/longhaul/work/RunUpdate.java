package dev.longhaul.work;

import dev.longhaul.error.Problems;
import dev.longhaul.event.NewEvent;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Step;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A report of a running job; stored as a whole or, when its claim no longer holds, not at all. Progress and steps that
 * are already stored create no event, so that a report can be sent again when its response was lost.
 */
public record RunUpdate(Claim claim, @Nullable Progress progress, List<Step> steps, List<NewEvent> events) {
    public RunUpdate {
        steps = List.copyOf(steps);
        events = List.copyOf(events);
        var problems = new Problems();
        for (int i = 1; i < events.size(); i++) {
            int previous = events.get(i - 1).sequence();
            int sequence = events.get(i).sequence();
            problems.require(sequence > previous, "sequence", sequence, "> " + previous + ", strictly rising");
        }
        problems.throwIfAny();
    }

    /** Rejects two updates of the same claim: their order would be unknown. */
    public static void requireOnePerClaim(List<RunUpdate> updates) {
        var claims = new HashSet<Claim>();
        var problems = new Problems();
        updates.forEach(update ->
                problems.require(claims.add(update.claim()), "updates", update.claim(), "at most one per claim"));
        problems.throwIfAny();
    }

    public static RunUpdate progress(Claim claim, Progress progress) {
        return new RunUpdate(claim, progress, List.of(), List.of());
    }

    public static RunUpdate step(Claim claim, Step step) {
        return new RunUpdate(claim, null, List.of(step), List.of());
    }

    public static RunUpdate events(Claim claim, List<NewEvent> events) {
        return new RunUpdate(claim, null, List.of(), events);
    }
}
