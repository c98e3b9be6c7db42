package dev.longhaul.server.tracing;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.InternalTelemetryVersion;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends spans to a collector by OTLP over HTTP, if an endpoint is configured. Spans wait in a bounded queue. If the
 * collector is slow or unavailable, spans are dropped and counted; nothing else is delayed.
 */
public final class SpanExport implements AutoCloseable {
    /** Capacity of the queue. Further spans are dropped. */
    static final int QUEUE = 8_192;

    private static final Logger LOG = LoggerFactory.getLogger(SpanExport.class);
    private static final Duration SEND_EVERY = Duration.ofSeconds(1);
    /** Timeout of one batch, including retries. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final int CLOSING_SECONDS = 5;

    private final Tracing tracing;
    private final Runnable closing;

    private SpanExport(Tracing tracing, Runnable closing) {
        this.tracing = tracing;
        this.closing = closing;
    }

    /** Starts the export. Registers the number of dropped spans in the registry, even if tracing is off. */
    public static SpanExport start(TraceConfig config, MeterRegistry registry) {
        var dropped = new DroppedSpans();
        FunctionCounter.builder("longhaul.spans.dropped", dropped, DroppedSpans::count)
                .description("Spans that were not delivered: the queue was full, or the collector failed.")
                .register(registry);
        URI endpoint = config.endpoint();
        if (endpoint == null) {
            return new SpanExport(Tracing.OFF, () -> {});
        }
        var provider = SdkTracerProvider.builder()
                .setResource(Resource.getDefault()
                        .merge(Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), "longhaul"))))
                .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(config.ratio())))
                .addSpanProcessor(sender(endpoint, config, dropped))
                .build();
        var telemetry = OpenTelemetrySdk.builder().setTracerProvider(provider).build();
        return new SpanExport(new Tracing(telemetry), () -> {
            if (!provider.shutdown().join(CLOSING_SECONDS, TimeUnit.SECONDS).isDone()) {
                LOG.warn(
                        "shutting down with unsent spans: the collector at {} did not respond within {} s",
                        endpoint.getHost(),
                        CLOSING_SECONDS);
            }
        });
    }

    private static SpanProcessor sender(URI endpoint, TraceConfig config, DroppedSpans dropped) {
        var exporter = OtlpHttpSpanExporter.builder()
                .setEndpoint(endpoint.toString())
                .setHeaders(config::headers)
                .setTimeout(TIMEOUT)
                .build();
        return BatchSpanProcessor.builder(new GuardedExporter(exporter))
                .setMaxQueueSize(QUEUE)
                .setScheduleDelay(SEND_EVERY)
                .setExporterTimeout(TIMEOUT)
                .setMeterProvider(
                        SdkMeterProvider.builder().registerMetricReader(dropped).build())
                .setInternalTelemetryVersion(InternalTelemetryVersion.LATEST)
                .build();
    }

    public Tracing tracing() {
        return tracing;
    }

    /** Sends the queued spans, for at most 5 s. */
    @Override
    public void close() {
        closing.run();
    }
}
