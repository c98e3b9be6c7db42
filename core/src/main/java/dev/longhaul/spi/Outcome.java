package dev.longhaul.spi;

import dev.longhaul.job.Failure;
import dev.longhaul.job.RunAt;
import java.time.Duration;

/** The outcome of an execution. */
public sealed interface Outcome {
    /** The code returned; {@code result} is JSON text that fits the definition's schema. */
    record Returned(String result) implements Outcome {}

    /** The code requested to run again later. */
    record Snoozed(RunAt until) implements Outcome {}

    /** The code failed. The definition's retry policy decides by {@code error} whether it is tried again. */
    record Threw(Throwable error) implements Outcome {}

    /**
     * The code failed in a process that knows its retry policy: {@code retryAfter} is the wait before the next attempt.
     */
    record Failed(Failure failure, Duration retryAfter) implements Outcome {}

    /** The job fails permanently, because a retry would fail too. */
    record Refused(Failure failure) implements Outcome {}

    /** The params do not fit this version of the code, so it was not called. */
    record Unreadable(Failure failure) implements Outcome {}

    /** The process that ran the code died without reporting an outcome. */
    record Crashed(Failure failure) implements Outcome {}

    /** The code ended, or did not begin, for a reason outside the job. The job runs again; its attempt is not spent. */
    record GivenBack(Failure reason, RunAt when) implements Outcome {}

    /**
     * The code continues without this worker ({@link Executor.Lasting}). Nothing is stored: the claim stays held until
     * its lease expires, so that another worker can take the run over.
     */
    record LeftRunning() implements Outcome {}
}
