package dev.longhaul.server.tracing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.KeyValue;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Status;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.data.DelegatingSpanData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a collector receives is read by the protocol's own classes. */
@Timeout(20)
class CollectorTest {
    private static final SpanContext ELSEWHERE = SpanContext.createFromRemoteParent(
            "0af7651916cd43dd8448eb211c80319c",
            "b7ad6b7169203331",
            TraceFlags.getSampled(),
            TraceState.builder().put("b", "2").put("a", "1").build());

    private final InMemorySpanExporter finished = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .setSpanLimits(SpanLimits.builder()
                    .setMaxNumberOfAttributes(12)
                    .setMaxNumberOfAttributesPerEvent(1)
                    .setMaxNumberOfAttributesPerLink(1)
                    .setMaxNumberOfEvents(2)
                    .setMaxNumberOfLinks(2)
                    .build())
            .addSpanProcessor(SimpleSpanProcessor.create(finished))
            .build();
    private final Tracer tracer = provider.get("test");
    private final OtlpMessage message = new OtlpMessage(
            Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), "test")), "test.scope");

    private final ConcurrentLinkedQueue<Integer> answers = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> retryAfter = new ConcurrentLinkedQueue<>();
    private final LinkedBlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
    private final HttpServer server;
    private final Collector collector;

    CollectorTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/traces", exchange -> {
            try (exchange) {
                received.add(exchange.getRequestBody().readAllBytes());
                Integer answer = answers.poll();
                exchange.getResponseHeaders().add("Location", "/v1/elsewhere");
                String wait = retryAfter.poll();
                if (wait != null) {
                    exchange.getResponseHeaders().add("Retry-After", wait);
                }
                exchange.sendResponseHeaders(answer == null ? 200 : answer, 0);
                exchange.getResponseBody().write("an answer".getBytes(UTF_8));
            }
        });
        server.createContext("/v1/elsewhere", exchange -> {
            try (exchange) {
                received.add(new byte[0]);
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
        collector = collector(Duration.ofMillis(1));
    }

    private Collector collector(Duration pause) {
        return new Collector(endpoint(), Map.of(), pause);
    }

    private URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces");
    }

    @AfterEach
    void close() {
        provider.close();
        server.stop(0);
    }

    private @Nullable String problem(Collector of) {
        message.clear();
        finished.getFinishedSpanItems().forEach(message::add);
        message.finish();
        return of.send(message);
    }

    private ScopeSpans sent() throws Exception {
        assertThat(problem(collector)).isNull();
        var request = ExportTraceServiceRequest.parseFrom(received.poll(20, TimeUnit.SECONDS));
        assertThat(request.getResourceSpansList()).hasSize(1);
        var part = request.getResourceSpans(0);
        assertThat(map(part.getResource().getAttributesList())).isEqualTo(Map.of("service.name", text("test")));
        assertThat(part.getScopeSpansList()).hasSize(1);
        assertThat(part.getScopeSpans(0).getScope().getName()).isEqualTo("test.scope");
        return part.getScopeSpans(0);
    }

    private io.opentelemetry.proto.trace.v1.Span sentSpan() throws Exception {
        return sent().getSpans(0);
    }

    private static Map<String, AnyValue> map(List<io.opentelemetry.proto.common.v1.KeyValue> attributes) {
        var map = new TreeMap<String, AnyValue>();
        attributes.forEach(pair -> map.put(pair.getKey(), pair.getValue()));
        assertThat(map).hasSameSizeAs(attributes);
        return map;
    }

    private static AnyValue text(String text) {
        return AnyValue.newBuilder().setStringValue(text).build();
    }

    private static AnyValue number(long number) {
        return AnyValue.newBuilder().setIntValue(number).build();
    }

    private static AnyValue array(AnyValue... values) {
        return AnyValue.newBuilder()
                .setArrayValue(ArrayValue.newBuilder().addAllValues(List.of(values)))
                .build();
    }

    private static ByteString bytes(String hex) {
        return ByteString.copyFrom(HexFormat.of().parseHex(hex));
    }

    @Test
    void is_sent_what_a_span_is() throws Exception {
        Span span = tracer.spanBuilder("größe 🙂")
                .setSpanKind(SpanKind.CONSUMER)
                .setParent(Context.root().with(Span.wrap(ELSEWHERE)))
                .setStartTimestamp(1_700_000_000_123_456_789L, TimeUnit.NANOSECONDS)
                .startSpan();
        span.setStatus(StatusCode.ERROR, "why");
        span.end(1_700_000_001_000_000_001L, TimeUnit.NANOSECONDS);
        SpanContext own = span.getSpanContext();

        var sent = sentSpan();
        assertThat(sent.getName()).isEqualTo("größe 🙂");
        assertThat(sent.getKind()).isEqualTo(io.opentelemetry.proto.trace.v1.Span.SpanKind.SPAN_KIND_CONSUMER);
        assertThat(sent.getTraceId()).isEqualTo(bytes(ELSEWHERE.getTraceId()));
        assertThat(sent.getSpanId()).isEqualTo(bytes(own.getSpanId()));
        assertThat(sent.getParentSpanId()).isEqualTo(bytes(ELSEWHERE.getSpanId()));
        assertThat(sent.getTraceState()).isEqualTo("a=1,b=2");
        assertThat(sent.getStartTimeUnixNano()).isEqualTo(1_700_000_000_123_456_789L);
        assertThat(sent.getEndTimeUnixNano()).isEqualTo(1_700_000_001_000_000_001L);
        assertThat(sent.getFlags()).isEqualTo(0x301);
        assertThat(sent.getStatus())
                .isEqualTo(Status.newBuilder()
                        .setCode(Status.StatusCode.STATUS_CODE_ERROR)
                        .setMessage("why")
                        .build());
        assertThat(sent.getUnknownFields().asMap()).isEmpty();
    }

    @Test
    void is_sent_nothing_that_is_not_there() throws Exception {
        Span span = tracer.spanBuilder("plain").setNoParent().startSpan();
        span.end();
        var sent = sentSpan();
        assertThat(sent.getParentSpanId()).isEmpty();
        assertThat(sent.getTraceState()).isEmpty();
        assertThat(sent.hasStatus()).isFalse();
        assertThat(sent.getFlags())
                .isEqualTo(0x100 | span.getSpanContext().getTraceFlags().asByte());
        assertThat(sent.getAttributesList()).isEmpty();
        assertThat(sent.getEventsList()).isEmpty();
        assertThat(sent.getLinksList()).isEmpty();
        assertThat(sent.getDroppedAttributesCount() + sent.getDroppedEventsCount() + sent.getDroppedLinksCount())
                .isZero();
    }

    @Test
    void is_sent_every_kind_and_status() throws Exception {
        for (SpanKind kind : SpanKind.values()) {
            Span span = tracer.spanBuilder(kind.name()).setSpanKind(kind).startSpan();
            span.setStatus(StatusCode.OK);
            span.end();
        }
        assertThat(sent().getSpansList()).hasSize(5).allSatisfy(span -> {
            assertThat(span.getKind().name()).isEqualTo("SPAN_KIND_" + span.getName());
            assertThat(span.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_OK);
        });
    }

    @Test
    void is_sent_attributes_of_every_type() throws Exception {
        Span span = tracer.spanBuilder("typed").startSpan();
        span.setAttribute("text", "");
        span.setAttribute("no", false);
        span.setAttribute("yes", true);
        span.setAttribute("zero", 0);
        span.setAttribute("negative", Long.MIN_VALUE);
        span.setAttribute("large", Long.MAX_VALUE);
        span.setAttribute("fraction", -0.1);
        span.setAttribute(AttributeKey.stringArrayKey("texts"), List.of("a", "b"));
        span.setAttribute(AttributeKey.longArrayKey("numbers"), List.of(1L, 300L));
        span.setAttribute(AttributeKey.booleanArrayKey("none"), List.of());
        span.setAttribute(
                AttributeKey.valueKey("nested"),
                Value.of(
                        KeyValue.of("bytes", Value.of(new byte[] {1, 2})),
                        KeyValue.of("list", Value.of(Value.of("x"), Value.of(1.5), Value.of(true))),
                        KeyValue.of("pairs", Value.of(new KeyValue[0])),
                        KeyValue.of("empty", Value.empty())));
        span.setAttribute(AttributeKey.valueKey("more"), Value.of(new byte[] {3}));
        span.setAttribute("dropped", 1);
        span.end();

        var sent = sentSpan();
        Map<String, AnyValue> attributes = map(sent.getAttributesList());
        KeyValueList nested = requireNonNull(attributes.remove("nested")).getKvlistValue();
        assertThat(attributes)
                .isEqualTo(Map.ofEntries(
                        Map.entry("text", text("")),
                        Map.entry(
                                "no", AnyValue.newBuilder().setBoolValue(false).build()),
                        Map.entry(
                                "yes", AnyValue.newBuilder().setBoolValue(true).build()),
                        Map.entry("zero", number(0)),
                        Map.entry("negative", number(Long.MIN_VALUE)),
                        Map.entry("large", number(Long.MAX_VALUE)),
                        Map.entry(
                                "fraction",
                                AnyValue.newBuilder().setDoubleValue(-0.1).build()),
                        Map.entry("texts", array(text("a"), text("b"))),
                        Map.entry("numbers", array(number(1), number(300))),
                        Map.entry("none", array()),
                        Map.entry(
                                "more",
                                AnyValue.newBuilder().setBytesValue(bytes("03")).build())));
        assertThat(map(nested.getValuesList()))
                .isEqualTo(Map.of(
                        "bytes",
                        AnyValue.newBuilder().setBytesValue(bytes("0102")).build(),
                        "list",
                        array(
                                text("x"),
                                AnyValue.newBuilder().setDoubleValue(1.5).build(),
                                AnyValue.newBuilder().setBoolValue(true).build()),
                        "pairs",
                        AnyValue.newBuilder()
                                .setKvlistValue(KeyValueList.getDefaultInstance())
                                .build(),
                        "empty",
                        AnyValue.getDefaultInstance()));
        assertThat(sent.getDroppedAttributesCount()).isEqualTo(1);
    }

    @Test
    void is_sent_events_and_links_and_how_many_are_missing() throws Exception {
        var two = Attributes.of(AttributeKey.stringKey("a"), "1", AttributeKey.stringKey("b"), "2");
        Span span = tracer.spanBuilder("full")
                .addLink(ELSEWHERE, two)
                .addLink(SpanContext.create(
                        "1af7651916cd43dd8448eb211c80319c",
                        "17ad6b7169203331",
                        TraceFlags.getDefault(),
                        TraceState.getDefault()))
                .addLink(ELSEWHERE)
                .startSpan();
        span.addEvent("first", two, 1_000_000_001, TimeUnit.NANOSECONDS);
        span.recordException(new IllegalStateException("oh"));
        span.addEvent("third");
        span.end();

        var sent = sentSpan();
        assertThat(sent.getDroppedLinksCount()).isEqualTo(1);
        assertThat(sent.getLinks(0).getTraceId()).isEqualTo(bytes(ELSEWHERE.getTraceId()));
        assertThat(sent.getLinks(0).getSpanId()).isEqualTo(bytes(ELSEWHERE.getSpanId()));
        assertThat(sent.getLinks(0).getTraceState()).isEqualTo("a=1,b=2");
        assertThat(sent.getLinks(0).getFlags()).isEqualTo(0x301);
        assertThat(sent.getLinks(0).getAttributesCount()).isEqualTo(1);
        assertThat(sent.getLinks(0).getDroppedAttributesCount()).isEqualTo(1);
        assertThat(sent.getLinks(1).getFlags()).isEqualTo(0x100);
        assertThat(sent.getDroppedEventsCount()).isEqualTo(1);
        assertThat(sent.getEvents(0).getName()).isEqualTo("first");
        assertThat(sent.getEvents(0).getTimeUnixNano()).isEqualTo(1_000_000_001);
        assertThat(sent.getEvents(0).getAttributesCount()).isEqualTo(1);
        assertThat(sent.getEvents(0).getDroppedAttributesCount()).isEqualTo(1);
        assertThat(sent.getEvents(1).getName()).isEqualTo("exception");
    }

    @Test
    void is_sent_batches_of_any_size_one_after_the_other() throws Exception {
        for (int length : List.of(10, 1_000_000, 6_000_000, 100)) {
            finished.reset();
            for (int i = 0; i < 3; i++) {
                Span span = tracer.spanBuilder("s").startSpan();
                span.setAttribute("long", "é".repeat(length));
                span.end();
            }
            assertThat(sent().getSpansList())
                    .hasSize(3)
                    .allSatisfy(
                            span -> assertThat(span.getAttributes(0).getValue().getStringValue())
                                    .hasSize(length));
        }
    }

    private @Nullable String problem() {
        tracer.spanBuilder("s").startSpan().end();
        return problem(collector);
    }

    @Test
    void that_has_too_much_to_do_is_tried_again() {
        answers.addAll(List.of(429, 502, 503, 504));
        assertThat(problem()).isNull();
        assertThat(received).hasSize(5);
    }

    @Test
    void that_stays_away_is_given_up() {
        answers.addAll(List.of(503, 503, 503, 503, 503));
        assertThat(problem()).isEqualTo("status: 503 (expected: 2xx)");
        assertThat(received).hasSize(5);
        assertThat(problem()).isNull();
    }

    @Test
    void that_refuses_is_not_asked_twice() {
        for (int answer : List.of(301, 307, 400, 401, 403, 404, 413, 500)) {
            received.clear();
            answers.add(answer);
            assertThat(problem()).isEqualTo("status: " + answer + " (expected: 2xx)");
            assertThat(received).as("%d", answer).hasSize(1);
        }
        assertThat(problem()).isNull();
    }

    @Test
    void that_cannot_be_reached_keeps_nobody_who_is_in_a_hurry() {
        server.stop(0);
        Collector away = collector(Duration.ofMinutes(1));
        away.hurry();
        assertThat(problem(away)).contains("ConnectException");
    }

    @Test
    void that_names_a_time_is_not_tried_before() {
        retryAfter.add("1");
        answers.add(503);
        long began = System.nanoTime();
        assertThat(problem()).isNull();
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
        for (String nonsense : List.of("-1", "soon", "Wed, 21 Oct 2099 07:28:00 GMT", "99999999999999999999")) {
            retryAfter.add(nonsense);
            answers.add(503);
            assertThat(problem()).isNull();
        }
    }

    @Test
    void keeps_its_address_to_itself() {
        assertThat(new Collector(URI.create("http://example.com/secret?key=abc"), Map.of()))
                .hasToString("the collector at example.com");
    }

    @Test
    void is_sent_nothing_of_a_span_that_cannot_be_written() throws Exception {
        tracer.spanBuilder("good").startSpan().end();
        SpanData good = finished.getFinishedSpanItems().get(0);
        message.add(good);
        int before = message.size();
        assertThatThrownBy(() -> message.add(new DelegatingSpanData(good) {
                    @Override
                    public String getName() {
                        throw new IllegalStateException("no name");
                    }
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(message.size()).isEqualTo(before);
        assertThat(message.spans()).isEqualTo(1);
    }
}
