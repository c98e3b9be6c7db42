package dev.longhaul.server.tracing;

import dev.longhaul.internal.loop.RareLog;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import org.slf4j.LoggerFactory;

/**
 * Turns errors of the encoder, such as a stack overflow, into failed exports. Otherwise such an error would end the
 * SDK's sender thread.
 */
final class GuardedExporter implements SpanExporter {
    private final SpanExporter exporter;
    private final RareLog errors = new RareLog(LoggerFactory.getLogger(GuardedExporter.class));

    GuardedExporter(SpanExporter exporter) {
        this.exporter = exporter;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        try {
            return exporter.export(spans);
        } catch (RuntimeException | Error e) {
            errors.error("exporting " + spans.size() + " spans failed; they are dropped", e);
            return CompletableResultCode.ofExceptionalFailure(e);
        }
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return exporter.shutdown();
    }
}
