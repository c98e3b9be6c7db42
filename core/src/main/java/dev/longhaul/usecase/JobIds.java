package dev.longhaul.usecase;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the ids of new jobs. A store rejects ids whose time differs from its own by a day or more. On a machine whose
 * clock is that wrong, ids use the store's clock, which is read after the store has rejected an id.
 */
final class JobIds {
    private static final Logger LOG = LoggerFactory.getLogger(JobIds.class);
    /** Smaller differences between the clocks are ignored. */
    private static final Duration TOLERATED = Duration.ofMinutes(5);

    private final Supplier<Instant> storeClock;
    private final LongSupplier machineClock;
    private final Uuid7 corrected = new Uuid7(this::correctedMillis);
    private volatile long correctionMillis;

    JobIds(Supplier<Instant> storeClock, LongSupplier machineClock) {
        this.storeClock = storeClock;
        this.machineClock = machineClock;
    }

    JobId next() {
        return correctionMillis == 0 ? JobId.next() : new JobId(corrected.next());
    }

    /** Whether a store has rejected an id because of its time. */
    static boolean isRefusal(LonghaulException failure) {
        return failure.code() == ErrorCode.INVALID_ARGUMENT
                && failure.errors().size() == 1
                && failure.errors().get(0).field().equals("jobId");
    }

    /** Whether this process may have created the id, rather than the caller. */
    boolean mayHaveMade(JobId id) {
        long made = id.madeAt().toEpochMilli();
        return isNear(made, machineClock.getAsLong()) || isNear(made, correctedMillis());
    }

    /** Reads the store's clock; ids created from now on have its time. */
    void followStore() {
        Instant now = storeClock.get();
        long difference = now.toEpochMilli() - machineClock.getAsLong();
        boolean agree = isNear(difference, 0);
        if (agree && correctionMillis != 0) {
            LOG.info("this machine's clock agrees with the database's clock again; ids of jobs follow it");
        } else if (!agree && !isNear(difference, correctionMillis)) {
            LOG.warn(
                    "this machine's clock is {} s {} the database's, which shows {}; ids of jobs follow the database's clock."
                            + " Run a time service (NTP) on both machines",
                    Math.abs(difference) / 1000,
                    difference > 0 ? "behind" : "ahead of",
                    now);
        }
        correctionMillis = agree ? 0 : difference;
    }

    private long correctedMillis() {
        return machineClock.getAsLong() + correctionMillis;
    }

    private static boolean isNear(long one, long other) {
        return Math.abs(one - other) <= TOLERATED.toMillis();
    }
}
