package dev.longhaul.memory;

import dev.longhaul.job.JobId;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.JobSummary;
import dev.longhaul.webhook.WebhookStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The deliveries of all webhooks. Callers hold the lock of the store. */
final class NotedDeliveries {
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

    /** In order of creation, which is the order of each job's events. */
    private final Map<UUID, NotedDelivery> byId = new LinkedHashMap<>();

    /** @param secret of the job's own webhook; null for a webhook of operators */
    Delivery add(Delivery delivery, @Nullable String secret) {
        put(new NotedDelivery(delivery, delivery.at(), 0, secret, new ArrayList<>()));
        return delivery;
    }

    void put(NotedDelivery noted) {
        byId.put(noted.delivery().id(), noted);
    }

    void removeIf(Predicate<NotedDelivery> condition) {
        byId.values().removeIf(condition);
    }

    Optional<NotedDelivery> find(UUID id) {
        return Optional.ofNullable(byId.get(id));
    }

    NotedDelivery existing(UUID id) {
        return find(id).orElseThrow(() -> WebhookStore.noDelivery(id));
    }

    Stream<NotedDelivery> noted() {
        return byId.values().stream();
    }

    Stream<Delivery> all() {
        return noted().map(NotedDelivery::delivery);
    }

    /** Returns deliveries of a webhook, newest first. */
    List<Delivery> list(
            UUID webhookId, Delivery.@Nullable State state, WebhookStore.@Nullable Cursor before, int limit) {
        return all().filter(one -> one.webhookId().equals(webhookId))
                .filter(one -> state == null || one.state() == state)
                .sorted(Comparator.comparing(Delivery::at)
                        .thenComparing(one -> one.id().toString())
                        .reversed())
                .filter(one -> before == null || older(one, before))
                .limit(limit)
                .toList();
    }

    private static boolean older(Delivery one, WebhookStore.Cursor than) {
        int order = one.at().compareTo(than.at());
        return order < 0
                || (order == 0 && one.id().toString().compareTo(than.id().toString()) < 0);
    }

    /** Whether no earlier event of the same job waits for the same webhook. */
    boolean isFirst(NotedDelivery noted) {
        JobSummary job = noted.delivery().job();
        return job == null
                || noted().filter(NotedDelivery::pending)
                        .filter(other -> other.delivery()
                                .webhookId()
                                .equals(noted.delivery().webhookId()))
                        .filter(other -> other.about(job.id()))
                        .findFirst()
                        .map(other ->
                                other.delivery().id().equals(noted.delivery().id()))
                        .orElse(true);
    }

    /**
     * Sets the due time of the deliveries that wait behind {@code first} to {@code to}, the due time of {@code first}:
     * they cannot be sent earlier, and should not wait longer.
     */
    void moveFollowing(NotedDelivery first, Predicate<NotedDelivery> which, Instant to) {
        JobSummary job = first.delivery().job();
        if (job == null) {
            return;
        }
        var passed = new AtomicBoolean();
        byId.replaceAll((id, other) -> {
            boolean behind = passed.get()
                    && other.pending()
                    && other.about(job.id())
                    && other.delivery().webhookId().equals(first.delivery().webhookId())
                    && which.test(other);
            passed.compareAndSet(false, id.equals(first.delivery().id()));
            return behind ? other.with(Delivery.State.PENDING, other.delivery().tries(), to, null) : other;
        });
    }
}
