package dev.longhaul.server.webhook;

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.ResponseTimeoutException;
import com.linecorp.armeria.client.UnprocessedRequestException;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.client.proxy.ProxyConfig;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.SplitHttpResponse;
import com.linecorp.armeria.common.util.Exceptions;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.WebhookUrl;
import dev.longhaul.server.outbound.AddressRules;
import dev.longhaul.server.outbound.Destination;
import dev.longhaul.server.outbound.Destination.RefusedException;
import dev.longhaul.server.tracing.Tracing;
import dev.longhaul.webhook.DeliveryTry;
import dev.longhaul.webhook.DueDelivery;
import dev.longhaul.webhook.EventSink;
import dev.longhaul.webhook.JobSummary;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends one delivery, to an endpoint or a topic, and returns its outcome. Of an endpoint, only a 2xx status is a success.
 * Redirects are not followed.
 */
final class DeliveryClient implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration IDLE = Duration.ofSeconds(5);

    private final AddressRules rules;
    private final Destination.Resolver resolver;
    private final Duration timeout;
    private final ClientFactory connections;
    private final ExecutorService lookUps = Executors.newCachedThreadPool(work -> {
        var thread = new Thread(work, "longhaul-webhook-lookup");
        thread.setDaemon(true);
        return thread;
    });
    private final Tracing tracing;
    private final @Nullable EventSink topics;

    DeliveryClient(WebhookConfig config, Destination.Resolver resolver, Tracing tracing) {
        this.tracing = tracing;
        this.rules = new AddressRules(config.networks(), "webhook-networks");
        this.resolver = resolver;
        this.timeout = config.timeout();
        this.topics = config.topics();
        this.connections = ClientFactory.builder()
                .connectTimeout(timeout.compareTo(CONNECT) < 0 ? timeout : CONNECT)
                .idleTimeout(IDLE)
                // Ignores the proxy settings of the environment, because a proxy would resolve the checked name again.
                .proxyConfig(ProxyConfig.direct())
                .build();
    }

    DeliveryTry send(DueDelivery due, Instant now) {
        JobSummary job = due.delivery().job();
        String trace = job == null ? null : job.traceparent();
        return tracing.call("webhook " + due.delivery().event().text(), trace, own -> {
            DeliveryTry outcome = send(due, now, own);
            describe(Span.current(), due, outcome);
            return outcome;
        });
    }

    private static void describe(Span span, DueDelivery due, DeliveryTry outcome) {
        JobSummary job = due.delivery().job();
        if (job != null) {
            span.setAttribute("longhaul.job.id", job.id().toString());
        }
        span.setAttribute("longhaul.webhook.id", due.delivery().webhookId().toString());
        span.setAttribute("longhaul.delivery.id", due.delivery().id().toString());
        span.setAttribute("longhaul.delivery.try", outcome.number());
        Integer status = outcome.status();
        if (status != null) {
            span.setAttribute("http.response.status_code", status);
        }
        if (!outcome.succeeded()) {
            span.setStatus(StatusCode.ERROR);
        }
    }

    private DeliveryTry send(DueDelivery due, Instant now, @Nullable String trace) {
        long began = System.nanoTime();
        int number = due.delivery().tries();
        try {
            if (WebhookUrl.isTopic(due.url())) {
                publish(due, trace);
                return new DeliveryTry(number, now, since(began), null, null, null);
            }
            Response response = post(due, now, trace);
            HttpStatus status = response.status;
            String error = status.isSuccess() ? null : "status: " + status.code() + " (expected: 2xx)";
            return new DeliveryTry(number, now, since(began), status.code(), error, response.head);
        } catch (RefusedException | LonghaulException e) {
            return failed(number, now, began, String.valueOf(e.getMessage()));
        } catch (CompletionException e) {
            return failed(number, now, began, why(Exceptions.peel(e)));
        } catch (RuntimeException e) {
            // Any failure counts as the outcome of this attempt. It must not affect other deliveries.
            return failed(number, now, began, why(e));
        }
    }

    private void publish(DueDelivery due, @Nullable String trace) {
        if (topics == null) {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION, "kafka: not set on this server (expected: brokers, as --kafka)");
        }
        topics.send(due, Message.of(due.delivery()), trace);
    }

    /** A response, with the beginning of its body. */
    private record Response(HttpStatus status, String head) {}

    private Response post(DueDelivery due, Instant now, @Nullable String trace) throws RefusedException {
        Destination to = Destination.of(URI.create(due.url()), this::lookUp, rules, due.triesSince());
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
        SplitHttpResponse response = WebClient.builder(to.protocol(), to.endpoint())
                .factory(connections)
                .responseTimeout(timeout)
                .writeTimeout(timeout)
                // Unlimited, because BodyPreview stops reading at its own limit.
                .maxResponseLength(0)
                .build()
                .execute(HttpRequest.of(headers.build(), HttpData.ofUtf8(body)))
                .split();
        HttpStatus status = response.headers().join().status();
        var head = new BodyPreview();
        response.body().subscribe(head);
        return new Response(status, head.text().join());
    }

    /**
     * Resolves a name in a separate thread, because the system's resolver may take minutes and cannot be interrupted.
     */
    private InetAddress[] lookUp(String host) throws UnknownHostException {
        Future<InetAddress[]> found = lookUps.submit(() -> resolver.resolve(host));
        try {
            return found.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new UnknownHostException(host);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnknownHostException(host);
        }
    }

    private String why(Throwable cause) {
        if (cause instanceof ResponseTimeoutException) {
            return "response: none (expected: one within the timeout of " + timeout.toMillis() + " ms)";
        }
        Throwable inner =
                cause instanceof UnprocessedRequestException && cause.getCause() != null ? cause.getCause() : cause;
        if (inner instanceof ConnectException) {
            return "connection: refused or failed (expected: a listening server): " + inner.getMessage();
        }
        @Nullable String message = inner.getMessage();
        return inner.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }

    private static DeliveryTry failed(int number, Instant now, long began, String error) {
        return new DeliveryTry(number, now, since(began), null, error, null);
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    @Override
    public void close() {
        lookUps.shutdownNow();
        connections.close();
    }
}
