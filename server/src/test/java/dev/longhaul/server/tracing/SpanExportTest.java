package dev.longhaul.server.tracing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Spans reach a collector over HTTP, if one is named. */
class SpanExportTest {
    private final LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final HttpServer collector;

    SpanExportTest() throws IOException {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            try (exchange) {
                boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
                byte[] body = exchange.getRequestBody().readAllBytes();
                received.add(exchange.getRequestHeaders().getFirst("Content-Type") + " "
                        + new String(zipped ? unzipped(body) : body, ISO_8859_1));
                exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
                exchange.sendResponseHeaders(200, -1);
            }
        });
        collector.start();
    }

    private static byte[] unzipped(byte[] body) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return in.readAllBytes();
        }
    }

    @AfterEach
    void close() {
        collector.stop(0);
    }

    private TraceConfig config(double ratio) {
        return new TraceConfig(
                URI.create("http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/traces"), ratio);
    }

    @Test
    void sends_what_is_left_when_it_closes() throws Exception {
        try (SpanExport export = SpanExport.start(config(1))) {
            export.tracing().request("POST /v1/jobs", null, trace -> trace);
        }
        assertThat(received.poll(20, TimeUnit.SECONDS))
                .startsWith("application/x-protobuf ")
                .contains("POST /v1/jobs", "service.name", "longhaul");
    }

    @Test
    void keeps_to_the_ratio_and_to_what_a_caller_has_decided() {
        String sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        try (SpanExport export = SpanExport.start(config(0))) {
            assertThat(export.tracing().<String>request("r", null, String::valueOf))
                    .matches(".*-0[02]");
            assertThat(export.tracing().<String>request("r", sampled, String::valueOf))
                    .endsWith("-01");
        }
    }

    @Test
    void makes_none_and_passes_on_what_came_without_a_collector() {
        String sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        try (SpanExport export = SpanExport.start(TraceConfig.OFF)) {
            assertThat(export.tracing().<String>request("r", null, String::valueOf))
                    .isEqualTo("null");
            assertThat(export.tracing().<String>request("r", sampled, String::valueOf))
                    .isEqualTo(sampled);
        }
    }
}
