package dev.longhaul.kubernetes.simulated;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * A Kubernetes cluster for tests: an API server, a Job controller and a kubelet. Pods run as processes of this machine. The
 * last part of an image's name may choose a fault: {@code unschedulable}, {@code image-pull}, {@code invalid-name},
 * {@code oom}, {@code evicted}, {@code quota}, {@code no-account}, {@code unreachable}, {@code unprocessable}, and those of
 * {@link Fixtures}.
 */
public final class SimulatedCluster implements AutoCloseable {
    private final Objects objects = new Objects();
    private final Kubelet kubelet = new Kubelet(objects);
    private final JobController controller = new JobController(objects, kubelet);
    private final List<String> pods = new ArrayList<>();
    private volatile ApiServer api = ApiServer.start(objects, kubelet, 0);

    public SimulatedCluster() {
        objects.listen(change -> {
            if (change.kind().equals("Pod") && change.type().equals("ADDED")) {
                pods.add(change.object().at("/metadata/labels/job-name").asText());
            }
        });
    }

    /** Writes a kubeconfig of the cluster. */
    public Path kubeconfig(Path directory) {
        String text = """
                apiVersion: v1
                kind: Config
                clusters: [{name: simulated, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: worker, user: {token: secret}}]
                contexts: [{name: simulated, context: {cluster: simulated, user: worker, namespace: jobs}}]
                current-context: simulated
                """.formatted(api.port());
        try {
            return Files.writeString(directory.resolve("kubeconfig"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Closes all connections and opens the same port again; objects and pods stay. */
    public void restartApiServer() {
        stopApiServer();
        startApiServer();
    }

    /** Compacts the history: watches that begin before now end with 410. */
    public void compact() {
        objects.compact();
    }

    /** Open log connections transfer nothing any more, and do not end. */
    public void freezeLogs() {
        api.freezeLogs();
    }

    /** Open watches transfer nothing any more, and do not end. */
    public void freezeWatches() {
        api.freezeWatches();
    }

    public void stopApiServer() {
        api.close();
    }

    public void startApiServer() {
        int port = api.port();
        api = ApiServer.start(objects, kubelet, port);
    }

    /** The names of the Jobs of all pods that were ever created, in order. */
    public List<String> podsEver() {
        synchronized (objects) {
            return List.copyOf(pods);
        }
    }

    public List<ObjectNode> jobs(String namespace) {
        return objects.list("Job", namespace);
    }

    public List<ObjectNode> pods(String namespace) {
        return objects.list("Pod", namespace);
    }

    public List<ObjectNode> secrets(String namespace) {
        return objects.list("Secret", namespace);
    }

    public ObjectNode create(String kind, String namespace, ObjectNode object) {
        return objects.create(kind, namespace, object);
    }

    /** Deletes a pod, as kubectl does. */
    public void deletePod(String namespace, String name) {
        kubelet.terminate(namespace, name);
    }

    public void deleteJob(String namespace, String name) {
        objects.delete("Job", namespace, name);
    }

    /** Sets an annotation of a Job, as another worker does. */
    public void annotate(String namespace, String job, String annotation, String value) {
        objects.update("Job", namespace, job, object -> {
            object.withObject("/metadata").withObjectProperty("annotations").put(annotation, value);
            return object;
        });
    }

    /** The claim's key in the Secret of a Job. */
    public String claimKey(String namespace, String job) {
        String data = objects.find("Secret", namespace, job)
                .path("data")
                .path("longhaul.claim-key")
                .asText();
        return new String(Base64.getDecoder().decode(data), StandardCharsets.UTF_8);
    }

    /** Denies a right, as verb and resource: {@code delete jobs}. */
    public void deny(String right) {
        api.denied.add(right);
    }

    /** Grants a denied right again. */
    public void allow(String right) {
        api.denied.remove(right);
    }

    /** How many requests the API server got since its start: {@code LIST jobs}, {@code WATCH pods}. */
    public long requests(String verbAndResource) {
        LongAdder count = api.requests.get(verbAndResource);
        return count == null ? 0 : count.sum();
    }

    @Override
    public void close() {
        api.close();
        controller.close();
        kubelet.close();
    }
}
