package dev.longhaul.server.webhook;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.server.outbound.Destination;
import dev.longhaul.server.tracing.Tracing;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.webhook.DeliveryQueue;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.DueDelivery;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes deliveries that are due from the store and sends them. Every server may have one; a delivery goes to one of them at a time. A
 * webhook has at most {@link WebhookConfig#atOnce} under way here, so that one that hangs holds up only itself.
 */
public final class WebhookSender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
    /** The signal that jobs have changed, at most once a second, brings a look forward; without one, this is how late it may be, or as late as the shortest pause is long. */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    /** What takes so long that a hold must cover it: to look the name up, to send, to wait for the answer. */
    private static final int WAITS = 3;
    /** After a try has ended or run into its timeout, it takes no longer than this to report it. */
    private static final Duration TO_REPORT = Duration.ofSeconds(30);
    /** Each takes a thread, and jobs may name as many hosts as they like. */
    private static final int MOST_AT_ONCE = 200;

    private static final Duration GIVE_UP_EVERY = Duration.ofMinutes(1);
    private static final int MOST_GIVEN_UP = 1000;

    private final DeliveryQueue deliveries;
    private final WebhookConfig config;
    private final Post post;
    private final Subscription signals;
    private final InstantSource clock = InstantSource.system();
    private final Map<UUID, Integer> sending = new ConcurrentHashMap<>();
    private final Semaphore wake = new Semaphore(1);
    private final ExecutorService threads;
    private final long lookEvery;
    private final long giveUpEvery;
    private @Nullable BackgroundLoop loop;
    private long gaveUpAt = System.nanoTime();
    private volatile boolean closed;

    private WebhookSender(
            DeliveryQueue deliveries,
            WorkSource work,
            WebhookConfig config,
            Destination.Resolver resolver,
            Tracing tracing) {
        this.deliveries = deliveries;
        this.config = config;
        this.post = new Post(config, resolver, tracing);
        this.lookEvery =
                Math.min(LOOK_EVERY.toMillis(), config.rules().firstPause().toMillis());
        this.giveUpEvery =
                Math.min(GIVE_UP_EVERY.toNanos(), config.rules().patience().toNanos());
        this.threads = Executors.newCachedThreadPool(task -> daemon(task, "longhaul-webhook"));
        this.signals = work.listen(signal -> {
            if (signal.kind() == Signal.Kind.CHANGED) {
                wake();
            }
        });
    }

    /**
     * Starts sending.
     *
     * @param work wakes the sender when jobs change
     */
    public static WebhookSender start(
            DeliveryQueue deliveries, WorkSource work, WebhookConfig config, Tracing tracing) {
        var sender = new WebhookSender(deliveries, work, config, InetAddress::getAllByName, tracing);
        sender.loop = BackgroundLoop.vital("webhooks", sender::pass);
        return sender;
    }

    private static Thread daemon(Runnable task, String name) {
        var thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private void wake() {
        if (wake.availablePermits() == 0) {
            wake.release();
        }
    }

    private boolean pass() throws InterruptedException {
        if (wake.tryAcquire(lookEvery, TimeUnit.MILLISECONDS)) {
            wake.drainPermits();
        }
        while (!closed && sendSome()) {
            LOG.trace("looking for more");
        }
        if (System.nanoTime() - gaveUpAt > giveUpEvery) {
            giveUp();
            gaveUpAt = System.nanoTime();
        }
        return !closed;
    }

    private void giveUp() {
        int all = 0;
        for (int some = MOST_GIVEN_UP; some == MOST_GIVEN_UP && !closed; all += some) {
            some = deliveries.giveUp(config.rules(), MOST_GIVEN_UP);
        }
        if (all > 0) {
            LOG.warn(
                    "webhooks: {} deliveries are parked until somebody redelivers them; their receivers have been failing for {} h",
                    all,
                    config.rules().patience().toHours());
        }
    }

    private boolean sendSome() {
        Duration hold = config.timeout().multipliedBy(WAITS).plus(TO_REPORT);
        Map<UUID, Integer> busy = Map.copyOf(sending);
        int room = MOST_AT_ONCE
                - busy.values().stream().mapToInt(Integer::intValue).sum();
        if (room <= 0) {
            return false;
        }
        List<DueDelivery> due = deliveries.take(busy, config.atOnce(), room, config.rules(), hold);
        due.forEach(this::start);
        return !due.isEmpty();
    }

    /** Sends it in a thread of its own; if none can be had, the next process that takes it sends it once its hold is over. */
    private void start(DueDelivery due) {
        sending.merge(due.delivery().webhookId(), 1, Integer::sum);
        try {
            threads.execute(() -> send(due));
        } catch (RuntimeException | Error e) {
            ended(due);
            if (!closed) {
                LOG.error(
                        "webhook delivery {}: not started, it is sent again later",
                        due.delivery().id(),
                        e);
            }
        }
    }

    private void ended(DueDelivery due) {
        sending.computeIfPresent(due.delivery().webhookId(), (same, count) -> count == 1 ? null : count - 1);
    }

    private void send(DueDelivery due) {
        UUID id = due.delivery().id();
        try {
            DeliveryTry outcome = post.send(due, clock.instant());
            if (!outcome.succeeded()) {
                LOG.debug("webhook delivery {}, try {}: {}", id, outcome.number(), outcome.error());
            }
            Duration pause = config.rules()
                    .pauseAfter(due.triesSince(), ThreadLocalRandom.current().nextDouble());
            tell(due, outcome, deliveries.tried(id, outcome, pause, config.rules()));
        } catch (LonghaulException e) {
            // It is sent again once its hold is over.
            LOG.warn("webhook delivery {}: the try cannot be noted: {}", id, e.getMessage());
        } catch (RuntimeException | Error e) {
            LOG.error("webhook delivery {}: it is tried again later", id, e);
        } finally {
            ended(due);
            wake();
        }
    }

    /** Logs what somebody should know, once and not for each try. Of the URL only the host: the rest may be as good as a password. */
    private void tell(DueDelivery due, DeliveryTry outcome, DeliveryQueue.Reported reported) {
        UUID webhook = due.delivery().webhookId();
        String host = due.host();
        if (reported.failing()) {
            LOG.warn(
                    "webhook {} ({}): {} tries in a row have failed, the last with {}; now one is made every {} s until it is back",
                    webhook,
                    host,
                    config.rules().breakAfter(),
                    answer(outcome),
                    config.rules().breakFor().toSeconds());
        }
        if (reported.recovered()) {
            LOG.info("webhook {} ({}): it is back", webhook, host);
        }
        if (reported.parked()) {
            LOG.warn(
                    "webhook {} ({}): delivery {} is parked until somebody redelivers it; its last try, number {}, ended with {}",
                    webhook,
                    host,
                    due.delivery().id(),
                    outcome.number(),
                    answer(outcome));
        }
    }

    private static String answer(DeliveryTry outcome) {
        return outcome.status() == null ? "no answer" : "status " + outcome.status();
    }

    /** Sends no more; what is under way may end within the timeout. */
    @Override
    public void close() {
        closed = true;
        signals.close();
        wake();
        long patience = config.timeout().toMillis();
        if (loop != null) {
            loop.close(patience);
        }
        try {
            threads.shutdown();
            if (!threads.awaitTermination(patience, TimeUnit.MILLISECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
        post.close();
    }
}
