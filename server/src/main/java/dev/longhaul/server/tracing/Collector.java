package dev.longhaul.server.tracing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Who takes spans, over HTTP. While it is away or has too much to do, it is tried some times more. */
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
        static final Answer GOOD = new Answer(null, false, Duration.ZERO);
    }

    private Answer sendOnce(OtlpMessage message) {
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
            connection.setFixedLengthStreamingMode(message.size());
            try (OutputStream body = connection.getOutputStream()) {
                message.copyTo(body);
            }
            return answer(connection);
        } catch (HttpRetryException e) {
            return refused(e.responseCode(), Duration.ZERO);
        } catch (IOException e) {
            return new Answer(e.toString(), true, Duration.ZERO);
        } catch (RuntimeException e) {
            // A header that cannot be sent, whose value the message would tell, or a URL of another kind.
            return new Answer(e.getClass().getName(), false, Duration.ZERO);
        }
    }

    private static Answer answer(HttpURLConnection connection) throws IOException {
        int status = connection.getResponseCode();
        boolean good = status / 100 == 2;
        // Read, so that the connection can be used again.
        try (InputStream body = good ? connection.getInputStream() : connection.getErrorStream()) {
            if (body != null) {
                body.readNBytes(ANSWER);
            }
        }
        Duration wait = Duration.ofSeconds(Math.max(connection.getHeaderFieldInt("Retry-After", 0), 0));
        return good ? Answer.GOOD : refused(status, wait);
    }

    private static Answer refused(int status, Duration wait) {
        return new Answer("status: " + status + " (expected: 2xx)", AGAIN.contains(status), wait);
    }

    /** Longer after each try, and as the collector wants it; false where there is no time left. */
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
