package dev.longhaul.server.tracing;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where spans are sent to, as OTLP over HTTP. The one thread that sends waits while the collector is away or has too much to do, for some
 * tries; then those spans are lost, which is told.
 */
final class Collector implements SpanExporter {
    private static final Logger LOG = LoggerFactory.getLogger(Collector.class);

    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int TRIES = 5;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** What the protocol says may be sent again. */
    private static final Set<Integer> AGAIN = Set.of(429, 502, 503, 504);

    private static final int ANSWER = 1 << 16;
    private static final long TOLD_EVERY = TimeUnit.MINUTES.toNanos(1);

    private final URI endpoint;
    private final Map<String, String> headers;
    private final Duration pause;
    private final OtlpMessage message = new OtlpMessage();
    private final CountDownLatch closing = new CountDownLatch(1);
    private long lost;
    private long told = System.nanoTime() - TOLD_EVERY;

    Collector(URI endpoint, Map<String, String> headers) {
        this(endpoint, headers, PAUSE);
    }

    Collector(URI endpoint, Map<String, String> headers, Duration pause) {
        this.endpoint = endpoint;
        this.headers = headers;
        this.pause = pause;
    }

    /** What came of sending: nothing to say is good. */
    private record Answer(@Nullable String problem, boolean again, Duration pause) {
        static final Answer GOOD = new Answer(null, false, Duration.ZERO);
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        message.encode(spans);
        for (int tried = 1; ; tried++) {
            Answer answer = send();
            if (answer.problem == null) {
                return CompletableResultCode.ofSuccess();
            }
            if (!answer.again || tried == TRIES || !pause(tried, answer.pause)) {
                lost(spans.size(), answer.problem);
                return CompletableResultCode.ofFailure();
            }
        }
    }

    private Answer send() {
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
            return !closing.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void lost(int spans, String problem) {
        lost += spans;
        long now = System.nanoTime();
        if (now - told >= TOLD_EVERY) {
            LOG.warn("{} spans are lost, the collector at {} did not take them: {}", lost, endpoint.getHost(), problem);
            lost = 0;
            told = now;
        }
    }

    /** From now on nothing is tried twice. */
    void closing() {
        closing.countDown();
    }

    @Override
    public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
        closing();
        return CompletableResultCode.ofSuccess();
    }
}
