package dev.longhaul.process.child;

/** The types of messages between worker and child. The comment of each type lists the texts of the message. */
public enum Word {
    // Messages from the child
    /** The first message of the child. Texts: the secret. */
    HELLO,
    /** The child has loaded its definitions. No texts. */
    READY,
    /** Progress of the run. Texts: percent, message. */
    PROGRESS,
    /** A line of the job's log. Texts: level, line, and the line's data as a JSON object, if it has any. */
    LOG,
    /** A custom event. Texts: name, JSON. */
    EMIT,
    /** A step starts. Texts: number of the step, name. */
    STEP,
    /** The child has executed a step. Texts: number of the step, result as JSON. */
    STEP_DONE,
    /** A step has failed in the child. Texts: number of the step. */
    STEP_FAILED,
    /** The run has succeeded. Texts: the result as JSON. */
    RETURNED,
    /** The run snoozes its job. Texts: either the delay until the next run, or the time of the next run. */
    SNOOZED,
    /** The run has failed. Texts: code, message, type, stack, and the delay until the next attempt, if any. */
    FAILED,
    /** The JVM is shutting down normally, for example after {@code System.exit}. No texts. */
    EXITING,

    // Messages from the worker
    /** Assigns a run. Texts: the fields of an {@link Assignment}. */
    RUN,
    /** No result of the step is stored, so the child executes it. Texts: number of the step. */
    STEP_DO,
    /** The stored result of a step, which the child does not execute. Texts: number of the step, result as JSON. */
    STEP_RESULT,
    /** The result of a step cannot be stored. Texts: number of the step, message. */
    STEP_REFUSED,
    /** Requests the run to end. Texts: the reason. */
    STOP,
    DRAINING
}
