package dev.longhaul.server.webhook;

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.ResponseTimeoutException;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.client.proxy.ProxyConfig;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.util.Exceptions;
import dev.longhaul.server.tracing.Tracing;
import dev.longhaul.server.webhook.Destination.RefusedException;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.JobSummary;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Sends one delivery and tells what came of it. Only a 2xx counts; redirects are not followed. */
final class Post implements AutoCloseable {
    private static final int LARGEST_ANSWER = 64 * 1024;
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration IDLE = Duration.ofSeconds(5);

    private final AddressRules rules;
    private final Destination.Resolver resolver;
    private final Duration timeout;
    private final ClientFactory connections;
    private final Tracing tracing;

    Post(WebhookConfig config, Destination.Resolver resolver, Tracing tracing) {
        this.tracing = tracing;
        this.rules = new AddressRules(config.networks());
        this.resolver = resolver;
        this.timeout = config.timeout();
        this.connections = ClientFactory.builder()
                .connectTimeout(CONNECT)
                .idleTimeout(IDLE)
                // Whatever the environment says: a proxy would look the name up anew.
                .proxyConfig(ProxyConfig.direct())
                .build();
    }

    DeliveryTry send(DueDelivery due, Instant now) {
        JobSummary job = due.delivery().job();
        String trace = job == null ? null : job.traceparent();
        return tracing.call("webhook " + due.delivery().event().text(), trace, own -> send(due, now, own));
    }

    private DeliveryTry send(DueDelivery due, Instant now, @Nullable String trace) {
        long began = System.nanoTime();
        int number = due.delivery().tries();
        try {
            AggregatedHttpResponse answer = answer(due, now, trace);
            HttpStatus status = answer.status();
            String error = status.isSuccess() ? null : "status: " + status.code() + " (expected: 2xx)";
            return new DeliveryTry(number, now, since(began), status.code(), error, answer.contentUtf8());
        } catch (RefusedException e) {
            return failed(number, now, began, String.valueOf(e.getMessage()));
        } catch (CompletionException e) {
            return failed(number, now, began, why(Exceptions.peel(e)));
        } catch (RuntimeException e) {
            // Whatever a receiver or its URL brings about must not keep the others from being sent to.
            return failed(number, now, began, why(e));
        }
    }

    private AggregatedHttpResponse answer(DueDelivery due, Instant now, @Nullable String trace)
            throws RefusedException {
        Destination to = Destination.of(URI.create(due.url()), resolver, rules);
        String id = due.delivery().id().toString();
        String body = Message.of(due.delivery());
        var headers = RequestHeaders.builder(HttpMethod.POST, to.path())
                .contentType(MediaType.JSON_UTF_8)
                .set("user-agent", "Longhaul")
                .set("webhook-id", id)
                .set("webhook-timestamp", Long.toString(now.getEpochSecond()))
                .set("webhook-signature", Signature.of(due.secrets(), id, now.getEpochSecond(), body));
        if (trace != null) {
            headers.set("traceparent", trace);
        }
        return WebClient.builder(to.protocol(), to.endpoint())
                .factory(connections)
                .responseTimeout(timeout)
                .writeTimeout(timeout)
                .maxResponseLength(LARGEST_ANSWER)
                .build()
                .execute(HttpRequest.of(headers.build(), HttpData.ofUtf8(body)))
                .aggregate()
                .join();
    }

    private String why(Throwable cause) {
        if (cause instanceof ResponseTimeoutException) {
            return "answer: none after " + timeout.toMillis() + " ms (expected: one within that)";
        }
        if (cause instanceof ContentTooLargeException) {
            return "answer: over " + LARGEST_ANSWER + " bytes (expected: less)";
        }
        @Nullable String message = Exceptions.peel(cause).getMessage();
        return cause.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }

    private static DeliveryTry failed(int number, Instant now, long began, String error) {
        return new DeliveryTry(number, now, since(began), null, error, null);
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    @Override
    public void close() {
        connections.close();
    }
}
