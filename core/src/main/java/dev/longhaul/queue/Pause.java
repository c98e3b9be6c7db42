package dev.longhaul.queue;

import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Limits;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The pause of a queue or a schedule: since when, by whom, and why. */
public record Pause(
        Instant since, @Nullable String by, @Nullable String note) {
    public Pause {
        by = by == null ? null : Text.storableOf(by, Limits.KEY);
        note = note == null ? null : Text.storableOf(note, Limits.NOTE);
    }
}
