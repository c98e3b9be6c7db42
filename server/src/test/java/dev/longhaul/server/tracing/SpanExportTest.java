package dev.longhaul.server.tracing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Tally;
import dev.longhaul.job.Times;
import dev.longhaul.store.ClaimedJob;
import dev.longhaul.worker.RunTracing.RunTrace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Spans reach a collector over HTTP, if one is named. */
class SpanExportTest {
    private static final String SAMPLED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String UNSAMPLED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

    private final LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> authorized = new LinkedBlockingQueue<>();
    private final HttpServer collector;

    SpanExportTest() throws IOException {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            try (exchange) {
                boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
                byte[] body = exchange.getRequestBody().readAllBytes();
                authorized.add(String.valueOf(exchange.getRequestHeaders().getFirst("authorization")));
                received.add(exchange.getRequestHeaders().getFirst("Content-Type") + " "
                        + new String(zipped ? unzipped(body) : body, ISO_8859_1));
                exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
                exchange.sendResponseHeaders(200, -1);
            }
        });
        collector.start();
    }

    private static byte[] unzipped(byte[] body) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return in.readAllBytes();
        }
    }

    @AfterEach
    void close() {
        collector.stop(0);
    }

    private TraceConfig config(double ratio) {
        return new TraceConfig(
                URI.create("http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/traces"), ratio);
    }

    @Test
    void sends_what_is_left_when_it_closes() throws Exception {
        try (SpanExport export = SpanExport.start(config(1))) {
            export.tracing().request("POST /v1/jobs", null, trace -> trace);
        }
        assertThat(received.poll(20, TimeUnit.SECONDS))
                .startsWith("application/x-protobuf ")
                .contains("POST /v1/jobs", "service.name", "longhaul");
    }

    @Test
    void says_who_sends_where_the_collector_wants_to_know() throws Exception {
        var config = new TraceConfig(config(1).endpoint(), Map.of("authorization", "Bearer abc"), 1);
        try (SpanExport export = SpanExport.start(config)) {
            export.tracing().request("r", null, trace -> trace);
        }
        assertThat(authorized.poll(20, TimeUnit.SECONDS)).isEqualTo("Bearer abc");
        assertThat(config.toString()).contains("authorization").doesNotContain("abc");
    }

    @Test
    void keeps_to_the_ratio_and_to_what_a_caller_has_decided() {
        try (SpanExport export = SpanExport.start(config(0))) {
            assertThat(export.tracing().<String>request("r", null, String::valueOf))
                    .matches(".*-0[02]");
            assertThat(export.tracing().<String>request("r", SAMPLED, String::valueOf))
                    .endsWith("-01");
        }
    }

    @Test
    void records_that_share_of_what_begins_here() {
        try (SpanExport export = SpanExport.start(config(0.5))) {
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
        try (SpanExport export = SpanExport.start(config(0))) {
            RunTrace run = run(export, null);
            assertThat(run.traceparent())
                    .matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00")
                    .isEqualTo(run.traceparent())
                    .isNotEqualTo(traceOfRun(export, null));
            assertThat(traceOfRun(export, UNSAMPLED)).isEqualTo(UNSAMPLED);
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
    void makes_none_and_passes_on_what_came_without_a_collector() {
        try (SpanExport export = SpanExport.start(TraceConfig.OFF)) {
            assertThat(export.tracing().<String>request("r", null, String::valueOf))
                    .isEqualTo("null");
            assertThat(export.tracing().<String>request("r", SAMPLED, String::valueOf))
                    .isEqualTo(SAMPLED);
        }
    }
}
