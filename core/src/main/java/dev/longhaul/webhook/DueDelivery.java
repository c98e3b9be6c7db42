package dev.longhaul.webhook;

import dev.longhaul.job.WebhookUrl;
import java.util.List;

/**
 * A delivery that the caller must send now. {@link Delivery#tries} is the number of this attempt.
 *
 * @param triesSince the number of this try since the event or the last redelivery: retry pauses grow with it
 */
public record DueDelivery(Delivery delivery, int triesSince, String url, List<String> secrets) {
    /** The part of the URL that may be logged: path and query may contain secrets. */
    public String host() {
        return WebhookUrl.host(url);
    }

    /** Omits the secrets, so that they are not logged. */
    @Override
    public String toString() {
        return "DueDelivery[" + delivery + " " + url + "]";
    }
}
