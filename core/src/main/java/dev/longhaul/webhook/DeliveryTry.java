package dev.longhaul.webhook;

import dev.longhaul.internal.text.Text;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What came of one try.
 *
 * @param endedAt by the store's clock
 * @param status the HTTP status, if there was an answer
 * @param error why there was none, or why it does not count
 * @param head the first characters of the answer's body
 */
public record DeliveryTry(
        int number,
        Instant endedAt,
        Duration took,
        @Nullable Integer status,
        @Nullable String error,
        @Nullable String head) {
    public static final int HEAD = 1000;

    /** Always storable: receivers answer what they like. */
    public DeliveryTry {
        error = error == null ? null : Text.storableOf(error, HEAD);
        head = head == null ? null : Text.storableOf(head, HEAD);
    }

    public boolean succeeded() {
        return error == null;
    }
}
