package dev.longhaul.server.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Sends spans to a collector, in batches by a thread of its own; what it does not take in time is dropped. */
public final class SpanExport implements AutoCloseable {
    private static final int CLOSING_SECONDS = 5;
    /** Large, because a request to the collector costs more than a span in it. */
    private static final int BATCH = 2048;

    private static final int QUEUE = 4 * BATCH;

    /** Held here, for a logger that nobody holds loses its filter. */
    private static final Logger DROPS = Logger.getLogger(BatchSpanProcessor.class.getName());

    private static final long DROPS_TOLD_EVERY = TimeUnit.SECONDS.toNanos(10);
    private static final AtomicLong DROPS_TOLD = new AtomicLong(System.nanoTime() - DROPS_TOLD_EVERY);

    static {
        // It would tell with every batch, many times a second while the collector is too slow.
        DROPS.setFilter(record -> {
            long now = System.nanoTime();
            long told = DROPS_TOLD.get();
            return now - told >= DROPS_TOLD_EVERY && DROPS_TOLD.compareAndSet(told, now);
        });
    }

    private final @Nullable OpenTelemetrySdk telemetry;
    private final Tracing tracing;

    private SpanExport(@Nullable OpenTelemetrySdk telemetry, Tracing tracing) {
        this.telemetry = telemetry;
        this.tracing = tracing;
    }

    public static SpanExport start(TraceConfig config) {
        URI endpoint = config.endpoint();
        if (endpoint == null) {
            return new SpanExport(null, Tracing.OFF);
        }
        var share = new Share(config.ratio());
        var exporter = OtlpHttpSpanExporter.builder()
                .setEndpoint(endpoint.toString())
                .setHeaders(config::headers)
                .build();
        var provider = SdkTracerProvider.builder()
                .setResource(Resource.getDefault()
                        .merge(Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), "longhaul"))))
                .setSampler(share)
                .addSpanProcessor(BatchSpanProcessor.builder(exporter)
                        .setMaxQueueSize(QUEUE)
                        .setMaxExportBatchSize(BATCH)
                        .build())
                .build();
        var telemetry = OpenTelemetrySdk.builder().setTracerProvider(provider).build();
        return new SpanExport(telemetry, new Tracing(telemetry, share));
    }

    public Tracing tracing() {
        return tracing;
    }

    /** Sends what it has, if the collector is there. */
    @Override
    public void close() {
        if (telemetry != null) {
            telemetry.getSdkTracerProvider().shutdown().join(CLOSING_SECONDS, TimeUnit.SECONDS);
        }
    }
}
