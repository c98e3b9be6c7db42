package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.Longhaul;
import dev.longhaul.client.LonghaulClient;
import dev.longhaul.client.RemoteWorker;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.process.command.Commands;
import dev.longhaul.server.tracing.Tracing;
import dev.longhaul.server.webhook.WebhookConfig;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A request, the run of its job and its webhook form one trace, also through a child process. */
class OneTraceTest {
    private static final String CALLERS = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();
    private final Tracing tracing = new Tracing(telemetry);
    private final LinkedBlockingQueue<String> current = new LinkedBlockingQueue<>();
    private final Longhaul longhaul = Longhaul.builder()
            .memory()
            .traceBy(tracing.ofRuns())
            .register(Commands.any())
            .register(TracedChild.TRACE_OF_CHILD)
            .register(JobDefinition.of("test.look", Map.class, Void.class).handler((params, run) -> {
                current.add(Span.current().getSpanContext().getTraceId());
                return null;
            }))
            .start();
    private final LonghaulServer server = LonghaulServer.start(
            longhaul,
            Doors.AT_ONCE.withTracing(tracing).withWebhooks(WebhookConfig.USUAL.withNetworks(List.of("127.0.0.0/8"))));
    private final Api api = new Api(server.port());
    private final LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final HttpServer receiver;

    OneTraceTest() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            try (exchange) {
                received.add(String.valueOf(exchange.getRequestHeaders().getFirst("traceparent")));
                exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(204, -1);
            }
        });
        receiver.start();
    }

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
        receiver.stop(0);
        telemetry.close();
    }

    private SpanData span(String name) {
        while (true) {
            for (SpanData span : spans.getFinishedSpanItems()) {
                if (span.getName().equals(name)) {
                    return span;
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Test
    void continues_from_the_request_into_a_child_process_and_to_the_webhook() throws Exception {
        api.post(
                "/v1/webhooks",
                "{\"url\":\"http://127.0.0.1:" + receiver.getAddress().getPort()
                        + "/\",\"events\":[\"job.succeeded\"]}");
        String id = api.with("traceparent", CALLERS)
                .post(
                        "/v1/jobs",
                        "{\"definitionKey\":\"command\",\"params\":{\"argv\":[\"sh\",\"-c\",\"echo $TRACEPARENT\"]}}")
                .json()
                .path("jobId")
                .asText();
        String traceparent = received.poll(20, TimeUnit.SECONDS);

        SpanData request = span("POST /v1/jobs");
        SpanData run = span("run command");
        SpanData handler = span("handler");
        SpanData webhook = span("webhook job.succeeded");
        assertThat(List.of(request, run, span("claim"), handler, span("complete"), webhook))
                .extracting(SpanData::getTraceId)
                .containsOnly(TRACE);
        assertThat(List.of(span("claim"), handler, span("complete")))
                .extracting(SpanData::getParentSpanId)
                .containsOnly(run.getSpanId());
        assertThat(run.getStartEpochNanos()).isLessThanOrEqualTo(span("claim").getStartEpochNanos());
        assertThat(run.getEndEpochNanos())
                .isGreaterThanOrEqualTo(span("complete").getEndEpochNanos());
        assertThat(request.getParentSpanId()).isEqualTo("b7ad6b7169203331");
        assertThat(run.getParentSpanId()).isEqualTo(request.getSpanId());
        assertThat(webhook.getParentSpanId()).isEqualTo(request.getSpanId());
        assertThat(traceparent).isEqualTo("00-" + TRACE + "-" + webhook.getSpanId() + "-01");
        assertThat(webhook.getAttributes().get(AttributeKey.stringKey("longhaul.job.id")))
                .isEqualTo(id);
        assertThat(webhook.getAttributes().get(AttributeKey.longKey("http.response.status_code")))
                .isEqualTo(204);
        String printed = api.get("/v1/jobs/" + id + "/log").body();
        assertThat(printed).contains("00-" + TRACE + "-" + handler.getSpanId() + "-01");
    }

    @Test
    void shows_that_a_webhook_failed() {
        api.post("/v1/webhooks", "{\"url\":\"http://127.0.0.1:1/\",\"events\":[\"job.succeeded\"]}");
        api.with("traceparent", CALLERS).post("/v1/jobs", "{\"definitionKey\":\"test.look\"}");
        SpanData webhook = span("webhook job.succeeded");
        assertThat(webhook.getTraceId()).isEqualTo(TRACE);
        assertThat(webhook.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    }

    @Test
    void is_current_in_code_that_runs_in_a_thread() throws Exception {
        api.with("traceparent", CALLERS).post("/v1/jobs", "{\"definitionKey\":\"test.look\"}");
        assertThat(current.poll(20, TimeUnit.SECONDS)).isEqualTo(TRACE);
    }

    @Test
    void is_known_to_java_code_in_a_child_process() throws Exception {
        String id = api.with("traceparent", CALLERS)
                .post("/v1/jobs", "{\"definitionKey\":\"test.child\"}")
                .json()
                .path("jobId")
                .asText();
        SpanData run = span("run test.child");
        assertThat(run.getTraceId()).isEqualTo(TRACE);
        assertThat(api.get("/v1/jobs/" + id).json().path("result").asText())
                .isEqualTo("00-" + TRACE + "-" + span("handler").getSpanId() + "-01");
    }

    @Test
    void continues_over_rpc_to_the_job_and_to_a_remote_worker() throws Exception {
        var far = JobDefinition.of("test.far", Map.class, Void.class)
                .queue("far")
                .handler((params, run) -> {
                    current.add(Span.current().getSpanContext().getTraceId() + " " + run.traceparent());
                    return null;
                });
        try (LonghaulClient client = LonghaulClient.connect(URI.create("http://127.0.0.1:" + server.port()), null);
                RemoteWorker worker = RemoteWorker.start(
                        client,
                        WorkerConfig.DEFAULT.withQueues(Map.of("far", WorkerConfig.ANY)),
                        List.of(far),
                        tracing.ofRuns())) {
            assertThat(worker).isNotNull();
            client.enqueue("test.far", "{}", JobOptions.options().traceparent(CALLERS));
            String seen = current.poll(20, TimeUnit.SECONDS);
            SpanData request = span("EnqueueJob");
            SpanData run = span("run test.far");
            assertThat(request.getParentSpanId()).isEqualTo("b7ad6b7169203331");
            assertThat(run.getParentSpanId()).isEqualTo(request.getSpanId());
            assertThat(seen)
                    .isEqualTo(TRACE + " 00-" + TRACE + "-" + span("handler").getSpanId() + "-01");
        }
    }

    @Test
    void starts_here_without_a_valid_incoming_one() throws Exception {
        api.with("traceparent", "00-nonsense").post("/v1/jobs", "{\"definitionKey\":\"test.look\"}");
        assertThat(current.poll(20, TimeUnit.SECONDS))
                .isEqualTo(span("POST /v1/jobs").getTraceId());
    }
}
