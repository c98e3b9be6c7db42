package dev.longhaul.server.tracing;

import dev.longhaul.worker.RunTracing;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes spans of what is asked for, run and told. Switched off, it passes on what others began. */
public final class Tracing {
    static final String NAME = "dev.longhaul";

    /** Makes no spans. */
    public static final Tracing OFF = new Tracing(OpenTelemetry.noop().getTracer(NAME), RunTracing.OFF);

    private final Tracer tracer;
    private final RunTracing runs;

    /** Makes a span of everything. */
    public Tracing(OpenTelemetry telemetry) {
        this(telemetry, Share.ALL);
    }

    Tracing(OpenTelemetry telemetry, Share share) {
        this(telemetry.getTracer(NAME), share);
    }

    private Tracing(Tracer tracer, Share share) {
        this(tracer, new RunSpans(tracer, share));
    }

    private Tracing(Tracer tracer, RunTracing runs) {
        this.tracer = tracer;
        this.runs = runs;
    }

    /** Makes spans of runs; for {@link dev.longhaul.LonghaulBuilder#traceBy}. */
    public RunTracing ofRuns() {
        return runs;
    }

    /** Somebody's request; what is done for it is given the trace to go on with. */
    public <T> T request(String name, @Nullable String traceparent, Function<@Nullable String, T> work) {
        return within(span(name, SpanKind.SERVER, traceparent), work);
    }

    /** A call to somebody else. */
    public <T> T call(String name, @Nullable String traceparent, Function<@Nullable String, T> work) {
        return within(span(name, SpanKind.CLIENT, traceparent), work);
    }

    Span span(String name, SpanKind kind, @Nullable String traceparent) {
        return tracer.spanBuilder(name)
                .setSpanKind(kind)
                .setParent(Traceparent.parent(traceparent))
                .startSpan();
    }

    /** The span's own context; where no span is made, what came in; null where nothing did. */
    static @Nullable String own(Span span) {
        return span.getSpanContext().isValid() ? Traceparent.of(span.getSpanContext()) : null;
    }

    private static <T> T within(Span span, Function<@Nullable String, T> work) {
        try {
            return Context.current()
                    .with(span)
                    .wrapSupplier(() -> work.apply(own(span)))
                    .get();
        } catch (RuntimeException e) {
            span.setStatus(StatusCode.ERROR);
            throw e;
        } finally {
            span.end();
        }
    }
}
