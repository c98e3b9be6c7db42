package dev.longhaul.server.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends spans to a collector, if one is named. */
public final class SpanExport implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpanExport.class);
    private static final int CLOSING_SECONDS = 5;

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
        Resource resource = Resource.getDefault()
                .merge(Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), "longhaul")));
        var collector = new Collector(endpoint, config.headers());
        var share = new Share(config.ratio());
        var provider = SdkTracerProvider.builder()
                .setResource(resource)
                .setSampler(share)
                .addSpanProcessor(new SpanSender(collector, () -> new OtlpMessage(resource, Tracing.NAME)).start())
                .build();
        var telemetry = OpenTelemetrySdk.builder().setTracerProvider(provider).build();
        return new SpanExport(new Tracing(telemetry, share), () -> {
            if (!provider.shutdown().join(CLOSING_SECONDS, TimeUnit.SECONDS).isDone()) {
                LOG.warn("The last spans are lost, {} did not take them within {} s", collector, CLOSING_SECONDS);
            }
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
