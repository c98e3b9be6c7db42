package dev.longhaul.engine.upkeep;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.internal.loop.Closing;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the maintenance tasks, each in a thread of its own, so that a slow one does not delay the others. */
public final class Scheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);

    private final Leader leader;
    /** Each task with a semaphore: a permit starts the next pass before the pause is over. */
    private final Map<MaintenanceTask, Semaphore> tasks = new LinkedHashMap<>();

    private final List<BackgroundLoop> loops = new ArrayList<>();
    private final Store store;
    private volatile boolean closed;
    private @Nullable Subscription subscription;

    public Scheduler(Store store, String holder, Duration lease, Duration retention) {
        this.leader = new Leader(store.upkeep(), holder, lease);
        this.store = store;
        Stream.of(
                        leader,
                        new LeaseReaper(store.upkeep(), leader, lease),
                        new DeadlineReaper(store.upkeep(), leader),
                        new Retention(store.upkeep(), leader, retention),
                        new StallWatch(store.queues(), store.webhooks(), leader),
                        new ScheduleFirer(store.scheduleFires(), store.jobs(), leader))
                .forEach(task -> tasks.put(task, new Semaphore(0)));
    }

    public void start() {
        subscription = store.work().listen(this::wake);
        tasks.forEach((task, wakeUp) -> {
            BackgroundLoop.Pass pass = () -> {
                task.runOnce(Instant.now());
                if (wakeUp.tryAcquire(task.pause().toNanos(), TimeUnit.NANOSECONDS)) {
                    wakeUp.drainPermits();
                }
                return !closed;
            };
            loops.add(
                    task.vital() ? BackgroundLoop.vital(task.name(), pass) : BackgroundLoop.helper(task.name(), pass));
        });
    }

    private void wake(Signal signal) {
        tasks.forEach((task, wakeUp) -> {
            if (task.wokenBy(signal)) {
                wakeUp.release();
            }
        });
    }

    public Leader leader() {
        return leader;
    }

    /** Stops the maintenance tasks and resigns, so that another process can become the leader immediately. */
    @Override
    public void close() {
        closed = true;
        tasks.values().forEach(Semaphore::release);
        var closing = new Closing();
        if (subscription != null) {
            closing.part(subscription::close);
        }
        loops.forEach(loop -> closing.part(() -> loop.close(TimeUnit.SECONDS.toMillis(1))));
        closing.part(this::resign).throwIfAny();
    }

    private void resign() {
        try {
            leader.resign();
        } catch (LonghaulException e) {
            LOG.debug("resigning leadership failed; the term will expire", e);
        }
    }
}
