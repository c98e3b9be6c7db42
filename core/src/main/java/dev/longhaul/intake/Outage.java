package dev.longhaul.intake;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the store while it is available. During an outage, one call at a time tries it; other calls do not wait. */
final class Outage {
    private static final Logger LOG = LoggerFactory.getLogger(Outage.class);
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final String meanwhile;
    private final LongSupplier nanos;
    private final AtomicBoolean trying = new AtomicBoolean();
    private volatile boolean unavailable;
    private volatile long lastFailure;

    /** @param meanwhile what happens during an outage, for the log */
    Outage(String meanwhile, LongSupplier nanos) {
        this.meanwhile = meanwhile;
        this.nanos = nanos;
    }

    /** Returns the result of the call, which is not null; null if the store is unavailable or was a moment ago. */
    <T> @Nullable T ifAvailable(Supplier<T> call) {
        if (!unavailable) {
            return result(call);
        }
        if (nanos.getAsLong() - lastFailure < INTERVAL_NANOS || !trying.compareAndSet(false, true)) {
            return null;
        }
        try {
            return result(call);
        } finally {
            trying.set(false);
        }
    }

    private <T> @Nullable T result(Supplier<T> call) {
        try {
            T result = call.get();
            ended();
            return result;
        } catch (LonghaulException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                ended();
                throw e;
            }
            began(e);
            return null;
        }
    }

    private void began(LonghaulException failure) {
        lastFailure = nanos.getAsLong();
        if (!unavailable) {
            unavailable = true;
            LOG.warn("{}; until the store is available again, {}", failure.getMessage(), meanwhile);
        }
    }

    private void ended() {
        if (unavailable) {
            unavailable = false;
            LOG.info("store available again");
        }
    }
}
