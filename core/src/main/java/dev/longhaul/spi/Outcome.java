package dev.longhaul.spi;

import dev.longhaul.job.Failure;
import dev.longhaul.job.RunTime;
import java.time.Duration;

/** The outcome of an execution. */
public sealed interface Outcome {
    /** The code returned; {@code result} is JSON text that fits the definition's schema. */
    record Returned(String result) implements Outcome {}

    /** The code asked to run again later. */
    record Snoozed(RunTime until) implements Outcome {}

    /** The code failed; the retry policy decides by {@code error}. */
    record Threw(Throwable error) implements Outcome {}

    /**
     * The code failed, and the process that knows its retry policy has applied it: how long to wait for the next
     * attempt.
     */
    record Failed(Failure failure, Duration retryAfter) implements Outcome {}

    /** Retrying is pointless. */
    record Refused(Failure failure) implements Outcome {}

    /** The params do not fit this version of the code, so it was not called. */
    record Unreadable(Failure failure) implements Outcome {}

    /** The process that ran the code died without reporting an outcome. */
    record Crashed(Failure failure) implements Outcome {}
}
