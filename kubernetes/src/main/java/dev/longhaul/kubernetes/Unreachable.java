package dev.longhaul.kubernetes;

import dev.longhaul.kubernetes.cluster.Cluster;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Pods that do not end although they were deleted: their node is probably unreachable. */
final class Unreachable {
    private final Cluster cluster;
    private final PodSettings settings;
    private final PodReports reports;

    Unreachable(Cluster cluster, PodSettings settings, PodReports reports) {
        this.cluster = cluster;
        this.settings = settings;
        this.reports = reports;
    }

    /**
     * Reports a deleted pod that has not ended in time, and deletes it by force if the settings allow that. Returns
     * whether the pod is such a pod.
     */
    boolean check(@Nullable Pod pod) {
        String since = pod == null ? null : pod.getMetadata().getDeletionTimestamp();
        if (pod == null || since == null) {
            return false;
        }
        Duration grace = settings.cancelGrace().plus(settings.unreachableAfter());
        if (Instant.parse(since).plus(grace).isAfter(Instant.now())) {
            return false;
        }
        if (settings.forceUnreachable()) {
            reports.pod("Unreachable", "its node does not end the pod; deleting the pod by force");
            cluster.deletePodByForce(
                    pod.getMetadata().getNamespace(), pod.getMetadata().getName());
        } else {
            reports.pod("Unreachable", "its node does not end the pod; waiting for the node");
        }
        return true;
    }
}
