package dev.longhaul.kubernetes;

import dev.longhaul.job.Claim;
import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.kubernetes.cluster.NamespaceView;
import dev.longhaul.kubernetes.cluster.Tracked;
import dev.longhaul.kubernetes.job.PodNames;
import dev.longhaul.kubernetes.job.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Kubernetes Jobs of earlier runs of one job, in all namespaces that this worker knows. They must end before the
 * next run starts.
 */
final class EarlierRuns {
    private static final Logger LOG = LoggerFactory.getLogger(EarlierRuns.class);
    private static final int FORBIDDEN = 403;
    /** Every so many passes, the API server is asked although the informers still know a running pod. */
    private static final int ASK = 5;

    private final Cluster cluster;
    private final String namespace;
    private final Claim claim;
    private final PodReports reports;
    private final Unreachable unreachable;
    private int passes;

    /** @param namespace the namespace of the next run */
    EarlierRuns(Cluster cluster, PodSettings settings, String namespace, Claim claim, PodReports reports) {
        this.cluster = cluster;
        this.namespace = namespace;
        this.claim = claim;
        this.reports = reports;
        this.unreachable = new Unreachable(cluster, settings, reports);
    }

    /** Deletes the Jobs of earlier runs; returns whether their code has ended and cannot start any more. */
    boolean end() {
        boolean ended = true;
        passes++;
        if (claim.run() > 1) {
            for (NamespaceView view : cluster.views()) {
                ended &= end(view);
            }
        }
        return ended;
    }

    private boolean end(NamespaceView view) {
        List<String> known = view.earlier(claim).stream()
                .filter(name -> mayRun(view.find(name)))
                .toList();
        if (known.isEmpty() || passes % ASK == 0) {
            // The informers may be late, so the API server decides.
            return endOnServer(view.namespace());
        }
        for (String name : known) {
            Tracked tracked = view.find(name);
            Pod pod = tracked == null ? null : tracked.seen().pod();
            delete(view, name, tracked);
            pending(pod);
        }
        return false;
    }

    private static boolean mayRun(@Nullable Tracked known) {
        if (known == null) {
            return false;
        }
        Tracked.Seen seen = known.seen();
        return mayRun(seen.job(), seen.state());
    }

    private static boolean mayRun(@Nullable Job job, PodState state) {
        return state instanceof PodState.Waiting
                || state instanceof PodState.Running
                || (state instanceof PodState.Missing && (job == null || PodState.ofEnded(job) == null));
    }

    private boolean endOnServer(String in) {
        List<Job> jobs;
        List<Pod> pods;
        try {
            jobs = cluster.jobs(in, claim.jobId());
            pods = cluster.pods(in, claim.jobId());
        } catch (KubernetesClientException e) {
            boolean elsewhere = !in.equals(namespace);
            if (elsewhere && (e.getCode() == FORBIDDEN || e.getCode() == Cluster.NOT_FOUND)) {
                // A worker without rights in a namespace has started no pod there.
                return true;
            }
            throw e;
        }
        Map<String, Pod> running = new HashMap<>();
        for (Pod pod : pods) {
            String name = PodNames.ofPod(pod);
            if (name != null && isEarlier(name) && mayRun(null, PodState.of(pod, false))) {
                running.put(name, pod);
                pending(pod);
            }
        }
        boolean ended = running.isEmpty();
        for (Job job : jobs) {
            String name = job.getMetadata().getName();
            boolean starts =
                    PodState.ofEnded(job) == null && pods.stream().noneMatch(pod -> name.equals(PodNames.ofPod(pod)));
            if (isEarlier(name) && (starts || running.containsKey(name))) {
                pending(null);
                delete(in, name);
                ended = false;
            }
        }
        return ended;
    }

    private boolean isEarlier(String name) {
        return claim.jobId().equals(PodNames.jobId(name)) && PodNames.run(name) < claim.run();
    }

    private void pending(@Nullable Pod pod) {
        unlessRejected("the pod of an earlier run cannot be deleted by force", () -> {
            if (!unreachable.check(pod)) {
                reports.pod("Pending", "waiting for the pod of an earlier run to end");
            }
        });
    }

    /** Deletes a Job unless it is deleted already. */
    private void delete(NamespaceView view, String name, @Nullable Tracked known) {
        Tracked.Seen seen = known == null ? null : known.seen();
        if (seen == null || seen.jobDeleted() || (seen.job() == null && seen.pod() != null)) {
            return;
        }
        // The Job may not exist: the request to create it had no response, and nothing was reported about it.
        if (seen.empty() && cluster.find(view.namespace(), name) == null) {
            view.forgetIfEmpty(name);
        } else {
            delete(view.namespace(), name);
        }
    }

    private void delete(String in, String name) {
        unlessRejected("Job " + name + " of an earlier run cannot be deleted", () -> {
            cluster.delete(in, name);
            LOG.debug("{}: deleted Job {} of an earlier run", claim, name);
        });
    }

    /** A request that the API server rejects is reported; the pod may still end by itself. */
    private void unlessRejected(String problem, Runnable request) {
        try {
            request.run();
        } catch (KubernetesClientException e) {
            if (PodStart.passing(e)) {
                throw e;
            }
            reports.pod("Rejected", problem + ": " + PodStart.reason(e));
        }
    }
}
