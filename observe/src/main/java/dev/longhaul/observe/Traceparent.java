package dev.longhaul.observe;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts between a span and the W3C {@code traceparent} stored with jobs and sent in requests. */
public final class Traceparent {
    private static final Pattern FORM = Pattern.compile("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");
    private static final int SPAN = 36;
    private static final int FLAGS = 53;

    private Traceparent() {}

    /**
     * Returns a context with the span as its current span. Null and malformed text give the root context, as the
     * standard requires.
     */
    public static Context parent(@Nullable String text) {
        return text != null && FORM.matcher(text).matches()
                ? Context.root().with(Span.wrap(context(text)))
                : Context.root();
    }

    private static SpanContext context(String text) {
        return SpanContext.createFromRemoteParent(
                text.substring(3, SPAN - 1),
                text.substring(SPAN, FLAGS - 1),
                TraceFlags.fromHex(text, FLAGS),
                TraceState.getDefault());
    }

    /** Returns the span as text; null for an invalid span. */
    public static @Nullable String of(Span span) {
        SpanContext context = span.getSpanContext();
        return context.isValid()
                ? "00-" + context.getTraceId() + "-" + context.getSpanId() + "-"
                        + context.getTraceFlags().asHex()
                : null;
    }
}
