package dev.longhaul.kubernetes;

import dev.longhaul.job.Claim;
import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.kubernetes.cluster.NamespaceView;
import dev.longhaul.kubernetes.cluster.Tracked;
import dev.longhaul.kubernetes.job.PodState;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Kubernetes Jobs of earlier runs of one job. They must end before the next run starts. */
final class EarlierRuns {
    private static final Logger LOG = LoggerFactory.getLogger(EarlierRuns.class);

    private final Cluster cluster;
    private final NamespaceView view;
    private final Claim claim;

    EarlierRuns(Cluster cluster, NamespaceView view, Claim claim) {
        this.cluster = cluster;
        this.view = view;
        this.claim = claim;
    }

    /** Returns the names of the Jobs whose code is running or may still start. */
    List<String> left() {
        return view.earlier(claim).stream().filter(this::mayRun).toList();
    }

    private boolean mayRun(String name) {
        Tracked known = view.find(name);
        if (known == null) {
            return false;
        }
        Tracked.Seen seen = known.seen();
        PodState state = PodState.of(seen.pod(), seen.pod() == null ? seen.jobDeleted() : seen.podDeleted());
        return state instanceof PodState.Missing
                || state instanceof PodState.Waiting
                || state instanceof PodState.Running;
    }

    /** Deletes a Job unless it is deleted already. */
    void delete(String name) {
        Tracked known = view.find(name);
        Tracked.Seen seen = known == null ? null : known.seen();
        if (seen == null || seen.jobDeleted() || (seen.job() == null && seen.pod() != null)) {
            return;
        }
        try {
            // The Job may not exist: the request to create it had no response, and nothing was reported about it.
            if (seen.empty() && cluster.find(view.namespace(), name) == null) {
                view.forgetIfEmpty(name);
            } else {
                cluster.delete(view.namespace(), name);
            }
        } catch (KubernetesClientException e) {
            LOG.debug("{}: deleting Job {} failed; retrying", claim, name, e);
        }
    }
}
