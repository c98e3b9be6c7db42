package dev.longhaul.server.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A receiver of webhooks on loopback. */
final class Receiver implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 20;

    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<Received> unseen = new LinkedBlockingQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private volatile Function<Received, Reply> answer;

    /** One request. */
    record Received(String path, Map<String, List<String>> headers, String body) {
        String header(String name) {
            return headers.entrySet().stream()
                    .filter(entry -> entry.getKey().equalsIgnoreCase(name))
                    .map(entry -> entry.getValue().get(0))
                    .findFirst()
                    .orElse("");
        }

        String id() {
            return header("webhook-id");
        }
    }

    /** The response. */
    record Reply(int status, String location, String body) {
        static Reply of(int status) {
            return new Reply(status, "", "");
        }
    }

    Receiver() {
        this(0);
    }

    Receiver(int port) {
        this("127.0.0.1", port);
    }

    Receiver(String host, int port) {
        this(host, port, request -> Reply.of(204));
    }

    /** Responds with {@code answer} from the first request on. */
    Receiver(String host, int port, Function<Received, Reply> answer) {
        this.answer = answer;
        try {
            server = HttpServer.create(new InetSocketAddress(host, port), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var request = new Received(
                    exchange.getRequestURI().toString(),
                    Map.copyOf(exchange.getRequestHeaders()),
                    new String(exchange.getRequestBody().readAllBytes(), UTF_8));
            received.add(request);
            Reply reply = answer.apply(request);
            unseen.add(request);
            if (!reply.location().isEmpty()) {
                exchange.getResponseHeaders().add("Location", reply.location());
            }
            byte[] body = reply.body().getBytes(UTF_8);
            exchange.sendResponseHeaders(reply.status(), body.length == 0 ? -1 : body.length);
            if (body.length > 0) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    void answers(Function<Received, Reply> with) {
        answer = with;
    }

    int port() {
        return server.getAddress().getPort();
    }

    String url() {
        return "http://127.0.0.1:" + port() + "/in";
    }

    /** All requests so far. */
    List<Received> received() {
        return received;
    }

    /** The next request that got a response. */
    Received next() throws InterruptedException {
        Received next = unseen.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing was sent");
        }
        return next;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
