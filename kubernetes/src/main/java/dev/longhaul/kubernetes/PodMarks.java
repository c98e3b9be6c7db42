package dev.longhaul.kubernetes;

import dev.longhaul.job.Claim;
import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.kubernetes.job.PodNames;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Annotations of the Job for the worker that takes it over. */
final class PodMarks {
    private static final Logger LOG = LoggerFactory.getLogger(PodMarks.class);
    private static final int TRIES = 3;

    private final Cluster cluster;
    private final String namespace;
    private final Claim claim;
    private final String worker;

    PodMarks(Cluster cluster, String namespace, Claim claim, String worker) {
        this.cluster = cluster;
        this.namespace = namespace;
        this.claim = claim;
        this.worker = worker;
    }

    /** Records that all lines of the log up to that time are stored. */
    void stored(Instant line) {
        try {
            cluster.annotate(namespace, PodNames.of(claim), null, Map.of(PodNames.LOGGED, line.toString()));
        } catch (KubernetesClientException e) {
            failed(e);
        }
    }

    /** Releases the pod for another worker, unless another worker follows it already. */
    void leave(@Nullable Instant lastLine) {
        String name = PodNames.of(claim);
        var annotations = new HashMap<>(Map.of(PodNames.FOLLOWER, ""));
        if (lastLine != null) {
            annotations.put(PodNames.LOGGED, lastLine.toString());
        }
        try {
            for (int i = 0; i < TRIES; i++) {
                var now = cluster.find(namespace, name);
                if (now == null || !worker.equals(PodNames.annotation(now, PodNames.FOLLOWER))) {
                    return;
                }
                String version = now.getMetadata().getResourceVersion();
                if (cluster.annotate(namespace, name, version, annotations) != null) {
                    return;
                }
            }
        } catch (KubernetesClientException e) {
            failed(e);
        }
    }

    private void failed(KubernetesClientException e) {
        LOG.debug("{}: its Job could not be annotated", claim, e);
    }
}
