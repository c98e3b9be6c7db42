package dev.longhaul.memory;

import dev.longhaul.job.JobId;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.JobSummary;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A delivery, the start of its retry window, the number of tries before that, and the secret of its job's webhook. */
record NotedDelivery(
        Delivery delivery,
        Instant since,
        int triesBefore,
        @Nullable String secret,
        List<DeliveryTry> tries) {
    NotedDelivery with(Delivery.State state, int number, Instant nextTryAt, @Nullable Instant endedAt) {
        Delivery was = delivery;
        var is = new Delivery(
                was.id(),
                was.webhookId(),
                was.event(),
                was.at(),
                was.job(),
                was.happening(),
                was.url(),
                state,
                number,
                nextTryAt,
                endedAt);
        return new NotedDelivery(is, since, triesBefore, secret, tries);
    }

    boolean pending() {
        return delivery.state() == Delivery.State.PENDING;
    }

    /** Whether that try is the latest, and has not been reported yet. */
    boolean awaits(int number) {
        return pending() && delivery.tries() == number && tries.stream().noneMatch(one -> one.number() == number);
    }

    /** Whether a sender has taken it and may still report it. */
    boolean beingSent(Instant now) {
        return delivery.tries() > 0 && awaits(delivery.tries()) && !due(now);
    }

    boolean about(JobId id) {
        JobSummary job = delivery.job();
        return job != null && job.id().equals(id);
    }

    boolean due(Instant now) {
        return pending() && !delivery.nextTryAt().isAfter(now);
    }
}
