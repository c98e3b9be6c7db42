package dev.longhaul.server.tracing;

import dev.longhaul.api.rest.RequestTracing;
import dev.longhaul.engine.run.RunTracing;
import dev.longhaul.observe.OpenTelemetryTracing;
import dev.longhaul.observe.Traceparent;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Creates spans of requests, runs and webhooks. If it is off, it only passes incoming trace contexts on. */
public final class Tracing implements RequestTracing {
    /** Creates no spans. */
    public static final Tracing OFF = new Tracing(OpenTelemetry.noop(), RunTracing.OFF);

    private final Tracer tracer;
    private final RunTracing runs;

    public Tracing(OpenTelemetry telemetry) {
        this(telemetry, OpenTelemetryTracing.of(telemetry));
    }

    private Tracing(OpenTelemetry telemetry, RunTracing runs) {
        this.tracer = telemetry.getTracer(OpenTelemetryTracing.SCOPE);
        this.runs = runs;
    }

    /** Returns a tracing that creates spans of runs, for {@link dev.longhaul.LonghaulBuilder#traceBy}. */
    public RunTracing ofRuns() {
        return runs;
    }

    @Override
    public <T> T request(String name, @Nullable String traceparent, Function<@Nullable String, T> work) {
        return within(span(name, SpanKind.SERVER, traceparent), work);
    }

    /**
     * Traces an outgoing call.
     *
     * @param work makes the call; its argument is the trace context of the span
     */
    public <T> T call(String name, @Nullable String traceparent, Function<@Nullable String, T> work) {
        return within(span(name, SpanKind.CLIENT, traceparent), work);
    }

    private Span span(String name, SpanKind kind, @Nullable String traceparent) {
        return tracer.spanBuilder(name)
                .setSpanKind(kind)
                .setParent(Traceparent.parent(traceparent))
                .startSpan();
    }

    private static <T> T within(Span span, Function<@Nullable String, T> work) {
        try {
            return Context.current()
                    .with(span)
                    .wrapSupplier(() -> work.apply(Traceparent.of(span)))
                    .get();
        } catch (RuntimeException e) {
            span.setStatus(StatusCode.ERROR);
            throw e;
        } finally {
            span.end();
        }
    }
}
