package dev.longhaul.engine.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.memory.MovableClock;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.work.ClaimRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class StallWatchTest {
    private static final Duration LEASE = Duration.ofSeconds(15);

    private final MovableClock clock = new MovableClock(Instant.now());
    private final MemoryStore store = new MemoryStore(clock);
    private final Leader leader = new Leader(store.upkeep(), "leader", LEASE);
    private final StallWatch watch = new StallWatch(store.queues(), store.webhooks(), leader);

    private Webhook subscribed() {
        var spec = new WebhookSpec(
                "https://hooks.example.com/",
                Set.of(WebhookEvent.QUEUE_STALLED),
                Set.of(),
                Set.of(),
                Map.of(),
                List.of(WebhookSecret.random()));
        return store.webhooks().create(UUID.randomUUID(), spec, null);
    }

    private void job(String queue) {
        store.jobs()
                .insert(List.of(JobSpec.of(new DefinitionRef("report", 1), "{}")
                        .queue(queue)
                        .build()));
    }

    private void passAfter(Duration time) {
        clock.advance(time);
        leader.runOnce(clock.instant());
        watch.runOnce(clock.instant());
    }

    private List<String> delivered(Webhook webhook) {
        return store.webhooks().deliveries(webhook.id(), null, null, 100).stream()
                .map(delivery -> String.valueOf(delivery.happening()))
                .toList();
    }

    @Test
    void reports_a_queue_once_until_it_makes_progress() {
        Webhook webhook = subscribed();
        job("slow");
        job("paused");
        store.queues().pause("paused", null, null);
        passAfter(Duration.ofMinutes(4));
        assertThat(delivered(webhook)).isEmpty();
        passAfter(Duration.ofMinutes(2));
        passAfter(Duration.ofMinutes(2));
        assertThat(delivered(webhook)).hasSize(1).allMatch(delivered -> delivered.contains("\"oldestDueSeconds\":360"));

        store.work().claim(ClaimRequest.of("w", List.of("slow"), null, 1, Duration.ofHours(1)));
        passAfter(Duration.ofMinutes(1));
        job("slow");
        passAfter(Duration.ofMinutes(6));
        assertThat(delivered(webhook)).hasSize(2);
    }

    @Test
    void reports_nothing_without_a_subscriber_or_when_another_process_leads() {
        job("slow");
        passAfter(Duration.ofMinutes(10));
        Webhook webhook = subscribed();
        new StallWatch(store.queues(), store.webhooks(), new Leader(store.upkeep(), "other", LEASE))
                .runOnce(clock.instant());
        assertThat(delivered(webhook)).isEmpty();
        passAfter(Duration.ZERO);
        assertThat(delivered(webhook)).hasSize(1);
    }
}
