package dev.longhaul.server.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.linecorp.armeria.common.HttpData;
import dev.longhaul.webhook.DeliveryTry;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Reads a response body, up to 64 KiB, so that the connection can be reused. Keeps the beginning of the body. */
final class BodyPreview implements Subscriber<HttpData> {
    private static final int MOST_READ = 64 * 1024;

    /** Maximum bytes kept: a character has at most four bytes in UTF-8. */
    private static final int MOST_KEPT = 4 * DeliveryTry.HEAD;

    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final CompletableFuture<String> text = new CompletableFuture<>();
    private @Nullable Subscription body;
    private int read;

    /**
     * Returns a future of the beginning of the body. It completes normally even if reading the body fails, because the
     * status was received earlier and decides the outcome.
     */
    CompletableFuture<String> text() {
        return text;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        body = subscription;
        subscription.request(1);
    }

    @Override
    public void onNext(HttpData data) {
        if (read < MOST_KEPT) {
            kept.writeBytes(data.array());
        }
        read += data.length();
        Subscription more = requireNonNull(body);
        if (read < MOST_READ) {
            more.request(1);
        } else {
            more.cancel();
            onComplete();
        }
    }

    @Override
    public void onError(Throwable cause) {
        onComplete();
    }

    @Override
    public void onComplete() {
        text.complete(kept.toString(UTF_8));
    }
}
