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

    private final Meters meters;
    private final StoreGauges gauges;
    private final Duration interval;
    private @Nullable ScheduledExecutorService thread;

    /** @param interval zero reads nothing */
    ClusterGauges(Longhaul longhaul, Meters meters, Duration interval) {
        this.meters = meters;
        this.gauges = new StoreGauges(longhaul.store(), meters.registry());
        this.interval = interval;
    }

    @Override
    public synchronized void start() {
        if (thread != null || interval.isZero()) {
            return;
        }
        thread = Executors.newSingleThreadScheduledExecutor(work -> {
            var created = new Thread(work, "longhaul-gauges");
            created.setDaemon(true);
            return created;
        });
        var unused = thread.scheduleWithFixedDelay(this::refresh, 0, interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void refresh() {
        try {
            meters.refresh();
            gauges.refresh();
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
