package dev.longhaul.postgres.faults;

/** A guarantee of the store that a history violates. */
record Violation(Kind kind, String what) {
    /** The violated guarantee. */
    enum Kind {
        /** An acknowledged job does not exist, or never ended. */
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
        /** A job continued after it had ended, without a retry. */
        TERMINAL_LEFT,
        /** Runs, attempts or crashes do not add up. */
        MISCOUNTED,
        /** The positions of a job's events are not 1, 2, 3, … */
        EVENT_GAP
    }
}
