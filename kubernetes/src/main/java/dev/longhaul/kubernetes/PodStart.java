package dev.longhaul.kubernetes;

import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.RunAt;
import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.kubernetes.job.JobManifest;
import dev.longhaul.kubernetes.job.PodNames;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Outcome;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Starts the pod of a run. The container starts when its Secret exists, and the Secret is created only after the store
 * has confirmed the claim with a longer lease. A run that is claimed later therefore finds the Job of this run, or this
 * run's container never starts.
 */
final class PodStart {
    private static final long LEASE_MILLIS = 5;
    /** Status codes after which a retry may succeed: 429 and all from 500. */
    private static final int TOO_MANY = 429;

    private static final int SERVER_ERROR = 500;

    private final PodExecutor executor;
    private final Cluster cluster;
    private final Execution execution;
    private final Claim claim;
    private final PodCommand command;
    private final String namespace;
    private final PodRequests requests;
    private final PodReports reports;
    private final PodEnd end;
    /** When the pods of earlier runs had ended: the time to start counts from then. */
    private long began = System.nanoTime();

    private boolean mayExist;
    /** The outcome if the run's name is in use already. */
    private @Nullable Outcome inUse;

    private String missing = "its Job could not be created";

    PodStart(
            PodExecutor executor,
            Execution execution,
            PodCommand command,
            PodRequests requests,
            PodReports reports,
            PodEnd end) {
        this.executor = executor;
        this.cluster = executor.cluster();
        this.execution = execution;
        this.command = command;
        this.namespace = executor.namespace(command.pod());
        this.requests = requests;
        this.reports = reports;
        this.end = end;
        this.claim = Objects.requireNonNull(execution.claim());
    }

    /** Whether this run has created the Job, or a request to create it had no response. */
    boolean mayExist() {
        return mayExist;
    }

    long began() {
        return began;
    }

    boolean timedOut() {
        return System.nanoTime() - began > executor.settings().startTimeout().toNanos();
    }

    /** Returns the outcome of a run whose pod has not started in time. */
    Outcome notStarted(String why) {
        Duration limit = executor.settings().startTimeout();
        return end.failed(
                Failure.of(Failure.NOT_STARTED, "the pod did not start within " + limit.toSeconds() + " s: " + why));
    }

    /** Whether a request that failed in this way may succeed later. A request without a response has no code. */
    static boolean passing(KubernetesClientException e) {
        return e.getCode() <= 0 || e.getCode() == TOO_MANY || e.getCode() >= SERVER_ERROR;
    }

    /** The message of the API server, or why there is no response. */
    static String reason(KubernetesClientException e) {
        if (e.getStatus() != null) {
            return String.valueOf(e.getStatus().getMessage());
        }
        return e.getCause() == null ? String.valueOf(e.getMessage()) : e.getMessage() + " " + e.getCause();
    }

    /** Creates the Job and the Secret; returns null on success, otherwise the outcome. */
    @Nullable
    Outcome run() {
        var plan = new PodPlan(executor, execution, command);
        String tooLarge = plan.tooLarge();
        if (tooLarge != null) {
            return new Outcome.Refused(Failure.of(Failure.NOT_STARTED, tooLarge));
        }
        JobManifest manifest = plan.manifest();
        var earlier = new EarlierRuns(cluster, executor.settings(), namespace, claim, reports);
        boolean ended = false;
        while (!requests.any() && inUse == null) {
            try {
                if (!ended) {
                    ended = earlier.end();
                    began = System.nanoTime();
                }
                if (ended && create(manifest)) {
                    return null;
                }
            } catch (KubernetesClientException e) {
                mayExist |= ended && passing(e);
                if (!passing(e) || timedOut()) {
                    throw e;
                }
                reports.pod("Unavailable", "API server: " + reason(e));
            }
            if (ended && timedOut()) {
                return notStarted(missing);
            }
            if (!requests.any() && inUse == null) {
                requests.await();
            }
        }
        if (inUse != null) {
            return inUse;
        }
        return execution.lost() ? new Outcome.LeftRunning() : new Outcome.Snoozed(RunAt.now());
    }

    /** Creates the Job and the Secret; returns false if that has to be retried, or given up. */
    private boolean create(JobManifest manifest) {
        Job job = cluster.create(namespace, manifest.toJob(executor.template()));
        if (!executor.worker().equals(PodNames.annotation(job, PodNames.FOLLOWER))) {
            // Another worker has taken the Job over: a request of this worker had no response, and then this worker was
            // considered dead. Or the database was restored since the Job was created: the next run deletes the Job.
            inUse = PodNames.followers(job) > 1 ? new Outcome.LeftRunning() : new Outcome.Snoozed(RunAt.now());
            mayExist = false;
            return false;
        }
        mayExist = true;
        if (!awaitLease()) {
            missing = "the store has not extended the lease";
            return false;
        }
        UUID key = JobManifest.claimKey(cluster.create(namespace, manifest.toSecret(job)));
        if (!claim.key().equals(key)) {
            inUse = new Outcome.Snoozed(RunAt.now());
            return false;
        }
        return true;
    }

    /** Waits until the store has confirmed the claim with the longer lease; returns whether it has. */
    private boolean awaitLease() {
        execution.lastsFor(executor.lease());
        long enough = executor.lease().toNanos() / 2;
        while (execution.nanosLeft() < enough && !requests.any() && !timedOut()) {
            requests.await(LEASE_MILLIS);
        }
        return execution.nanosLeft() >= enough && !requests.any();
    }
}
