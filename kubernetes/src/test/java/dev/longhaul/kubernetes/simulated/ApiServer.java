package dev.longhaul.kubernetes.simulated;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The part of the Kubernetes API that workers use: create, get, list, watch, patch and delete, with its versions and errors. */
final class ApiServer implements AutoCloseable {
    private static final Map<String, String> KINDS =
            Map.of("jobs", "Job", "pods", "Pod", "secrets", "Secret", "events", "Event");

    private final Objects objects;
    private final Kubelet kubelet;
    private final int port;
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        var thread = new Thread(work, "simulated-api");
        thread.setDaemon(true);
        return thread;
    });
    /** Requests by method and resource; a watch counts as one. */
    final Map<String, LongAdder> requests = new ConcurrentHashMap<>();
    /** Rights that the worker lacks, as verb and resource: access reviews deny them, and requests that create. */
    final Set<String> denied = ConcurrentHashMap.newKeySet();

    private final HttpServer server;
    private final AtomicInteger logEpoch = new AtomicInteger();
    private final AtomicInteger watchEpoch = new AtomicInteger();
    private volatile boolean open = true;

    /** The parts of a path. */
    private record Target(String namespace, String resource, String name, String subresource) {
        static Target of(String path) {
            List<String> parts = Arrays.stream(path.split("/"))
                    .filter(part -> !part.isEmpty())
                    .toList();
            int at = parts.indexOf("namespaces");
            if (at < 0) {
                return new Target("", parts.get(parts.size() - 1), "", "");
            }
            return new Target(parts.get(at + 1), part(parts, at + 2), part(parts, at + 3), part(parts, at + 4));
        }

        private static String part(List<String> parts, int index) {
            return index < parts.size() ? parts.get(index) : "";
        }
    }

    ApiServer(Objects objects, Kubelet kubelet, int port) throws IOException {
        this.objects = objects;
        this.kubelet = kubelet;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        this.port = server.getAddress().getPort();
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    int port() {
        return port;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Target target = Target.of(exchange.getRequestURI().getPath());
            Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
            boolean watch = query.containsKey("watch");
            String verb = watch ? "WATCH" : target.subresource.isEmpty() ? exchange.getRequestMethod() : "LOG";
            String counted = verb.equals("GET") && target.name.isEmpty() ? "LIST" : verb;
            requests.computeIfAbsent(counted + " " + target.resource, key -> new LongAdder())
                    .increment();
            switch (verb) {
                case "WATCH" -> watch(exchange, target, query);
                case "LOG" -> log(exchange, target, query);
                case "GET" -> get(exchange, target, query);
                case "POST" -> post(exchange, target);
                case "PATCH" -> patch(exchange, target);
                case "DELETE" -> delete(exchange, target);
                default -> error(exchange, 405, "MethodNotAllowed", verb);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Map<String, String> query(String raw) {
        var query = new TreeMap<String, String>();
        for (String part : raw == null ? new String[0] : raw.split("&")) {
            String[] pair = part.split("=", 2);
            query.put(pair[0], pair.length < 2 ? "" : URLDecoder.decode(pair[1], StandardCharsets.UTF_8));
        }
        return query;
    }

    private void get(HttpExchange exchange, Target target, Map<String, String> query) throws IOException {
        String kind = KINDS.get(target.resource);
        if (!target.name.isEmpty()) {
            ObjectNode found = objects.find(kind, target.namespace, target.name);
            if (found == null) {
                error(exchange, 404, "NotFound", target.resource + " \"" + target.name + "\" not found");
            } else {
                send(exchange, 200, found);
            }
            return;
        }
        ObjectNode list = Objects.JSON.createObjectNode();
        list.put("kind", kind + "List").put("apiVersion", target.resource.equals("jobs") ? "batch/v1" : "v1");
        synchronized (objects) {
            list.withObject("/metadata").put("resourceVersion", Long.toString(objects.version()));
            var items = list.putArray("items");
            objects.list(kind, target.namespace).stream()
                    .filter(one -> selected(one, query))
                    .forEach(items::add);
        }
        send(exchange, 200, list);
    }

    private static boolean selected(ObjectNode object, Map<String, String> query) {
        String labels = query.getOrDefault("labelSelector", "");
        for (String part : labels.isEmpty() ? new String[0] : labels.split(",")) {
            String[] pair = part.split("=", 2);
            if (!object.at("/metadata/labels").path(pair[0]).asText().equals(pair[1])) {
                return false;
            }
        }
        String fields = query.getOrDefault("fieldSelector", "");
        for (String part : fields.isEmpty() ? new String[0] : fields.split(",")) {
            String[] pair = part.split("=", 2);
            if (!object.at("/" + pair[0].replace('.', '/')).asText().equals(pair[1])) {
                return false;
            }
        }
        return true;
    }

    private void watch(HttpExchange exchange, Target target, Map<String, String> query)
            throws IOException, InterruptedException {
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        String kind = KINDS.get(target.resource);
        long since = Long.parseLong(query.getOrDefault("resourceVersion", "0"));
        OutputStream out = exchange.getResponseBody();
        out.flush();
        if (since < objects.oldest()) {
            // As etcd after a compaction: the client has to list again.
            ObjectNode gone = Objects.JSON
                    .createObjectNode()
                    .put("kind", "Status")
                    .put("apiVersion", "v1")
                    .put("status", "Failure")
                    .put("message", "too old resource version: " + since)
                    .put("reason", "Expired")
                    .put("code", 410);
            ObjectNode event = Objects.JSON.createObjectNode().put("type", "ERROR");
            event.set("object", gone);
            out.write((event + "\n").getBytes(StandardCharsets.UTF_8));
            return;
        }
        int epoch = watchEpoch.get();
        while (open) {
            if (epoch != watchEpoch.get()) {
                TimeUnit.MILLISECONDS.sleep(20);
                continue;
            }
            List<Objects.Change> changes = objects.after(since);
            for (Objects.Change change : epoch == watchEpoch.get() ? changes : List.<Objects.Change>of()) {
                since = change.version();
                if (change.kind().equals(kind)
                        && change.object().at("/metadata/namespace").asText().equals(target.namespace)
                        && selected(change.object(), query)) {
                    ObjectNode event = Objects.JSON.createObjectNode().put("type", change.type());
                    event.set("object", change.object());
                    out.write((event + "\n").getBytes(StandardCharsets.UTF_8));
                }
            }
            out.flush();
        }
    }

    private void log(HttpExchange exchange, Target target, Map<String, String> query)
            throws IOException, InterruptedException {
        ContainerLog log = kubelet.log(target.namespace + "/" + target.name);
        if (objects.find("Pod", target.namespace, target.name) == null) {
            error(exchange, 404, "NotFound", "pods \"" + target.name + "\" not found");
        } else if (log == null) {
            error(exchange, 400, "BadRequest", "container \"job\" in pod is waiting to start: ContainerCreating");
        } else {
            exchange.sendResponseHeaders(200, 0);
            int epoch = logEpoch.get();
            log.write(exchange.getResponseBody(), query.get("sinceTime"), () -> open, () -> epoch == logEpoch.get());
            while (open && epoch != logEpoch.get()) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    private void post(HttpExchange exchange, Target target) throws IOException {
        var body = (ObjectNode) Objects.JSON.readTree(exchange.getRequestBody());
        if (target.resource.equals("selfsubjectaccessreviews")) {
            JsonNode wanted = body.at("/spec/resourceAttributes");
            String right =
                    wanted.path("verb").asText() + " " + wanted.path("resource").asText();
            body.withObject("/status").put("allowed", !denied.contains(right));
            send(exchange, 201, body);
            return;
        }
        if (target.namespace.equals("forbidden") || denied.contains("create " + target.resource)) {
            error(
                    exchange,
                    403,
                    "Forbidden",
                    "jobs.batch is forbidden: User \"longhaul\" cannot create resource \"jobs\"");
            return;
        }
        if (body.at("/spec/template/spec/containers/0/image").asText().endsWith("/unprocessable")) {
            error(
                    exchange,
                    422,
                    "Invalid",
                    "Job.batch \"x\" is invalid: spec.template.spec.containers[0]: Invalid value");
            return;
        }
        try {
            send(exchange, 201, objects.create(KINDS.get(target.resource), target.namespace, body));
        } catch (Objects.Conflict e) {
            error(exchange, 409, "AlreadyExists", e.getMessage());
        }
    }

    private void patch(HttpExchange exchange, Target target) throws IOException {
        JsonNode change = Objects.JSON.readTree(exchange.getRequestBody());
        try {
            ObjectNode now = objects.update(KINDS.get(target.resource), target.namespace, target.name, object -> {
                JsonNode expected = change.at("/metadata/resourceVersion");
                if (!expected.isMissingNode()
                        && !expected.asText()
                                .equals(object.at("/metadata/resourceVersion").asText())) {
                    throw new Objects.Conflict("the object has been modified");
                }
                merge(object, change);
                return object;
            });
            if (now == null) {
                error(exchange, 404, "NotFound", target.name + " not found");
            } else {
                send(exchange, 200, now);
            }
        } catch (Objects.Conflict e) {
            error(exchange, 409, "Conflict", e.getMessage());
        }
    }

    private static void merge(ObjectNode into, JsonNode change) {
        change.properties().forEach(entry -> {
            if (entry.getValue().isObject()) {
                merge(into.withObjectProperty(entry.getKey()), entry.getValue());
            } else {
                into.set(entry.getKey(), entry.getValue());
            }
        });
    }

    private void delete(HttpExchange exchange, Target target) throws IOException {
        JsonNode options = Objects.JSON.readTree(exchange.getRequestBody());
        boolean force = options != null && options.path("gracePeriodSeconds").asInt(-1) == 0;
        boolean gently = target.resource.equals("pods") && !force;
        boolean found = gently
                ? kubelet.terminate(target.namespace, target.name)
                : objects.delete(KINDS.get(target.resource), target.namespace, target.name);
        if (found) {
            send(
                    exchange,
                    200,
                    Objects.JSON.createObjectNode().put("kind", "Status").put("status", "Success"));
        } else {
            error(exchange, 404, "NotFound", target.name + " not found");
        }
    }

    private static void error(HttpExchange exchange, int code, String reason, String message) throws IOException {
        send(
                exchange,
                code,
                Objects.JSON
                        .createObjectNode()
                        .put("kind", "Status")
                        .put("apiVersion", "v1")
                        .put("status", "Failure")
                        .put("message", message)
                        .put("reason", reason)
                        .put("code", code));
    }

    private static void send(HttpExchange exchange, int code, JsonNode body) throws IOException {
        byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** Open log connections transfer nothing any more, and do not end. */
    void freezeLogs() {
        logEpoch.incrementAndGet();
    }

    /** Open watches transfer nothing any more, and do not end. */
    void freezeWatches() {
        watchEpoch.incrementAndGet();
    }

    /** Closes the port and all connections; the objects stay. */
    @Override
    public void close() {
        open = false;
        server.stop(0);
        threads.shutdownNow();
    }

    static ApiServer start(Objects objects, Kubelet kubelet, int port) {
        try {
            return new ApiServer(objects, kubelet, port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
