package dev.longhaul.webhook;

import dev.longhaul.internal.text.Text;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The result of one try.
 *
 * @param endedAt by the store's clock
 * @param status the HTTP status, if there was a response
 * @param error why there was no response, or why the response does not count
 * @param head the first characters of the response body
 */
public record DeliveryTry(
        int number,
        Instant endedAt,
        Duration took,
        @Nullable Integer status,
        @Nullable String error,
        @Nullable String head) {
    public static final int HEAD = 1000;

    /** Makes the text storable: receivers may respond with anything. */
    public DeliveryTry {
        error = error == null ? null : Text.storableOf(error, HEAD);
        head = head == null ? null : Text.storableOf(head, HEAD);
    }

    public boolean succeeded() {
        return error == null;
    }
}
