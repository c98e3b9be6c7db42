package dev.longhaul.engine;

import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.engine.run.LiveRuns;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.spi.WorkerDirectory;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports this worker to the cluster: that it is active, which queues and definitions it serves, and when it stops. The
 * report is informational: no job depends on it, so it has its own thread and failures are logged at debug only.
 */
final class Presence implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Presence.class);
    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(5);
    /** How long a stopping worker waits until its last report is stored. */
    private static final long CLOSE_MILLIS = 2000;

    private final WorkerDirectory directory;
    private final WorkerConfig config;
    private final Set<DefinitionRef> definitions;
    private final LiveRuns live;
    private final Waker waker = new Waker();
    private volatile boolean draining;
    private volatile boolean closed;
    private @Nullable BackgroundLoop loop;

    Presence(WorkerDirectory directory, WorkerConfig config, Set<DefinitionRef> definitions, LiveRuns live) {
        this.directory = directory;
        this.config = config;
        this.definitions = definitions;
        this.live = live;
    }

    /** Reports immediately, then every few seconds. */
    void start() {
        runOnce();
        loop = BackgroundLoop.helper("presence", this::pass);
    }

    void runOnce() {
        try {
            directory.seen(report());
        } catch (RuntimeException | Error e) {
            LOG.debug("reporting this worker failed; retrying with the next report", e);
        }
    }

    /** Reports immediately that the worker drains. */
    void drain() {
        draining = true;
        waker.wake();
    }

    /** Reports that the worker has ended. */
    @Override
    public void close() {
        closed = true;
        waker.wake();
        BackgroundLoop started = loop;
        if (started != null) {
            started.close(CLOSE_MILLIS);
        }
    }

    private boolean pass() throws InterruptedException {
        boolean woken =
                waker.sleep(Math.round(INTERVAL * ThreadLocalRandom.current().nextDouble(0.8, 1.0)));
        LOG.trace("woken: {}", woken);
        if (closed) {
            directory.gone(config.workerId());
            return false;
        }
        runOnce();
        return true;
    }

    private WorkerReport report() {
        var running = new AtomicInteger();
        live.eachRunning(run -> running.incrementAndGet());
        String version = Presence.class.getPackage().getImplementationVersion();
        return new WorkerReport(
                config.workerId(),
                host(),
                ProcessHandle.current().pid(),
                version == null ? "development" : version,
                config.queues().keySet().stream().sorted().toList(),
                definitions,
                config.slots(),
                running.get(),
                live.stuck(),
                draining);
    }

    /** The host name that the JVM has already resolved. */
    private static String host() {
        String name = ManagementFactory.getRuntimeMXBean().getName();
        return name.substring(name.indexOf('@') + 1);
    }
}
