package dev.longhaul.webhook;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.WebhookEvent;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The port for people and code: webhooks and their deliveries. {@link DeliveryQueue} is the sender's port. An event of
 * a job and its deliveries are committed together. Each delivery is sent at least once; a webhook gets the events of
 * one job in order.
 */
public interface WebhookStore {
    /** Adds a webhook, which gets the events from now on. */
    Webhook create(UUID id, WebhookSpec spec, @Nullable String by);

    /**
     * Changes a webhook. Pending deliveries go to its new URL, at once if it is enabled, with a fresh retry window.
     *
     * @param change computes the new settings while the webhook is locked; may be called more than once
     */
    Webhook edit(UUID id, Function<Webhook, Settings> change);

    /** Removes a webhook and its deliveries. */
    void delete(UUID id);

    Optional<Webhook> find(UUID id);

    /** All webhooks, oldest first. */
    List<Webhook> list();

    /**
     * Deliveries of a webhook, newest first.
     *
     * @param state null for all
     * @param before the last one of the previous page
     */
    List<Delivery> deliveries(UUID webhookId, Delivery.@Nullable State state, @Nullable Cursor before, int limit);

    Optional<Delivery> findDelivery(UUID id);

    /** The tries of a delivery, first to last. */
    List<DeliveryTry> tries(UUID deliveryId);

    /**
     * Sends a delivery again now, whether it has ended or waits for its next try, with a fresh retry window and the
     * first retry pause. Its id stays and the numbers of its tries continue. Does nothing while the delivery is being
     * sent. A delivery still waits for those of earlier events of its job.
     */
    Delivery redeliver(UUID deliveryId);

    /**
     * Sends deliveries of a webhook that are in that state again, like {@link #redeliver(UUID)}, earliest events first.
     * Events with the same time as the last one are all included, even beyond {@code max}, so that the events of a job
     * stay in order.
     *
     * @param from the earliest event time; null for all until {@code before}
     */
    Redelivered redeliver(
            UUID webhookId, Delivery.State state, @Nullable Instant from, @Nullable Instant before, int max);

    /** Sends a {@link WebhookEvent#WEBHOOK_TEST}. Rejects a disabled webhook, whose delivery might wait forever. */
    Delivery test(UUID webhookId);

    /** Creates deliveries of an event that is not about one job, for the webhooks that subscribe to it. */
    void publish(WebhookEvent event, SystemEvent happening);

    /** The settings of a webhook that can be changed. */
    record Settings(WebhookSpec spec, boolean enabled) {}

    /** The last delivery of a page. */
    record Cursor(Instant at, UUID id) {}

    /**
     * The result of a redelivery: how many deliveries are sent again.
     *
     * @param next the {@code from} of the next call; null when all are done
     */
    record Redelivered(int count, @Nullable Instant next) {}

    static LonghaulException noWebhook(UUID id) {
        return new LonghaulException(ErrorCode.NOT_FOUND, "webhook " + id + " not found");
    }

    static LonghaulException disabled(UUID id) {
        return new LonghaulException(ErrorCode.FAILED_PRECONDITION, "webhook " + id + " is disabled; enable it first");
    }

    static LonghaulException noDelivery(UUID id) {
        return new LonghaulException(ErrorCode.NOT_FOUND, "delivery " + id + " not found");
    }
}
