package dev.longhaul.cli.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code GET /metrics} on a port of its own, without a key, for scrapers that cannot send one. It serves nothing else, so that
 * the port may be opened to a network that the API is closed to. A process without an API has one too.
 */
final class MetricsPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsPort.class);
    private static final String PATH = "/metrics";
    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final HttpServer http;
    /** One thread: scrapes are rare, and must not add to the load of a busy process. */
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        var one = new Thread(task, "longhaul-metrics");
        one.setDaemon(true);
        return one;
    });

    private final Supplier<String> metrics;

    private MetricsPort(HttpServer http, Supplier<String> metrics) {
        this.http = http;
        this.metrics = metrics;
        http.createContext("/", this::respond);
        http.setExecutor(thread);
        http.start();
    }

    /** Opens the port; it is open when this returns. */
    static MetricsPort open(MetricsConfig config, Supplier<String> metrics) {
        var address = new InetSocketAddress(config.host(), config.port());
        try {
            return new MetricsPort(HttpServer.create(address, 0), metrics);
        } catch (IOException | RuntimeException e) {
            throw new LonghaulException(
                    ErrorCode.UNAVAILABLE,
                    "metrics-port: " + config.port() + " on " + config.host()
                            + " (expected: a free port of this machine; " + e.getMessage() + ")",
                    e);
        }
    }

    String url() {
        InetSocketAddress address = http.getAddress();
        String host = address.getAddress().getHostAddress();
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort() + PATH;
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod().toUpperCase(Locale.ROOT);
            if (!exchange.getRequestURI().getPath().equals(PATH)) {
                send(exchange, 404, "only " + PATH + " is served on this port\n");
            } else if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, 405, "GET " + PATH + "\n");
            } else {
                send(exchange, 200, metrics.get());
            }
        } catch (RuntimeException e) {
            LOG.warn("GET {} failed; the next scrape tries again", PATH, e);
            throw e;
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", TYPE);
        boolean head = exchange.getRequestMethod().equalsIgnoreCase("HEAD");
        exchange.sendResponseHeaders(status, head ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        http.stop(0);
        thread.shutdownNow();
    }
}
