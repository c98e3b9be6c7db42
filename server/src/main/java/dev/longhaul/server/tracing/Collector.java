package dev.longhaul.server.tracing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Who takes spans, over HTTP. While it is away or has too much to do, it is tried some times more. By the oldest client of the JDK, which
 * costs the least for large requests one after the other.
 */
final class Collector {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int TRIES = 5;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** What the protocol says may be sent again. */
    private static final Set<Integer> AGAIN = Set.of(429, 502, 503, 504);

    private static final int ANSWER = 1 << 16;

    private final URI endpoint;
    private final Map<String, String> headers;
    private final Duration pause;
    private final CountDownLatch hurried = new CountDownLatch(1);

    Collector(URI endpoint, Map<String, String> headers) {
        this(endpoint, headers, PAUSE);
    }

    Collector(URI endpoint, Map<String, String> headers, Duration pause) {
        this.endpoint = endpoint;
        this.headers = headers;
        this.pause = pause;
    }

    /** Why it does not take this; null if it has. */
    @Nullable
    String send(OtlpMessage message) {
        for (int tried = 1; ; tried++) {
            Answer answer = sendOnce(message);
            if (answer.problem == null || !answer.again || tried == TRIES || !pause(tried, answer.pause)) {
                return answer.problem;
            }
        }
    }

    /** From now on nothing is tried twice. */
    void hurry() {
        hurried.countDown();
    }

    /** What came of sending: nothing to say is good. */
    private record Answer(@Nullable String problem, boolean again, Duration pause) {
        static Answer of(int status, @Nullable String retryAfter) {
            String problem = status / 100 == 2 ? null : "status: " + status + " (expected: 2xx)";
            boolean timed = retryAfter != null && retryAfter.matches("\\d{1,9}");
            return new Answer(
                    problem, AGAIN.contains(status), Duration.ofSeconds(timed ? Long.parseLong(retryAfter) : 0));
        }
    }

    private Answer sendOnce(OtlpMessage message) {
        HttpURLConnection connection = prepared(message.size());
        var late = new CompletableFuture<Boolean>();
        // There is no timeout for writing: a collector that stops reading would be waited for without end.
        CompletableFuture<Void> cut = late.completeOnTimeout(true, TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                .thenRun(connection::disconnect);
        try {
            try (OutputStream body = connection.getOutputStream()) {
                message.copyTo(body);
            }
            int status = connection.getResponseCode();
            readAnswer(connection, status);
            return Answer.of(status, connection.getHeaderField("Retry-After"));
        } catch (IOException e) {
            String problem = cut.isDone() ? "no answer within " + TIMEOUT_MILLIS + " ms" : e.toString();
            return new Answer(problem, true, Duration.ZERO);
        } finally {
            late.cancel(false);
        }
    }

    private HttpURLConnection prepared(int length) {
        try {
            var connection = (HttpURLConnection) endpoint.toURL().openConnection();
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            connection.setInstanceFollowRedirects(false);
            connection.setRequestMethod("POST");
            connection.setRequestProperty("User-Agent", "Longhaul");
            headers.forEach(connection::setRequestProperty);
            connection.setRequestProperty("Content-Type", "application/x-protobuf");
            connection.setDoOutput(true);
            connection.setFixedLengthStreamingMode(length);
            return connection;
        } catch (IOException e) {
            throw new UncheckedIOException("before anything was sent", e);
        }
    }

    /** So that the connection can be used again. What it says besides the status does not matter, nor whether it says that to the end. */
    private static void readAnswer(HttpURLConnection connection, int status) {
        try (InputStream body = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            if (body != null) {
                body.readNBytes(ANSWER);
            }
        } catch (IOException e) {
            connection.disconnect();
        }
    }

    /** Longer after each try, and as the collector wants it within reason; false where there is no time left. */
    private boolean pause(int tried, Duration wanted) {
        double spread = 0.5 + ThreadLocalRandom.current().nextDouble() / 2;
        long own = (long) (spread * pause.multipliedBy(1L << (tried - 1)).toMillis());
        long millis = Math.min(Math.max(own, wanted.toMillis()), LONGEST_PAUSE.toMillis());
        try {
            return !hurried.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Without what of its address may be as good as a password. */
    @Override
    public String toString() {
        return "the collector at " + endpoint.getHost();
    }
}
