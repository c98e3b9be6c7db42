package dev.longhaul.server.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The W3C form of a trace context, as it is stored with jobs and sent to others. */
final class Traceparent {
    private static final Pattern FORM = Pattern.compile("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");
    private static final int SPAN = 36;
    private static final int FLAGS = 53;

    private Traceparent() {}

    /** A context with that span as the current one; the root, if there is none. What is no trace context is ignored, as the standard says. */
    static Context parent(@Nullable String text) {
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

    static String of(SpanContext context) {
        return "00-" + context.getTraceId() + "-" + context.getSpanId() + "-"
                + context.getTraceFlags().asHex();
    }
}
