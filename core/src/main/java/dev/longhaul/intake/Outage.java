package dev.longhaul.intake;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the store while it is available. During an outage, one call per interval tries it; other calls do not wait. */
final class Outage {
    private static final Logger LOG = LoggerFactory.getLogger(Outage.class);
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final String meanwhile;
    private final LongSupplier nanos;
    private final AtomicLong nextTry = new AtomicLong();
    private volatile boolean unavailable;

    /** @param meanwhile what happens during an outage, for the log */
    Outage(String meanwhile, LongSupplier nanos) {
        this.meanwhile = meanwhile;
        this.nanos = nanos;
    }

    /** Returns the result of the call, which is not null; null if the store is unavailable or was a moment ago. */
    <T> @Nullable T ifAvailable(Supplier<T> call) {
        if (!tries()) {
            return null;
        }
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

    private boolean tries() {
        if (!unavailable) {
            return true;
        }
        long next = nextTry.get();
        long now = nanos.getAsLong();
        return now - next >= 0 && nextTry.compareAndSet(next, now + INTERVAL_NANOS);
    }

    private void began(LonghaulException failure) {
        nextTry.set(nanos.getAsLong() + INTERVAL_NANOS);
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
