package dev.longhaul.server.tracing;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Which traces are recorded: those that others record, and a share of those that begin here. */
final class Share implements Sampler {
    static final Share ALL = new Share(1);

    private static final ContextKey<Boolean> CHOSEN = ContextKey.named("longhaul-chosen");

    private final double ratio;

    Share(double ratio) {
        this.ratio = ratio;
    }

    /** Asked before anything is made for a span, for most are not recorded. */
    boolean has(Context parent) {
        SpanContext span = Span.fromContext(parent).getSpanContext();
        return span.isValid() ? span.isSampled() : ThreadLocalRandom.current().nextDouble() < ratio;
    }

    /** So that a span that is to be recorded is not left to chance once more. */
    static Context chosen(Context parent) {
        return parent.with(CHOSEN, true);
    }

    @Override
    public SamplingResult shouldSample(
            Context parent, String traceId, String name, SpanKind kind, Attributes attributes, List<LinkData> links) {
        return parent.get(CHOSEN) != null || has(parent) ? SamplingResult.recordAndSample() : SamplingResult.drop();
    }

    @Override
    public String getDescription() {
        return "Share{" + ratio + "}";
    }
}
