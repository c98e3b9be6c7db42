package dev.longhaul.postgres.faults;

/** A promise of the store that a history shows broken. */
record Violation(Kind kind, String what) {
    /** Which promise. */
    enum Kind {
        /** A job that was acknowledged is not there, or never ended. */
        LOST,
        /** Two owners of one run, or two accepted outcomes. */
        DOUBLED,
        /** An outcome was accepted from a run that no longer owned its job. */
        STALE_SUCCESS,
        /** A report was accepted from a run that no longer owned its job. */
        STALE_PROGRESS,
        /** A run began before its job was due. */
        EARLY_RUN,
        /** More jobs of a definition ran at once than its limit allows. */
        OVER_LIMIT,
        /** Jobs were not handed out by priority, then run time, then id. */
        WRONG_ORDER,
        /** A job went on after it had ended, though nobody retried it. */
        TERMINAL_LEFT,
        /** Runs, attempts or crashes do not add up. */
        MISCOUNTED,
        /** The positions of a job's events are not 1, 2, 3, … */
        EVENT_GAP
    }
}
