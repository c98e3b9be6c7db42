package dev.longhaul.webhook;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.WebhookEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps webhooks and what is to be sent to them. What happens to a job is noted for each webhook that wants it together with the
 * event itself: both are committed, or neither. It is sent at least once; events of one job go to one webhook one after the other.
 */
public interface WebhookStore {
    /** Adds a webhook, which hears of what happens from now on. */
    Webhook create(UUID id, WebhookSpec spec, @Nullable String by);

    /**
     * Changes a webhook; what waits to be sent goes to its new URL. It is tried at once if it is enabled, and with new patience.
     *
     * @param change from what it is to what it shall be: nobody else changes it meanwhile. May be asked more than once
     */
    Webhook edit(UUID id, Function<Webhook, Settings> change);

    /** Changes a webhook, whatever it was. */
    default Webhook edit(UUID id, WebhookSpec spec, boolean enabled) {
        return edit(id, was -> new Settings(spec, enabled));
    }

    /** Removes a webhook with all that was or is to be sent to it. */
    void delete(UUID id);

    Optional<Webhook> find(UUID id);

    /** All of them, oldest first. */
    List<Webhook> list();

    /**
     * Deliveries of a webhook, newest first.
     *
     * @param state null for all
     * @param before the last one of the page before
     */
    List<Delivery> deliveries(UUID webhookId, Delivery.@Nullable State state, @Nullable Cursor before, int limit);

    Optional<Delivery> findDelivery(UUID id);

    /** What came of each try, first to last. */
    List<DeliveryTry> tries(UUID deliveryId);

    /**
     * Sends a delivery now, with new patience and pauses that begin anew, whether it has ended or waits for its next try; its id and
     * the numbers of its tries stay. One that is being sent at this moment stays as it is. What is behind an earlier event of its job
     * waits for that all the same.
     */
    Delivery redeliver(UUID deliveryId);

    /**
     * Sends deliveries of a webhook that are in that state now, like {@link #redeliver(UUID)}, those of the earliest events first. What
     * happened at the same time goes together, even if it is more than {@code max}: so the events of a job stay in order.
     *
     * @param from when the events happened, at the earliest; null for all until {@code before}
     */
    Redelivered redeliver(
            UUID webhookId, Delivery.State state, @Nullable Instant from, @Nullable Instant before, int max);

    /** Sends a {@link WebhookEvent#WEBHOOK_TEST}, unless the webhook is disabled: then it would wait, perhaps for ever. */
    Delivery test(UUID webhookId);

    /** Notes what is not about one job, for those who want to hear of it. */
    void tell(WebhookEvent event, Happening happening);

    /** What is to be sent, and since when the oldest of it could have been. */
    Backlog backlog();

    // For whoever sends

    /**
     * Hands out deliveries that are due, each to one caller, who is to report with {@link #tried} what came of it. What is not
     * reported within {@code hold} is handed out again. None that a delivery of an earlier event of the same job has to go before.
     *
     * @param sending how many the caller has under way, by webhook
     * @param mostPerWebhook and how many at most it wants to have
     * @param most how many more it takes, of all webhooks together
     */
    List<DueDelivery> take(Map<UUID, Integer> sending, int mostPerWebhook, int most, SendingRules rules, Duration hold);

    /**
     * Reports a try. One that failed is repeated after {@code pause}, or parked if that is longer than the patience of the rules.
     * Does nothing if the delivery has been handed out again, or the try was reported before.
     */
    Reported tried(UUID deliveryId, DeliveryTry outcome, Duration pause, SendingRules rules);

    /**
     * Parks some of what is due for longer than the patience of the rules, because its webhook fails and is tried only now and then.
     *
     * @return how many; {@code max} if there may be more
     */
    int giveUp(SendingRules rules, int max);

    /**
     * What a report has brought about, each told to one who reports.
     *
     * @param parked whether the delivery was given up
     * @param failing whether its webhook has failed so often in a row that it is held back from now on
     * @param back whether that is over
     */
    record Reported(boolean parked, boolean failing, boolean back) {
        /** Nothing to tell anybody. */
        public static final Reported NOTHING = new Reported(false, false, false);
    }

    /** What can be changed about a webhook. */
    record Settings(WebhookSpec spec, boolean enabled) {}

    /** Where a page of deliveries ended. */
    record Cursor(Instant at, UUID id) {}

    /**
     * What is sent once more.
     *
     * @param next where the rest begins; null when there is none
     */
    record Redelivered(int count, @Nullable Instant next) {}

    /**
     * What is not delivered yet.
     *
     * @param oldestDueSince null when nothing could be sent now; what waits for a webhook that is disabled or held back could not,
     *     nor what waits for an earlier event of its job
     * @param failing webhooks that something waits for and that are held back, because they failed too often in a row
     */
    record Backlog(long pending, long parked, @Nullable Instant oldestDueSince, long failing) {}

    static LonghaulException noWebhook(UUID id) {
        return new LonghaulException(ErrorCode.NOT_FOUND, "there is no webhook " + id);
    }

    static LonghaulException disabled(UUID id) {
        return new LonghaulException(
                ErrorCode.FAILED_PRECONDITION, "webhook " + id + " is disabled and gets nothing: enable it first");
    }

    static LonghaulException noDelivery(UUID id) {
        return new LonghaulException(ErrorCode.NOT_FOUND, "there is no delivery " + id);
    }
}
