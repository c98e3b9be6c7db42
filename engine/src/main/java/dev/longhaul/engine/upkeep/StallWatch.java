package dev.longhaul.engine.upkeep;

import dev.longhaul.job.WebhookEvent;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.spi.QueueStore;
import dev.longhaul.webhook.SystemEvent;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookStore;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * Sends webhook events for stalled queues: once when the oldest due job has waited for five minutes, and again only
 * after the queue has made progress. Paused queues are ignored. A new leader may send the event again.
 */
final class StallWatch implements MaintenanceTask {
    static final Duration STALLED = Duration.ofMinutes(5);
    private static final Duration INTERVAL = Duration.ofSeconds(30);

    private final QueueStore queues;
    private final WebhookStore webhooks;
    private final Leader leader;
    private final Set<String> reported = new HashSet<>();

    StallWatch(QueueStore queues, WebhookStore webhooks, Leader leader) {
        this.queues = queues;
        this.webhooks = webhooks;
        this.leader = leader;
    }

    @Override
    public String name() {
        return "stall-watch";
    }

    @Override
    public Duration interval() {
        return INTERVAL;
    }

    @Override
    public boolean vital() {
        return false;
    }

    @Override
    public void runOnce(Instant now) {
        if (leader.current().isEmpty() || noSubscribers()) {
            reported.clear();
            return;
        }
        var stalled = new HashSet<String>();
        for (QueueStats queue : queues.all()) {
            Duration oldest = queue.oldestDue();
            if (oldest != null && queue.pause() == null && oldest.compareTo(STALLED) >= 0) {
                stalled.add(queue.queue());
                if (!reported.contains(queue.queue())) {
                    webhooks.publish(WebhookEvent.QUEUE_STALLED, SystemEvent.stalled(queue.queue(), oldest));
                }
            }
        }
        reported.clear();
        reported.addAll(stalled);
    }

    /** Whether no enabled webhook subscribes to stalled queues, so that the queues need not be read. */
    private boolean noSubscribers() {
        return webhooks.list().stream()
                .filter(Webhook::enabled)
                .noneMatch(webhook -> webhook.spec().events().contains(WebhookEvent.QUEUE_STALLED));
    }
}
