package dev.longhaul.spi;

import dev.longhaul.job.Failure;
import dev.longhaul.job.RunTime;
import java.time.Duration;

/** What came of an execution. */
public sealed interface Outcome {
    /** The code returned; {@code result} is JSON text that fits the definition's schema. */
    record Returned(String result) implements Outcome {}

    /** The code wants to be called again later. */
    record Snoozed(RunTime until) implements Outcome {}

    /** The code failed; {@code error} is what the retry policy looks at. */
    record Threw(Throwable error) implements Outcome {}

    /** The code failed, and whoever knows its retry policy has asked that: how long to wait for the next attempt. */
    record Failed(Failure failure, Duration retryAfter) implements Outcome {}

    /** There is no use in trying again. */
    record Refused(Failure failure) implements Outcome {}

    /** The params do not fit this version of the code, so it was not called. */
    record Unreadable(Failure failure) implements Outcome {}

    /** The process that ran the code died without a word. */
    record Crashed(Failure failure) implements Outcome {}
}
