package dev.longhaul.work;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a lapsed lease says about the job whose run it was. */
public enum Lapse {
    /** The worker claimed the job and never began it: the job is not to blame, and its attempt is not spent. */
    UNBEGUN,
    /** The worker died soon after the run began: the job is one of the suspects. */
    YOUNG,
    /** The run had gone well for a while: its worker died of something else. The attempt is spent. */
    LATE;

    /** Runs that die within this time of their start are suspected of having killed their worker. */
    public static final Duration PROBATION = Duration.ofSeconds(10);

    /**
     * What the lapse of a run says.
     *
     * @param begun whether the store knows that the run's code began
     * @param heartbeatAt the last renewal of its lease, the last time it was certainly alive
     */
    public static Lapse of(boolean begun, Instant startedAt, @Nullable Instant heartbeatAt) {
        if (!begun) {
            return UNBEGUN;
        }
        boolean proven = heartbeatAt != null && !heartbeatAt.isBefore(startedAt.plus(PROBATION));
        return proven ? LATE : YOUNG;
    }
}
