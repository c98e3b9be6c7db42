package dev.longhaul.worker;

import dev.longhaul.job.Failure;
import dev.longhaul.job.RunTime;

/** What came of an execution. */
public sealed interface Outcome {
    /** The code returned; {@code result} is JSON text that fits the definition's schema. */
    record Returned(String result) implements Outcome {}

    /** The code wants to be called again later. */
    record Snoozed(RunTime until) implements Outcome {}

    /** The code failed; {@code error} is what the retry policy looks at. */
    record Threw(Throwable error) implements Outcome {}

    /** There is no use in trying again. */
    record Refused(Failure failure) implements Outcome {}
}
