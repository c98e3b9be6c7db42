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
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the duties, each in a thread of its own, so that a slow one holds up no other. */
public final class Scheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);

    private final Leader leader;
    private final List<Duty> duties;
    private final List<BackgroundLoop> loops = new ArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Store store;
    private final ScheduleFirer firer;
    /** Permits for passes of the firer that are due before its pause is over. */
    private final Semaphore wakeUp = new Semaphore(0);

    private @Nullable Subscription subscription;

    public Scheduler(Store store, String holder, Duration lease, Duration retention) {
        this.leader = new Leader(store.upkeep(), holder, lease);
        this.store = store;
        this.firer = new ScheduleFirer(store.scheduleFires(), store.jobs(), leader);
        this.duties = List.of(
                leader,
                new LeaseReaper(store.upkeep(), leader, lease),
                new DeadlineReaper(store.upkeep(), leader),
                new Retention(store.upkeep(), leader, retention),
                new StallWatch(store.queues(), store.webhooks(), leader),
                firer);
    }

    public void start() {
        subscription = store.work().listen(signal -> {
            if (signal.kind() == Signal.Kind.SCHEDULE) {
                wakeUp.release();
            }
        });
        for (Duty duty : duties) {
            BackgroundLoop.Pass pass = () -> {
                duty.runOnce(Instant.now());
                return !closedWithin(duty);
            };
            loops.add(
                    duty.vital() ? BackgroundLoop.vital(duty.name(), pass) : BackgroundLoop.helper(duty.name(), pass));
        }
    }

    public Leader leader() {
        return leader;
    }

    /** Stops the duties and lets another process lead at once. */
    @Override
    public void close() {
        closed.countDown();
        wakeUp.release();
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
            LOG.debug("could not resign; the term ends by itself", e);
        }
    }

    /** Waits for the pause of the duty, or until it is woken; answers whether this was closed meanwhile. */
    private boolean closedWithin(Duty duty) throws InterruptedException {
        long nanos = duty.pause().toNanos();
        if (duty != firer) {
            return closed.await(nanos, TimeUnit.NANOSECONDS);
        }
        if (wakeUp.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
            wakeUp.drainPermits();
        }
        return closed.getCount() == 0;
    }
}
