package dev.longhaul.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.Longhaul;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application traces its runs with its own OpenTelemetry instance and without the server. */
@Timeout(30)
class OpenTelemetryTracingTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SAMPLED = "00-" + TRACE + "-b7ad6b7169203331-01";
    private static final String UNSAMPLED = "00-" + TRACE + "-b7ad6b7169203331-00";

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private final JobDefinition<Map<String, Object>, Void> job = definition();

    @SuppressWarnings("unchecked")
    private JobDefinition<Map<String, Object>, Void> definition() {
        return JobDefinition.of("test.job", (Class<Map<String, Object>>) (Class<?>) Map.class, Void.class)
                .maxAttempts(1)
                .handler((params, run) -> {
                    seen.add(Span.current().getSpanContext().getSpanId() + " " + run.traceparent());
                    if (params.containsKey("fail")) {
                        throw new IllegalStateException("secret");
                    }
                    return null;
                });
    }

    private OpenTelemetrySdk telemetry(Sampler sampler) {
        return OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .setSampler(sampler)
                        .addSpanProcessor(SimpleSpanProcessor.create(spans))
                        .build())
                .build();
    }

    private Longhaul traced(OpenTelemetry telemetry) {
        return Longhaul.builder()
                .memory()
                .register(job)
                .traceBy(OpenTelemetryTracing.of(telemetry))
                .start();
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
    void a_run_continues_the_trace_of_its_job() throws Exception {
        try (OpenTelemetrySdk telemetry = telemetry(Sampler.alwaysOn());
                Longhaul longhaul = traced(telemetry)) {
            longhaul.later(job, Map.of(), JobOptions.options().traceparent(SAMPLED));
            SpanData run = span("run test.job");
            assertThat(run.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(run.getParentSpanContext().getSpanId()).isEqualTo("b7ad6b7169203331");
            assertThat(run.getAttributes().asMap())
                    .containsEntry(AttributeKey.stringKey("longhaul.definition"), "test.job@1")
                    .containsEntry(AttributeKey.stringKey("longhaul.queue"), "default")
                    .containsEntry(AttributeKey.longKey("longhaul.job.run"), 1L)
                    .containsEntry(AttributeKey.longKey("longhaul.job.attempt"), 1L)
                    .containsEntry(AttributeKey.stringKey("longhaul.outcome"), "returned")
                    .containsEntry(AttributeKey.stringKey("longhaul.verdict"), "won");
            assertThat(List.of(span("claim"), span("handler"), span("complete")))
                    .allSatisfy(child -> {
                        assertThat(child.getTraceId()).isEqualTo(TRACE);
                        assertThat(child.getParentSpanId()).isEqualTo(run.getSpanId());
                    });
            String handler = span("handler").getSpanId();
            assertThat(seen.take()).isEqualTo(handler + " 00-" + TRACE + "-" + handler + "-01");
        }
    }

    @Test
    void a_failed_run_is_an_error_without_its_message() {
        try (OpenTelemetrySdk telemetry = telemetry(Sampler.alwaysOn());
                Longhaul longhaul = traced(telemetry)) {
            longhaul.later(job, Map.of("fail", true));
            SpanData run = span("run test.job");
            assertThat(run.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            assertThat(spans.getFinishedSpanItems().toString()).doesNotContain("secret");
        }
    }

    @Test
    void the_sampler_of_the_application_decides_and_its_decision_reaches_the_code() throws Exception {
        try (OpenTelemetrySdk telemetry = telemetry(Sampler.parentBased(Sampler.alwaysOff()));
                Longhaul longhaul = traced(telemetry)) {
            longhaul.later(job, Map.of());
            assertThat(seen.take()).matches(".*-0[02]");
            longhaul.later(job, Map.of(), JobOptions.options().traceparent(UNSAMPLED));
            assertThat(seen.take()).contains(TRACE).matches(".*-0[02]");
            longhaul.later(job, Map.of(), JobOptions.options().traceparent(SAMPLED));
            assertThat(seen.take()).contains(TRACE).endsWith("-01");
            assertThat(span("run test.job").getTraceId()).isEqualTo(TRACE);
        }
    }

    @Test
    void without_an_sdk_the_context_of_the_job_passes_through() throws Exception {
        try (Longhaul longhaul = traced(OpenTelemetry.noop())) {
            longhaul.later(job, Map.of(), JobOptions.options().traceparent(SAMPLED));
            assertThat(seen.take()).endsWith(SAMPLED);
        }
    }
}
