package dev.longhaul.process.child;

/** The message types between worker and child. The comment of each lists its texts. */
public enum Word {
    // From the child
    /** The secret. */
    HELLO,
    /** Its definitions are loaded. */
    READY,
    /** Percent, message. */
    PROGRESS,
    /** Level, line, and its data as a JSON object, if any. */
    LOG,
    /** Name, JSON. */
    EMIT,
    /** Number, name: a step starts. */
    STEP,
    /** Number, JSON: the child has executed the step. */
    STEP_DONE,
    /** Number: the step has failed in the child. */
    STEP_FAILED,
    /** JSON. */
    RETURNED,
    /** Delay, or time of the next run. */
    SNOOZED,
    /** Code, message, type, stack, and the delay until the next attempt, if any. */
    FAILED,
    /** The JVM shuts down normally, for example after {@code System.exit}. */
    EXITING,

    // From the worker
    /** See {@link Assignment}. */
    RUN,
    /** Number: no result is stored; execute the step. */
    STEP_DO,
    /** Number, JSON: the stored result of the step. */
    STEP_RESULT,
    /** Number, message: the result of the step cannot be stored. */
    STEP_REFUSED,
    /** Reason. */
    STOP,
    DRAINING
}
