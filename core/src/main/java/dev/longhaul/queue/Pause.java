package dev.longhaul.queue;

import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Limits;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** That a queue hands out no jobs, or that a schedule does not fire: since when, who said so, and why. */
public record Pause(
        Instant since, @Nullable String by, @Nullable String note) {
    public Pause {
        by = by == null ? null : Text.storableOf(by, Limits.KEY);
        note = note == null ? null : Text.storableOf(note, Limits.NOTE);
    }
}
