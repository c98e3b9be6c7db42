package dev.longhaul.kubernetes.cluster;

import dev.longhaul.job.JobId;
import dev.longhaul.kubernetes.job.PodNames;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Sends the requests of a worker to the API server. */
public final class Cluster implements AutoCloseable {
    /** Uses the configuration of the pod that this process runs in, or else the user's kubectl configuration. */
    public static final String AUTO = "auto";

    public static final int CONFLICT = 409;
    public static final int NOT_FOUND = 404;

    private final KubernetesClient client;
    private final String label;
    private final Map<String, NamespaceView> views = new ConcurrentHashMap<>();

    private Cluster(KubernetesClient client, String label) {
        this.client = client;
        this.label = label;
    }

    /**
     * Opens a client; sends no request.
     *
     * @param config {@link #AUTO} or the path of a kubeconfig file
     * @param label the value of the label that all Jobs of this database have
     */
    public static Cluster open(String config, String label) {
        Config read = config.equals(AUTO) ? Config.autoConfigure(null) : Config.fromKubeconfig(new File(config));
        // Uses HTTP/1.1: watches and logs need no WebSocket, and an HTTP/2 connection allows too few streams for all
        // logs.
        read.setOnlyHttpWatches(true);
        read.setHttp2Disable(true);
        read.setRequestRetryBackoffLimit(0);
        var built = new KubernetesClientBuilder()
                .withConfig(read)
                .withHttpClientFactory(new JdkHttpClientFactory())
                .build();
        return new Cluster(built, label);
    }

    /** Returns the namespace of the configuration. */
    public String defaultNamespace() {
        String namespace = client.getNamespace();
        return namespace == null ? "default" : namespace;
    }

    KubernetesClient client() {
        return client;
    }

    /** Returns the Jobs and pods of a namespace; the first call for a namespace starts to watch it. */
    public NamespaceView view(String namespace) {
        return views.computeIfAbsent(
                namespace,
                name -> new NamespaceView(
                        name,
                        client.batch().v1().jobs().inNamespace(name).withLabel(PodNames.CLUSTER, label),
                        client.pods().inNamespace(name).withLabel(PodNames.CLUSTER, label)));
    }

    public Iterable<NamespaceView> views() {
        return views.values();
    }

    /** Creates the Job, or returns the existing Job of that name. */
    public Job create(String namespace, Job job) {
        try {
            return client.batch()
                    .v1()
                    .jobs()
                    .inNamespace(namespace)
                    .resource(job)
                    .create();
        } catch (KubernetesClientException e) {
            Job existing =
                    e.getCode() == CONFLICT ? find(namespace, job.getMetadata().getName()) : null;
            if (existing == null) {
                throw e;
            }
            return existing;
        }
    }

    /** Reads the Jobs of all runs of a job from the API server. */
    public List<Job> jobs(String namespace, JobId id) {
        return client.batch()
                .v1()
                .jobs()
                .inNamespace(namespace)
                .withLabel(PodNames.CLUSTER, label)
                .withLabel(PodNames.JOB, id.toString())
                .list()
                .getItems();
    }

    /** Reads the pods of all runs of a job from the API server. */
    public List<Pod> pods(String namespace, JobId id) {
        return client.pods()
                .inNamespace(namespace)
                .withLabel(PodNames.CLUSTER, label)
                .withLabel(PodNames.JOB, id.toString())
                .list()
                .getItems();
    }

    public @Nullable Job find(String namespace, String name) {
        return client.batch().v1().jobs().inNamespace(namespace).withName(name).get();
    }

    /** Creates the Secret, or returns the existing Secret of that name. */
    public Secret create(String namespace, Secret secret) {
        try {
            return client.secrets().inNamespace(namespace).resource(secret).create();
        } catch (KubernetesClientException e) {
            Secret existing = e.getCode() == CONFLICT
                    ? secret(namespace, secret.getMetadata().getName())
                    : null;
            if (existing == null) {
                throw e;
            }
            return existing;
        }
    }

    public @Nullable Secret secret(String namespace, String name) {
        return client.secrets().inNamespace(namespace).withName(name).get();
    }

    /**
     * Sets annotations of a Job.
     *
     * @param version the version that the Job must still have; null means any
     * @return the Job; null if it has changed since, or does not exist
     */
    public @Nullable Job annotate(
            String namespace, String name, @Nullable String version, Map<String, String> annotations) {
        var metadata = new TreeMap<String, Object>();
        metadata.put("annotations", annotations);
        if (version != null) {
            metadata.put("resourceVersion", version);
        }
        try {
            return client.batch()
                    .v1()
                    .jobs()
                    .inNamespace(namespace)
                    .withName(name)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), Serialization.asJson(Map.of("metadata", metadata)));
        } catch (KubernetesClientException e) {
            if (e.getCode() == CONFLICT || e.getCode() == NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    /** Deletes a Job, its pod and its Secret. The code gets the grace period of the pod. */
    public void delete(String namespace, String name) {
        client.batch()
                .v1()
                .jobs()
                .inNamespace(namespace)
                .withName(name)
                .withPropagationPolicy(DeletionPropagation.BACKGROUND)
                .delete();
    }

    /** Deletes a pod without waiting for its node. */
    public void deletePodByForce(String namespace, String name) {
        client.pods().inNamespace(namespace).withName(name).withGracePeriod(0).delete();
    }

    /** Returns why no pod could be created for the Job, most recent reason first. */
    public List<String> failedCreates(String namespace, Job job) {
        return client
                .v1()
                .events()
                .inNamespace(namespace)
                .withField("involvedObject.uid", job.getMetadata().getUid())
                .withField("reason", "FailedCreate")
                .list()
                .getItems()
                .stream()
                .sorted(Comparator.comparing(Cluster::time).reversed())
                .map(Event::getMessage)
                .toList();
    }

    /** Returns the time of an event in a form that sorts as text. */
    private static String time(Event event) {
        String last = event.getLastTimestamp();
        return last == null ? String.valueOf(event.getMetadata().getCreationTimestamp()) : last;
    }

    /** Returns whether this process has the right in the namespace. */
    public boolean may(String namespace, Right right) {
        return Right.review(client, namespace, right);
    }

    /**
     * Returns the log of the pod's container.
     *
     * @param after skips lines up to this time; null starts at the first line
     */
    public PodLog log(String namespace, String pod, @Nullable Instant after) {
        return new PodLog(client, namespace, pod, after);
    }

    /** Reads a pod template. */
    public static PodTemplateSpec template(Path file) throws IOException {
        return Serialization.unmarshal(Files.readString(file), PodTemplateSpec.class);
    }

    @Override
    public void close() {
        views.values().forEach(NamespaceView::close);
        client.close();
    }
}
