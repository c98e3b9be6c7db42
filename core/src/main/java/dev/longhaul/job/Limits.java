package dev.longhaul.job;

import java.time.Duration;

/** The limits of the contract that every transport shares. */
public final class Limits {
    public static final int LOWEST_PRIORITY = -1000;
    public static final int HIGHEST_PRIORITY = 1000;
    /** Bytes of UTF-8 of params, of a result, of a step's result and of an event's payload, each. */
    public static final int JSON_BYTES = 256 * 1024;

    public static final int STEPS = 1000;
    public static final int LABELS = 16;
    public static final int LABEL_VALUE = 200;
    public static final int NAME = 200;
    public static final int KEY = 200;
    public static final int PROGRESS_MESSAGE = 1000;
    /** Characters of a note about a job or a queue. */
    public static final int NOTE = 1000;

    public static final int ERROR_MESSAGE = 4000;
    public static final int STACK = 16_000;
    public static final int MOST_ATTEMPTS = 1000;
    /**
     * Number of crashes of its own process after which a job is quarantined; after one crash fewer it is on its last
     * life.
     */
    public static final int CRASHES = 3;
    /**
     * Number of crashes after which a job is quarantined when the crashes killed its worker: one more than above,
     * because a worker also dies of other causes. During the last two of these crashes, the job ran without recently
     * started jobs beside it.
     */
    public static final int CRASHES_OF_WORKERS = 4;
    /** Jobs in one list page. */
    public static final int PAGE = 500;
    /** A page of a list ends when its large values (params, results, stacks, payloads) reach this many bytes. */
    public static final int PAGE_BYTES = 2 * 1024 * 1024;

    public static final Duration LONGEST_TIMEOUT = Duration.ofDays(30);
    /** How far ahead a job may be scheduled. */
    public static final Duration FARTHEST_RUN = Duration.ofDays(10 * 365);
    /** The largest difference between the time in a new job's id and the store's clock. */
    public static final Duration CLOCK_SKEW = Duration.ofDays(1);

    /** The age of the oldest ids that a store accepts from an intake: as long as its log keeps records. */
    public static final Duration OLDEST_DEFERRED = Duration.ofDays(7);

    private Limits() {}
}
