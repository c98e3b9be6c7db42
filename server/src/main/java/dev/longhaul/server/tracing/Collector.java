package dev.longhaul.server.tracing;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Who takes spans, over HTTP. While it is away or has too much to do, it is tried some times more. */
final class Collector {
    private static final int TIMEOUT_SECONDS = 10;
    private static final int TRIES = 5;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** What the protocol says may be sent again. */
    private static final Set<Integer> AGAIN = Set.of(429, 502, 503, 504);

    private final URI endpoint;
    private final HttpRequest.Builder request;
    private final Duration pause;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final CountDownLatch hurried = new CountDownLatch(1);

    Collector(URI endpoint, Map<String, String> headers) {
        this(endpoint, headers, PAUSE);
    }

    Collector(URI endpoint, Map<String, String> headers, Duration pause) {
        this.endpoint = endpoint;
        this.request = HttpRequest.newBuilder(endpoint).header("User-Agent", "Longhaul");
        headers.forEach(request::setHeader);
        request.setHeader("Content-Type", "application/x-protobuf");
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
        static Answer of(HttpResponse<?> response) {
            int status = response.statusCode();
            String problem = status / 100 == 2 ? null : "status: " + status + " (expected: 2xx)";
            String wait = response.headers().firstValue("retry-after").orElse("");
            long seconds = wait.matches("\\d{1,9}") ? Long.parseLong(wait) : 0;
            return new Answer(problem, AGAIN.contains(status), Duration.ofSeconds(seconds));
        }

        static Answer none(String problem) {
            return new Answer(problem, true, Duration.ZERO);
        }
    }

    private Answer sendOnce(OtlpMessage message) {
        CompletableFuture<HttpResponse<Void>> answer =
                client.sendAsync(request.copy().POST(message.body()).build(), BodyHandlers.discarding());
        try {
            return Answer.of(answer.get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            return Answer.none(String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            return Answer.none("no answer within " + TIMEOUT_SECONDS + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.none("interrupted");
        } finally {
            answer.cancel(true);
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
