package dev.longhaul.work;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The likely reason why a lease expired. It decides whether the job loses its attempt, and whether it counts a crash.
 */
public enum Lapse {
    /** The worker claimed the job and never began it: the job is not the cause, and its attempt is not spent. */
    UNBEGUN,
    /** The worker died soon after the run began: the job may be the cause. */
    YOUNG,
    /** The run had lasted for a while: its worker died of another cause. The attempt is spent. */
    LATE;

    /** Runs that die within this time of their start are suspected of having killed their worker. */
    public static final Duration PROBATION = Duration.ofSeconds(10);

    /**
     * Judges why the lease of a run expired.
     *
     * @param begun whether the store knows that the run's code began
     * @param heartbeatAt the last renewal of its lease, which proves that the worker was alive then; null if there was
     * none
     */
    public static Lapse of(boolean begun, Instant startedAt, @Nullable Instant heartbeatAt) {
        if (!begun) {
            return UNBEGUN;
        }
        boolean proven = heartbeatAt != null && !heartbeatAt.isBefore(startedAt.plus(PROBATION));
        return proven ? LATE : YOUNG;
    }
}
