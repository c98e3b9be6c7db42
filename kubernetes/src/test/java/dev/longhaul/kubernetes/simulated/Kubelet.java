package dev.longhaul.kubernetes.simulated;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Runs the command of each pod as a process of this machine and reports it like a node. */
final class Kubelet implements AutoCloseable {
    private final Objects objects;
    private final Map<String, Container> containers = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        var thread = new Thread(work, "simulated-kubelet");
        thread.setDaemon(true);
        return thread;
    });
    private volatile boolean closed;

    private static final class Container {
        final ContainerLog log = new ContainerLog();
        final Path message;
        volatile Process process;
        volatile boolean evicted;

        Container(Path message) {
            this.message = message;
        }
    }

    Kubelet(Objects objects) {
        this.objects = objects;
        objects.listen(change -> {
            if (change.kind().equals("Pod") && change.type().equals("ADDED") && !closed) {
                threads.execute(() -> run(change.object()));
            }
        });
    }

    /** The log of a pod that has started; else null. */
    ContainerLog log(String pod) {
        Container container = containers.get(pod);
        return container == null ? null : container.log;
    }

    private void run(ObjectNode pod) {
        String namespace = pod.at("/metadata/namespace").asText();
        String name = pod.at("/metadata/name").asText();
        String image = pod.at("/spec/containers/0/image").asText();
        ObjectNode fixture = Fixtures.status(Fixtures.name(image));
        if (fixture != null) {
            status(namespace, name, fixture);
            return;
        }
        try {
            var container = new Container(Files.createTempFile("termination", ".log"));
            start(namespace, name, pod, container);
            if (Fixtures.name(image).equals("evicted")) {
                evict(namespace, name);
            }
            end(namespace, name, image, container);
        } catch (IOException e) {
            ObjectNode failed = Fixtures.status("start-error-status");
            status(namespace, name, failed);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void start(String namespace, String name, ObjectNode pod, Container container)
            throws IOException, InterruptedException {
        status(namespace, name, Fixtures.status("creating-status"));
        JsonNode spec = pod.at("/spec/containers/0");
        UnaryOperator<String> here = new Mounts(objects, pod, container.message)::here;
        var argv = new ArrayList<String>();
        spec.path("command").forEach(word -> argv.add(here.apply(word.asText())));
        var builder = new ProcessBuilder(argv.isEmpty() ? List.of("true") : argv).redirectErrorStream(true);
        var variables = new TreeMap<String, String>();
        for (JsonNode variable : spec.path("env")) {
            String value = here.apply(value(pod, variable));
            for (Map.Entry<String, String> earlier : variables.entrySet()) {
                value = value.replace("$(" + earlier.getKey() + ")", earlier.getValue());
            }
            variables.put(variable.path("name").asText(), value);
        }
        builder.environment().putAll(variables);
        synchronized (objects) {
            // A pod that was deleted in the meantime does not start.
            if (objects.find("Pod", namespace, name) == null) {
                throw new InterruptedException("deleted");
            }
            container.process = builder.start();
            containers.put(namespace + "/" + name, container);
            status(namespace, name, Fixtures.status("running-status"));
        }
    }

    private String value(ObjectNode pod, JsonNode variable) throws InterruptedException {
        JsonNode field = variable.at("/valueFrom/fieldRef/fieldPath");
        if (field.asText().equals("spec.nodeName")) {
            return "node-1";
        }
        if (!field.isMissingNode()) {
            return pod.at("/" + field.asText().replace('.', '/')).asText();
        }
        JsonNode reference = variable.at("/valueFrom/secretKeyRef");
        if (reference.isMissingNode()) {
            return variable.path("value").asText();
        }
        ObjectNode secret = Mounts.secret(
                objects,
                pod.at("/metadata/namespace").asText(),
                reference.path("name").asText());
        String data = secret.path("data").path(reference.path("key").asText()).asText();
        return new String(Base64.getDecoder().decode(data), StandardCharsets.UTF_8);
    }

    private void end(String namespace, String name, String image, Container container)
            throws IOException, InterruptedException {
        try (var lines =
                new BufferedReader(new InputStreamReader(container.process.getInputStream(), StandardCharsets.UTF_8))) {
            lines.lines().forEach(container.log::add);
        }
        int code = container.process.waitFor();
        container.log.end();
        boolean oom = Fixtures.name(image).equals("oom");
        ObjectNode status = Fixtures.status(oom ? "oom-status" : code == 0 ? "succeeded-status" : "failed-status");
        ObjectNode end = (ObjectNode) status.at("/containerStatuses/0/state/terminated");
        end.put("exitCode", oom ? 137 : code).put("message", Files.readString(container.message));
        Files.deleteIfExists(container.message);
        if (container.evicted) {
            status.set("conditions", Fixtures.status("evicted-status").get("conditions"));
        }
        status(namespace, name, status);
        ObjectNode now = objects.find("Pod", namespace, name);
        if (now != null && now.at("/metadata/deletionTimestamp").isTextual()) {
            objects.delete("Pod", namespace, name);
        }
    }

    private void status(String namespace, String name, ObjectNode status) {
        objects.update("Pod", namespace, name, pod -> {
            ObjectNode next = status.deepCopy();
            // Conditions stay unless the new status has some: a disruption is recorded before the end.
            if (!next.has("conditions") && pod.at("/status/conditions").isArray()) {
                next.set("conditions", pod.at("/status/conditions"));
            }
            pod.set("status", next);
            if (!next.path("phase").asText().equals("Pending")) {
                pod.withObject("/spec").put("nodeName", "node-1");
            }
            return pod;
        });
    }

    /** Ends a pod as the eviction API does: condition, TERM, then the object is removed. */
    private void evict(String namespace, String name) {
        Container container = containers.get(namespace + "/" + name);
        container.evicted = true;
        objects.update("Pod", namespace, name, pod -> {
            pod.withObject("/status")
                    .set("conditions", Fixtures.status("evicted-status").get("conditions"));
            return pod;
        });
        terminate(namespace, name);
    }

    /** Deletes a pod with its grace period; false if there is none. */
    boolean terminate(String namespace, String name) {
        ObjectNode pod;
        Container container;
        synchronized (objects) {
            container = containers.get(namespace + "/" + name);
            pod = objects.find("Pod", namespace, name);
            if (pod == null) {
                return false;
            }
            boolean ended =
                    pod.at("/status/containerStatuses/0/state/terminated").isObject();
            if (container == null || ended) {
                return objects.delete("Pod", namespace, name);
            }
            objects.update("Pod", namespace, name, one -> {
                one.withObject("/metadata").put("deletionTimestamp", Objects.now());
                return one;
            });
        }
        if (Fixtures.name(pod.at("/spec/containers/0/image").asText()).equals("unreachable")) {
            return true;
        }
        Process process = container.process;
        process.descendants().forEach(ProcessHandle::destroy);
        process.toHandle().destroy();
        int grace = pod.at("/spec/terminationGracePeriodSeconds").asInt(30);
        threads.execute(() -> kill(process, grace));
        return true;
    }

    private static void kill(Process process, int grace) {
        try {
            if (!process.waitFor(grace, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.toHandle().destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.toHandle().destroyForcibly();
        }
    }

    @Override
    public void close() {
        closed = true;
        containers.values().forEach(container -> {
            container.process.descendants().forEach(ProcessHandle::destroyForcibly);
            container.process.toHandle().destroyForcibly();
        });
        threads.shutdownNow();
    }
}
