package dev.longhaul.process.child;

/** What worker and child say to each other, each with a few texts. */
public enum Word {
    // The child says
    /** The secret. */
    HELLO,
    /** Its definitions are loaded. */
    READY,
    /** Percent, message. */
    PROGRESS,
    /** Level, line, and its data as a JSON object, if it has some. */
    LOG,
    /** Name, JSON. */
    EMIT,
    /** Number, name: it has come to a step. */
    STEP,
    /** Number, JSON: it has done the step. */
    STEP_DONE,
    /** Number: it has failed to do the step. */
    STEP_FAILED,
    /** JSON. */
    RETURNED,
    /** Delay or time until when. */
    SNOOZED,
    /** Code, message, type, stack, and the delay until the next attempt, if there is to be one. */
    FAILED,
    /** The code ends its JVM, for no reason of the JVM's. */
    EXITING,

    // The worker says
    /** See {@link Assignment}. */
    RUN,
    /** Number: the step was never done, do it. */
    STEP_DO,
    /** Number, JSON: the step's result, stored. */
    STEP_RESULT,
    /** Number, message: the step cannot be stored. */
    STEP_REFUSED,
    /** Why. */
    STOP,
    DRAINING
}
