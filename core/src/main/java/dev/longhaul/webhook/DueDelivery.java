package dev.longhaul.webhook;

import dev.longhaul.job.WebhookUrl;
import java.util.List;

/**
 * A delivery that its taker is to send now; {@link Delivery#tries} is the number of this try.
 *
 * @param triesSince which try it is since the event happened or somebody last had it sent again: pauses grow with this
 */
public record DueDelivery(Delivery delivery, int triesSince, String url, List<String> secrets) {
    /** Of the URL what may be logged: the rest can be as good as a password. */
    public String host() {
        return WebhookUrl.host(url);
    }

    /** Without the secrets. */
    @Override
    public String toString() {
        return "DueDelivery[" + delivery + " " + url + "]";
    }
}
