package dev.longhaul.webhook;

import java.util.List;

/** A delivery that its taker is to send now; {@link Delivery#tries} is the number of this try. */
public record DueDelivery(Delivery delivery, String url, List<String> secrets) {
    /** Without the secrets. */
    @Override
    public String toString() {
        return "DueDelivery[" + delivery + " " + url + "]";
    }
}
