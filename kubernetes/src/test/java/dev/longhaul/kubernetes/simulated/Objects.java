package dev.longhaul.kubernetes.simulated;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The objects of a cluster: versioned, with the history that watches read. Stands for etcd. */
final class Objects {
    static final ObjectMapper JSON = new ObjectMapper();

    /** A change, as watches report it. */
    record Change(long version, String type, String kind, ObjectNode object) {}

    private final Map<String, ObjectNode> objects = new TreeMap<>();
    private final List<Change> history = new ArrayList<>();
    private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();
    private long version = 1;
    private long oldest;

    static final class Conflict extends RuntimeException {
        private static final long serialVersionUID = 1;

        Conflict(String message) {
            super(message);
        }
    }

    /** Calls {@code listener} with all later changes, in their order, while the objects are locked. */
    void listen(Consumer<Change> listener) {
        listeners.add(listener);
    }

    private static String key(String kind, String namespace, String name) {
        return kind + "/" + namespace + "/" + name;
    }

    synchronized ObjectNode create(String kind, String namespace, ObjectNode object) {
        ObjectNode metadata = object.withObject("/metadata");
        if (!metadata.has("name")) {
            metadata.put(
                    "name",
                    metadata.path("generateName").asText()
                            + UUID.randomUUID().toString().substring(0, 5));
        }
        String key = key(kind, namespace, metadata.get("name").asText());
        if (objects.containsKey(key)) {
            throw new Conflict(key + " already exists");
        }
        metadata.put("namespace", namespace)
                .put("uid", UUID.randomUUID().toString())
                .put("creationTimestamp", now());
        return store("ADDED", kind, key, object);
    }

    static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private ObjectNode store(String type, String kind, String key, ObjectNode object) {
        version++;
        object.withObject("/metadata").put("resourceVersion", Long.toString(version));
        if (type.equals("DELETED")) {
            objects.remove(key);
        } else {
            objects.put(key, object);
        }
        var change = new Change(version, type, kind, object.deepCopy());
        history.add(change);
        notifyAll();
        listeners.forEach(listener -> listener.accept(change));
        return object.deepCopy();
    }

    synchronized ObjectNode find(String kind, String namespace, String name) {
        ObjectNode found = objects.get(key(kind, namespace, name));
        return found == null ? null : found.deepCopy();
    }

    /** Changes an object; null if there is none. */
    synchronized ObjectNode update(String kind, String namespace, String name, UnaryOperator<ObjectNode> change) {
        String key = key(kind, namespace, name);
        ObjectNode found = objects.get(key);
        return found == null ? null : store("MODIFIED", kind, key, change.apply(found.deepCopy()));
    }

    synchronized boolean delete(String kind, String namespace, String name) {
        String key = key(kind, namespace, name);
        ObjectNode found = objects.get(key);
        if (found != null) {
            store("DELETED", kind, key, found.deepCopy());
        }
        return found != null;
    }

    synchronized List<ObjectNode> list(String kind, String namespace) {
        String prefix = key(kind, namespace, "");
        return objects.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix))
                .map(entry -> entry.getValue().deepCopy())
                .toList();
    }

    /** Forgets the history, as etcd does by a compaction: older versions cannot be watched any more. */
    synchronized void compact() {
        history.clear();
        oldest = version;
    }

    synchronized long oldest() {
        return oldest;
    }

    synchronized long version() {
        return version;
    }

    /** The changes after that version; waits for one, up to a tenth of a second. */
    @SuppressWarnings("WaitNotInLoop") // The caller loops.
    synchronized List<Change> after(long since) throws InterruptedException {
        if (version <= since) {
            wait(100);
        }
        int from = history.size();
        while (from > 0 && history.get(from - 1).version() > since) {
            from--;
        }
        return List.copyOf(history.subList(from, history.size()));
    }
}
