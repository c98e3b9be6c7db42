package dev.longhaul.spring.actuate;

import dev.longhaul.Longhaul;
import dev.longhaul.observe.Meters;
import dev.longhaul.observe.StoreGauges;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Reads the numbers of the whole cluster regularly while the context runs: a registry of Micrometer does not report when it
 * is read.
 */
final class ClusterGauges implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterGauges.class);

    private final Longhaul longhaul;
    private final Meters meters;
    private final Duration interval;
    private @Nullable StoreGauges gauges;
    private @Nullable ScheduledExecutorService thread;

    /** @param interval zero reads nothing, and registers no gauges, whose values would be zero */
    ClusterGauges(Longhaul longhaul, Meters meters, Duration interval) {
        this.longhaul = longhaul;
        this.meters = meters;
        this.interval = interval;
    }

    @Override
    public synchronized void start() {
        if (thread != null || interval.isZero()) {
            return;
        }
        StoreGauges own = gauges == null ? new StoreGauges(longhaul.store(), meters.registry()) : gauges;
        gauges = own;
        thread = Executors.newSingleThreadScheduledExecutor(work -> {
            var created = new Thread(work, "longhaul-gauges");
            created.setDaemon(true);
            return created;
        });
        var unused = thread.scheduleWithFixedDelay(() -> refresh(own), 0, interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void refresh(StoreGauges own) {
        try {
            meters.refresh();
            own.refresh();
        } catch (RuntimeException e) {
            LOG.debug("reading the numbers of the cluster failed; retrying in {}", interval, e);
        }
    }

    @Override
    public synchronized void stop() {
        if (thread != null) {
            thread.shutdownNow();
            thread = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }
}
