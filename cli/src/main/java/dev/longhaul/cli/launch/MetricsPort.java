package dev.longhaul.cli.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code GET /metrics}, {@code /healthz} and {@code /readyz} on a separate port without a key, for scrapers and
 * probes that cannot send one. It serves nothing else, so the port can be opened to a network that must not reach the
 * API. A process that does not serve the API can have this port too.
 */
final class MetricsPort implements AutoCloseable {
    /** Where metrics are served without a key. */
    record Config(String host, int port) {}

    private static final Logger LOG = LoggerFactory.getLogger(MetricsPort.class);
    private static final String METRICS = "/metrics";
    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final int THREADS = 8;

    // Closes connections that send a request, or read a response, too slowly. By default the JDK's server waits
    // forever, so a few incomplete requests would occupy all threads. The JDK reads these properties (in seconds) once,
    // before it creates the first server of the process.
    static {
        for (String limit : List.of("sun.net.httpserver.maxReqTime", "sun.net.httpserver.maxRspTime")) {
            if (System.getProperty(limit) == null) {
                System.setProperty(limit, "10");
            }
        }
    }

    private final HttpServer http;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
        var one = new Thread(task, "longhaul-metrics");
        one.setDaemon(true);
        return one;
    });

    /**
     * Limits the threads that wait for the database, so that {@code /healthz} still responds when the database hangs.
     */
    private final Semaphore readers = new Semaphore(THREADS / 2);

    private final Supplier<String> metrics;
    private final Runnable readiness;

    private MetricsPort(HttpServer http, Supplier<String> metrics, Runnable readiness) {
        this.http = http;
        this.metrics = metrics;
        this.readiness = readiness;
        http.createContext("/", this::respond);
        http.setExecutor(threads);
        http.start();
    }

    /**
     * Opens the port. It accepts connections when this method returns.
     *
     * @param metrics returns the metrics as text
     * @param readiness throws an exception with the reason if the process is not ready
     */
    static MetricsPort open(Config config, Supplier<String> metrics, Runnable readiness) {
        var address = new InetSocketAddress(config.host(), config.port());
        try {
            return new MetricsPort(HttpServer.create(address, 0), metrics, readiness);
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
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort() + METRICS;
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod().toUpperCase(Locale.ROOT);
            String path = exchange.getRequestURI().getPath();
            if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, 405, "GET " + METRICS + "\n");
                return;
            }
            switch (path) {
                case METRICS -> read(exchange, metrics);
                case "/healthz" -> send(exchange, 200, "ok\n");
                case "/readyz" -> read(exchange, this::ready);
                default -> send(exchange, 404, "only /metrics, /healthz and /readyz are served on this port\n");
            }
        } catch (RuntimeException e) {
            LOG.warn("GET {} failed; the next scrape tries again", exchange.getRequestURI(), e);
            throw e;
        }
    }

    private String ready() {
        readiness.run();
        return "ready\n";
    }

    /** Sends a text that may have to be read from the database. */
    private void read(HttpExchange exchange, Supplier<String> text) throws IOException {
        if (!readers.tryAcquire()) {
            send(exchange, 503, "earlier requests are still waiting for the database\n");
            return;
        }
        String read;
        try {
            read = text.get();
        } catch (LonghaulException e) {
            send(exchange, 503, e.getMessage() + "\n");
            return;
        } finally {
            readers.release();
        }
        send(exchange, 200, read);
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
        threads.shutdownNow();
    }
}
