package dev.longhaul.server.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Logger;

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

    private final Tracing tracing;
    private final Runnable closing;

    private SpanExport(Tracing tracing, Runnable closing) {
        this.tracing = tracing;
        this.closing = closing;
    }

    public static SpanExport start(TraceConfig config) {
        URI endpoint = config.endpoint();
        if (endpoint == null) {
            return new SpanExport(Tracing.OFF, () -> {});
        }
        var share = new Share(config.ratio());
        var collector = new Collector(endpoint, config.headers());
        var provider = SdkTracerProvider.builder()
                .setResource(Resource.getDefault()
                        .merge(Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), "longhaul"))))
                .setSampler(share)
                .addSpanProcessor(BatchSpanProcessor.builder(collector)
                        .setMaxQueueSize(QUEUE)
                        .setMaxExportBatchSize(BATCH)
                        .build())
                .build();
        var telemetry = OpenTelemetrySdk.builder().setTracerProvider(provider).build();
        return new SpanExport(new Tracing(telemetry, share), () -> {
            collector.closing();
            provider.shutdown().join(CLOSING_SECONDS, TimeUnit.SECONDS);
        });
    }

    public Tracing tracing() {
        return tracing;
    }

    /** Sends what it has, if the collector is there. */
    @Override
    public void close() {
        closing.run();
    }
}
