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
 * Takes due deliveries from the store and sends them. Every server runs a sender; one sender at a time holds a
 * delivery. A sender makes at most {@link WebhookConfig#atOnce} concurrent deliveries to each webhook, so a slow
 * receiver delays only its own deliveries.
 */
public final class WebhookSender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
    /** Poll interval, unless the first retry delay is shorter. Signals of changed jobs cause earlier polls. */
    private static final Duration POLL_EVERY = Duration.ofSeconds(1);
    /** Number of timeouts that a hold covers: resolving the name, sending the request, waiting for the response. */
    private static final int WAITS = 3;
    /** Added to a hold, for the time to store the outcome. */
    private static final Duration TO_REPORT = Duration.ofSeconds(30);
    /** Maximum number of concurrent deliveries. Each needs a thread, and jobs may name any number of hosts. */
    private static final int MOST_AT_ONCE = 200;

    private static final Duration GIVE_UP_EVERY = Duration.ofMinutes(1);
    private static final int MOST_GIVEN_UP = 1000;

    private final DeliveryQueue deliveries;
    private final WebhookConfig config;
    private final DeliveryClient post;
    private final Subscription signals;
    private final InstantSource clock = InstantSource.system();
    private final Map<UUID, Integer> sending = new ConcurrentHashMap<>();
    private final Semaphore wake = new Semaphore(1);
    private final ExecutorService threads;
    private final long pollEvery;
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
        this.post = new DeliveryClient(config, resolver, tracing);
        this.pollEvery =
                Math.min(POLL_EVERY.toMillis(), config.rules().firstPause().toMillis());
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
     * @param work notifies the sender when jobs change
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
        if (wake.tryAcquire(pollEvery, TimeUnit.MILLISECONDS)) {
            wake.drainPermits();
        }
        while (!closed && sendSome()) {
            LOG.trace("polling for more due deliveries");
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
                    "webhooks: {} deliveries parked after their receivers failed for {} h; redeliver them once those work",
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

    /** Sends in a separate thread. If no thread can be started, the delivery is taken again when its hold expires. */
    private void start(DueDelivery due) {
        sending.merge(due.delivery().webhookId(), 1, Integer::sum);
        try {
            threads.execute(() -> send(due));
        } catch (RuntimeException | Error e) {
            ended(due);
            if (!closed) {
                LOG.error(
                        "webhook delivery {}: could not start a thread; retrying when its hold expires",
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
                LOG.debug("webhook delivery {}: attempt {} failed: {}", id, outcome.number(), outcome.error());
            }
            Duration pause = config.rules()
                    .pauseAfter(due.triesSince(), ThreadLocalRandom.current().nextDouble());
            logChange(due, outcome, deliveries.tried(id, outcome, pause, config.rules()));
        } catch (LonghaulException e) {
            LOG.warn("webhook delivery {}: outcome not stored; retrying when its hold expires: {}", id, e.getMessage());
        } catch (RuntimeException | Error e) {
            LOG.error("webhook delivery {}: unexpected error; retrying when its hold expires", id, e);
        } finally {
            ended(due);
            wake();
        }
    }

    /**
     * Logs that a receiver fails or has recovered, or that a delivery is parked. Logs only the URL's host, because the
     * rest of the URL may be a secret.
     */
    private void logChange(DueDelivery due, DeliveryTry outcome, DeliveryQueue.Reported reported) {
        UUID webhook = due.delivery().webhookId();
        String host = due.host();
        if (reported.failing()) {
            LOG.warn(
                    "webhook {} ({}): {} failed attempts in a row, the last with {}; retrying every {} s until one succeeds",
                    webhook,
                    host,
                    config.rules().breakAfter(),
                    result(outcome),
                    config.rules().breakFor().toSeconds());
        }
        if (reported.recovered()) {
            LOG.info("webhook {} ({}): available again; sending resumed", webhook, host);
        }
        if (reported.parked()) {
            LOG.warn(
                    "webhook {} ({}): delivery {} is parked after attempt {} ended with {}; redeliver it once that works",
                    webhook,
                    host,
                    due.delivery().id(),
                    outcome.number(),
                    result(outcome));
        }
    }

    private static String result(DeliveryTry outcome) {
        return outcome.status() == null ? "no response" : "status " + outcome.status();
    }

    /** Stops sending; running deliveries may complete within the timeout. */
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
