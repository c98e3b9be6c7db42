package dev.longhaul.server.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.longhaul.engine.run.RunTracing.RunTrace;
import dev.longhaul.internal.text.Times;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Tally;
import dev.longhaul.testing.LogOf;
import dev.longhaul.work.ClaimedJob;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spans are sent to a collector over HTTP, if one is configured. */
@Timeout(30)
class SpanExportTest {
    private static final String SAMPLED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String UNSAMPLED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

    private final LinkedBlockingQueue<ExportTraceServiceRequest> received = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> authorized = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> types = new LinkedBlockingQueue<>();
    private final Queue<Integer> answers = new ConcurrentLinkedQueue<>();
    private final Semaphore answering = new Semaphore(1);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final HttpServer collector;

    SpanExportTest() throws IOException {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            try (exchange) {
                authorized.add(String.valueOf(exchange.getRequestHeaders().getFirst("authorization")));
                types.add(String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type")));
                received.add(ExportTraceServiceRequest.parseFrom(exchange.getRequestBody()));
                answering.acquireUninterruptibly();
                answering.release();
                exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
                Integer answer = answers.poll();
                exchange.sendResponseHeaders(answer == null ? 200 : answer, -1);
            }
        });
        collector.start();
    }

    @AfterEach
    void close() {
        collector.stop(0);
    }

    private TraceConfig config(double ratio) {
        return new TraceConfig(endpoint(), ratio);
    }

    private URI endpoint() {
        return URI.create("http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/traces");
    }

    @Test
    void sends_queued_spans_when_it_closes() throws Exception {
        try (SpanExport export = SpanExport.start(config(1), registry)) {
            export.tracing().request("POST /v1/jobs", null, trace -> trace);
        }
        var sent = received.take().getResourceSpans(0);
        assertThat(sent.getResource().getAttributesList()).anySatisfy(attribute -> {
            assertThat(attribute.getKey()).isEqualTo("service.name");
            assertThat(attribute.getValue().getStringValue()).isEqualTo("longhaul");
        });
        assertThat(sent.getScopeSpans(0).getScope().getName()).isEqualTo("dev.longhaul");
        assertThat(sent.getScopeSpans(0).getSpans(0).getName()).isEqualTo("POST /v1/jobs");
        assertThat(types).containsExactly("application/x-protobuf");
    }

    private List<String> names() {
        return received.stream()
                .map(request -> request.getResourceSpans(0).getScopeSpans(0))
                .flatMap(part -> part.getSpansList().stream().map(io.opentelemetry.proto.trace.v1.Span::getName))
                .toList();
    }

    private double dropped() {
        return registry.get("longhaul.spans.dropped").functionCounter().count();
    }

    @Test
    void sends_each_span_of_many_threads_once() throws Exception {
        int threads = 4;
        int spans = SpanExport.QUEUE / threads;
        try (SpanExport export = SpanExport.start(config(1), registry)) {
            var makers = IntStream.range(0, threads)
                    .mapToObj(maker -> new Thread(() -> {
                        for (int i = 0; i < spans; i++) {
                            export.tracing().request(maker + " " + i, null, trace -> trace);
                        }
                    }))
                    .toList();
            makers.forEach(Thread::start);
            for (Thread maker : makers) {
                maker.join();
            }
        }
        assertThat(names()).hasSize(threads * spans).doesNotHaveDuplicates();
        assertThat(dropped()).isZero();
    }

    @Test
    void drops_and_counts_spans_past_the_queue_while_the_collector_hangs() throws Exception {
        int spans = 3 * SpanExport.QUEUE;
        answering.acquire();
        try (SpanExport export = SpanExport.start(config(1), registry)) {
            for (int i = 0; i < spans; i++) {
                export.tracing().request("r" + i, null, trace -> trace);
            }
            assertThat(dropped()).isGreaterThanOrEqualTo(SpanExport.QUEUE);
            answering.release();
        }
        assertThat(names()).hasSizeGreaterThanOrEqualTo(SpanExport.QUEUE).doesNotHaveDuplicates();
        assertThat(names().size() + dropped()).isEqualTo(spans);
    }

    @Test
    void retries_a_collector_that_is_overloaded() {
        answers.add(503);
        try (SpanExport export = SpanExport.start(config(1), registry)) {
            export.tracing().request("r", null, trace -> trace);
        }
        assertThat(names()).containsExactly("r", "r");
        assertThat(dropped()).isZero();
    }

    @Test
    void does_not_retry_a_collector_that_rejects_and_counts_the_span() {
        answers.add(401);
        try (SpanExport export = SpanExport.start(config(1), registry)) {
            export.tracing().request("r", null, trace -> trace);
        }
        assertThat(names()).containsExactly("r");
        assertThat(dropped()).isEqualTo(1);
    }

    @Test
    void counts_nothing_while_tracing_is_off() {
        SpanExport.start(TraceConfig.OFF, registry).close();
        assertThat(dropped()).isZero();
    }

    @Test
    @Tag("full")
    void gives_up_a_collector_that_does_not_respond_when_it_closes() throws Exception {
        answering.acquire();
        try (var log = new LogOf(SpanExport.class)) {
            try (SpanExport export = SpanExport.start(config(1), registry)) {
                export.tracing().request("r", null, trace -> trace);
            }
            assertThat(log.lines())
                    .containsExactly(
                            "shutting down with unsent spans: the collector at 127.0.0.1 did not respond within 5 s");
        } finally {
            answering.release();
        }
    }

    @Test
    void continues_after_a_span_that_cannot_be_encoded() throws Exception {
        Value<?> deep = Value.of(1);
        for (int i = 0; i < 100_000; i++) {
            deep = Value.of(deep);
        }
        Value<?> tooDeep = deep;
        try (SpanExport export = SpanExport.start(config(1), registry)) {
            export.tracing().request("deep", null, trace -> {
                Span.current().setAttribute(AttributeKey.valueKey("deep"), tooDeep);
                return "";
            });
            while (dropped() == 0 && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
            export.tracing().request("good", null, trace -> trace);
        }
        assertThat(names()).containsExactly("good");
        assertThat(dropped()).isEqualTo(1);
    }

    @Test
    void sends_credentials_to_the_collector() throws Exception {
        var config = new TraceConfig(endpoint(), Map.of("authorization", "Bearer abc"), 1);
        try (SpanExport export = SpanExport.start(config, registry)) {
            export.tracing().request("r", null, trace -> trace);
        }
        assertThat(authorized.poll(20, TimeUnit.SECONDS)).isEqualTo("Bearer abc");
        assertThat(config.toString()).contains("authorization").doesNotContain("abc");
    }

    @Test
    void keeps_the_ratio_and_the_callers_sampling_decision() {
        try (SpanExport export = SpanExport.start(config(0), registry)) {
            assertThat(export.tracing().<String>request("r", null, String::valueOf))
                    .matches(".*-0[02]");
            assertThat(export.tracing().<String>request("r", SAMPLED, String::valueOf))
                    .endsWith("-01");
        }
    }

    @Test
    void samples_that_ratio_of_traces_that_start_here() {
        try (SpanExport export = SpanExport.start(config(0.5), registry)) {
            long recorded = IntStream.range(0, 1000)
                    .mapToObj(i -> export.tracing().<String>request("r", null, String::valueOf))
                    .filter(trace -> trace.matches(".*-0[13]"))
                    .count();
            assertThat(recorded).isBetween(400L, 600L);
            long runs = IntStream.range(0, 1000)
                    .mapToObj(i -> traceOfRun(export, null))
                    .filter(trace -> trace.matches(".*-0[13]"))
                    .count();
            assertThat(runs).isBetween(400L, 600L);
        }
    }

    @Test
    void a_run_that_is_not_recorded_has_a_trace_that_says_so() {
        try (SpanExport export = SpanExport.start(config(0), registry)) {
            RunTrace run = run(export, null);
            assertThat(run.traceparent())
                    .matches("00-[0-9a-f]{32}-[0-9a-f]{16}-0[02]")
                    .isEqualTo(run.traceparent())
                    .isNotEqualTo(traceOfRun(export, null));
            assertThat(traceOfRun(export, UNSAMPLED))
                    .startsWith(UNSAMPLED.substring(0, 36))
                    .endsWith("-00");
            assertThat(traceOfRun(export, SAMPLED))
                    .startsWith(SAMPLED.substring(0, 36))
                    .endsWith("-01")
                    .isNotEqualTo(SAMPLED);
        }
    }

    private static String traceOfRun(SpanExport export, @Nullable String traceparent) {
        return String.valueOf(run(export, traceparent).traceparent());
    }

    private static RunTrace run(SpanExport export, @Nullable String traceparent) {
        Instant now = Instant.now();
        JobSpec spec = JobSpec.of(new DefinitionRef("video.transcode", 1), "{}")
                .traceparent(traceparent)
                .build();
        Job job = new Job(
                spec,
                JobStatus.RUNNING,
                new Times(now, now, now, now, null),
                new Tally(1, 1, 0),
                Progress.NONE,
                null,
                null,
                null,
                null);
        return export.tracing()
                .ofRuns()
                .claimed(new ClaimedJob(new Claim(spec.id(), 1, Claim.newKey()), job), Duration.ofMillis(1));
    }

    @Test
    void creates_no_spans_and_passes_incoming_contexts_on_without_a_collector() {
        try (SpanExport export = SpanExport.start(TraceConfig.OFF, registry)) {
            assertThat(export.tracing().<String>request("r", null, String::valueOf))
                    .isEqualTo("null");
            assertThat(export.tracing().<String>request("r", SAMPLED, String::valueOf))
                    .isEqualTo(SAMPLED);
        }
    }
}
