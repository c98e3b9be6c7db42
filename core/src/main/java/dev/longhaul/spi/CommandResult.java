package dev.longhaul.spi;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Job;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a {@link dev.longhaul.spi.JobCommand}.
 *
 * @param stored the job after the command; null if the command was accepted and is executed later
 * @param changed whether the command changed the job; false when it was already as requested
 */
public record CommandResult(@Nullable Job stored, boolean changed) {
    /** A command that was accepted and is executed later. */
    public static final CommandResult DEFERRED = new CommandResult(null, false);

    /** Whether the command was accepted and is executed later. */
    public boolean deferred() {
        return stored == null;
    }

    /** The job after the command. Throws {@code unavailable} if the command is executed later. */
    public Job job() {
        Job job = stored;
        if (job == null) {
            throw new LonghaulException(
                    ErrorCode.UNAVAILABLE,
                    "the command was accepted; it is executed when the store is available again");
        }
        return job;
    }
}
