package dev.longhaul.server.tracing;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.KeyValue;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The request of OTLP, {@code opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest}: spans of one resource and one scope. The
 * numbers are those of its fields, which the protocol has fixed for good.
 */
final class OtlpMessage {
    private static final int KNOWN_WHETHER_REMOTE = 0x100;
    private static final int REMOTE = 0x200;

    private final BackwardProtobuf out = new BackwardProtobuf();
    private final Resource resource;
    private final String scope;
    private int spans;

    OtlpMessage(Resource resource, String scope) {
        this.resource = resource;
        this.scope = scope;
    }

    void clear() {
        out.clear();
        spans = 0;
    }

    int spans() {
        return spans;
    }

    /** How many bytes it has. */
    int size() {
        return out.size();
    }

    void add(SpanData span) {
        int before = out.size();
        boolean whole = false;
        try {
            span(2, span);
            spans++;
            whole = true;
        } finally {
            if (!whole) {
                out.cutTo(before);
            }
        }
    }

    /** Says whose spans they are; nothing can be added any more. */
    void finish() {
        int name = out.size();
        out.string(1, scope);
        out.message(1, name);
        out.message(2, 0);
        int attributes = out.size();
        attributes(1, resource.getAttributes());
        out.message(1, attributes);
        out.message(1, 0);
    }

    void copyTo(OutputStream to) throws IOException {
        out.copyTo(to);
    }

    private void span(int field, SpanData span) {
        int end = out.size();
        SpanContext context = span.getSpanContext();
        SpanContext parent = span.getParentSpanContext();
        out.fixed32(16, flags(context, parent));
        status(15, span.getStatus());
        count(14, span.getTotalRecordedLinks() - span.getLinks().size());
        List<LinkData> links = span.getLinks();
        for (int i = links.size() - 1; i >= 0; i--) {
            link(13, links.get(i));
        }
        count(12, span.getTotalRecordedEvents() - span.getEvents().size());
        List<EventData> events = span.getEvents();
        for (int i = events.size() - 1; i >= 0; i--) {
            event(11, events.get(i));
        }
        count(10, span.getTotalAttributeCount() - span.getAttributes().size());
        attributes(9, span.getAttributes());
        out.fixed64(8, span.getEndEpochNanos());
        out.fixed64(7, span.getStartEpochNanos());
        out.number(6, kind(span));
        text(5, span.getName());
        if (SpanId.isValid(parent.getSpanId())) {
            out.hex(4, parent.getSpanId());
        }
        state(3, context.getTraceState());
        out.hex(2, context.getSpanId());
        out.hex(1, context.getTraceId());
        out.message(field, end);
    }

    private static int kind(SpanData span) {
        return switch (span.getKind()) {
            case INTERNAL -> 1;
            case SERVER -> 2;
            case CLIENT -> 3;
            case PRODUCER -> 4;
            case CONSUMER -> 5;
        };
    }

    /** Those of the one, and whether the other comes from elsewhere. */
    private static int flags(SpanContext context, SpanContext other) {
        return (context.getTraceFlags().asByte() & 0xff) | KNOWN_WHETHER_REMOTE | (other.isRemote() ? REMOTE : 0);
    }

    private void status(int field, StatusData status) {
        int end = out.size();
        switch (status.getStatusCode()) {
            case UNSET -> {}
            case OK -> out.number(3, 1);
            case ERROR -> out.number(3, 2);
        }
        text(2, status.getDescription());
        if (out.size() > end) {
            out.message(field, end);
        }
    }

    private void link(int field, LinkData link) {
        int end = out.size();
        SpanContext to = link.getSpanContext();
        out.fixed32(6, flags(to, to));
        count(5, link.getTotalAttributeCount() - link.getAttributes().size());
        attributes(4, link.getAttributes());
        state(3, to.getTraceState());
        out.hex(2, to.getSpanId());
        out.hex(1, to.getTraceId());
        out.message(field, end);
    }

    private void event(int field, EventData event) {
        int end = out.size();
        count(4, event.getTotalAttributeCount() - event.getAttributes().size());
        attributes(3, event.getAttributes());
        text(2, event.getName());
        out.fixed64(1, event.getEpochNanos());
        out.message(field, end);
    }

    private void state(int field, TraceState state) {
        if (!state.isEmpty()) {
            var members = new StringJoiner(",");
            state.forEach((key, value) -> members.add(key + "=" + value));
            out.string(field, members.toString());
        }
    }

    private void attributes(int field, Attributes attributes) {
        attributes.forEach((key, value) -> keyValue(field, key.getKey(), value));
    }

    private void keyValue(int field, String key, Object value) {
        int end = out.size();
        anyValue(2, value);
        out.string(1, key);
        out.message(field, end);
    }

    private void anyValue(int field, Object value) {
        int end = out.size();
        oneOf(value);
        out.message(field, end);
    }

    private void oneOf(Object value) {
        if (value instanceof String text) {
            out.string(1, text);
        } else if (value instanceof Boolean is) {
            out.number(2, is ? 1 : 0);
        } else if (value instanceof Long number) {
            out.number(3, number);
        } else if (value instanceof Double number) {
            out.fixed64(4, Double.doubleToRawLongBits(number));
        } else if (value instanceof ByteBuffer content) {
            byte[] bytes = new byte[content.remaining()];
            content.duplicate().get(bytes);
            out.bytes(7, bytes);
        } else if (value instanceof List<?> values) {
            list(5, values);
        } else if (value instanceof Value<?> typed) {
            switch (typed.getType()) {
                case EMPTY -> {}
                case KEY_VALUE_LIST -> list(6, (List<?>) typed.getValue());
                default -> oneOf(typed.getValue());
            }
        }
    }

    private void list(int field, List<?> values) {
        int end = out.size();
        for (int i = values.size() - 1; i >= 0; i--) {
            if (values.get(i) instanceof KeyValue pair) {
                keyValue(1, pair.getKey(), pair.getValue());
            } else {
                anyValue(1, values.get(i));
            }
        }
        out.message(field, end);
    }

    private void text(int field, @Nullable String text) {
        if (text != null && !text.isEmpty()) {
            out.string(field, text);
        }
    }

    private void count(int field, int count) {
        if (count > 0) {
            out.number(field, count);
        }
    }
}
