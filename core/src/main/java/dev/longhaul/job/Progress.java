package dev.longhaul.job;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Text;
import org.jspecify.annotations.Nullable;

/** The progress of a job in percent, and its message. */
public record Progress(int percent, @Nullable String message) {
    public static final Progress NONE = new Progress(0, null);

    public Progress {
        new Problems()
                .require(percent >= 0 && percent <= 100, "progress", percent, "0 to 100")
                .throwIfAny();
        message = message == null ? null : Text.storableOf(message, Limits.PROGRESS_MESSAGE);
    }
}
