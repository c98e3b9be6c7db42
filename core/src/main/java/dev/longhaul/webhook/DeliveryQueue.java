package dev.longhaul.webhook;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The sender's port: takes due deliveries, reports their tries, and measures the backlog. */
public interface DeliveryQueue {
    /**
     * Takes due deliveries, each for one caller, which reports the try with {@link #tried}. A delivery without a
     * report within {@code hold} can be taken again. Skips those behind a delivery of an earlier event of the same
     * job.
     *
     * @param sending how many deliveries the caller is sending, by webhook
     * @param mostPerWebhook how many it may send at once, per webhook
     * @param most how many to take at most, of all webhooks together
     */
    List<DueDelivery> take(Map<UUID, Integer> sending, int mostPerWebhook, int most, SendingRules rules, Duration hold);

    /**
     * Reports a try. A failed delivery is retried after {@code pause}, or parked if its retry window ends before that.
     * Does nothing if the delivery has been taken again, or the try was already reported.
     */
    Reported tried(UUID deliveryId, DeliveryTry outcome, Duration pause, SendingRules rules);

    /**
     * Parks deliveries of failing webhooks that have been due for longer than the retry window.
     *
     * @return how many; {@code max} if there may be more
     */
    int giveUp(SendingRules rules, int max);

    /** Counts of deliveries, and since when the oldest has been due. */
    Backlog backlog();

    /**
     * The changes that a reported try caused; each change is returned for one report only.
     *
     * @param parked whether the delivery was parked
     * @param failing whether the webhook has failed so often in a row that it is held back from now on
     * @param recovered whether the webhook is no longer held back
     */
    record Reported(boolean parked, boolean failing, boolean recovered) {
        public static final Reported NOTHING = new Reported(false, false, false);
    }

    /**
     * Undelivered deliveries.
     *
     * @param oldestDueSince null when no delivery could be sent now; those of a disabled or failing webhook and those
     * behind an earlier event of their job cannot
     * @param failing webhooks with pending deliveries that are held back because of too many failures in a row
     */
    record Backlog(long pending, long parked, @Nullable Instant oldestDueSince, long failing) {}
}
