package dev.longhaul.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobResult;
import dev.longhaul.Longhaul;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.RetryPolicy;
import java.io.IOException;
import java.util.List;

/** What a handler can do about failures: be retried, snooze, give up, and call a hook. */
public final class Failing {
    private Failing() {}

    record Fetch(String url) {}

    record Fetched(int attempts) {}

    // region failing
    static final JobDefinition<Fetch, Fetched> FETCH = JobDefinition.of("fetch", Fetch.class, Fetched.class)
            .maxAttempts(5)
            .retry(RetryPolicy.of(new Backoff(ofMillis(100), 2, ofSeconds(10))).never(IllegalArgumentException.class))
            .onFail((context, failure) -> System.out.println("alert: " + failure.message()))
            .handler((params, context) -> switch (params.url()) {
                case "busy" -> {
                    if (context.run() == 1) {
                        throw context.snooze(ofMillis(100)); // run again later; the attempt is not spent
                    }
                    yield new Fetched(context.attempt());
                }
                case "flaky" -> {
                    if (context.attempt() < 3) {
                        throw new IOException("connection reset"); // this attempt failed; it is retried
                    }
                    yield new Fetched(context.attempt());
                }
                case "gone" -> throw context.giveUp("410 Gone"); // fails at once, even if attempts are left
                default -> throw new IllegalArgumentException("no such page"); // never retried by the policy above
            });
    // endregion

    public static void main(String[] arguments) throws InterruptedException {
        try (var longhaul = Longhaul.builder().memory().register(FETCH).start()) {
            for (String url : List.of("busy", "flaky", "gone", "nowhere")) {
                JobResult<Fetched> result = longhaul.await(FETCH, longhaul.later(FETCH, new Fetch(url)), ofMinutes(1));
                System.out.println(url + ": " + result.status().wireName() + " after " + result.attempts());
            }
        }
    }
}
