package dev.longhaul.store;

import dev.longhaul.error.Problems;
import dev.longhaul.event.NewEvent;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Step;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a run reports while it goes on; stored together or, when its claim no longer holds, not at all. */
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
