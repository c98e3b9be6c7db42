package dev.longhaul.cli.launch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Receives webhook deliveries, and spans at {@code /v1/traces}. */
final class Receiver implements AutoCloseable {
    private final BlockingQueue<String> deliveries = new LinkedBlockingQueue<>();
    private final ConcurrentLinkedQueue<String> spans = new ConcurrentLinkedQueue<>();
    private final HttpServer server;

    Receiver() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", exchange -> {
            try (exchange) {
                deliveries.add(exchange.getRequestHeaders().entrySet()
                        + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
                exchange.sendResponseHeaders(204, -1);
            }
        });
        server.createContext("/v1/traces", exchange -> {
            try (exchange) {
                spans.add(new String(exchange.getRequestBody().readAllBytes(), ISO_8859_1));
                exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
    }

    String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    /** The headers and the body of the next delivery; null if none arrives. */
    @Nullable
    String delivery() throws InterruptedException {
        return deliveries.poll(60, TimeUnit.SECONDS);
    }

    /** All spans so far. */
    String spans() {
        return String.join("", spans);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
