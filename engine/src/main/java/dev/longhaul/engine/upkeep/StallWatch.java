package dev.longhaul.engine.upkeep;

import dev.longhaul.job.WebhookEvent;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.spi.QueueStore;
import dev.longhaul.webhook.Happening;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookStore;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * Tells webhooks of queues that do not get on: once when the oldest due job has waited for five minutes, and again only after the queue
 * had got on meanwhile. A paused queue waits on purpose. Another leader may tell it once more.
 */
final class StallWatch implements Duty {
    static final Duration STALLED = Duration.ofMinutes(5);
    private static final Duration INTERVAL = Duration.ofSeconds(30);

    private final QueueStore queues;
    private final WebhookStore webhooks;
    private final Leader leader;
    private final Set<String> told = new HashSet<>();

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
        if (leader.current().isEmpty() || nobodyAsks()) {
            told.clear();
            return;
        }
        var stalled = new HashSet<String>();
        for (QueueStats queue : queues.all()) {
            Duration oldest = queue.oldestDue();
            if (oldest != null && queue.pause() == null && oldest.compareTo(STALLED) >= 0) {
                stalled.add(queue.queue());
                if (!told.contains(queue.queue())) {
                    webhooks.publish(WebhookEvent.QUEUE_STALLED, Happening.stalled(queue.queue(), oldest));
                }
            }
        }
        told.clear();
        told.addAll(stalled);
    }

    /** Then there is no need to look at the queues. */
    private boolean nobodyAsks() {
        return webhooks.list().stream()
                .filter(Webhook::enabled)
                .noneMatch(webhook -> webhook.spec().events().contains(WebhookEvent.QUEUE_STALLED));
    }
}
