package dev.longhaul.kubernetes;

import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.RunAt;
import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.kubernetes.cluster.NamespaceView;
import dev.longhaul.kubernetes.cluster.Tracked;
import dev.longhaul.kubernetes.job.JobManifest;
import dev.longhaul.kubernetes.job.PodNames;
import dev.longhaul.kubernetes.job.PodState;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Outcome;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One execution: creates the Kubernetes Job of a run, or takes over an existing one, and follows it to its end. */
final class PodRun {
    private static final Logger LOG = LoggerFactory.getLogger(PodRun.class);
    private static final long STEP_MILLIS = 1000;
    private static final long LEASE_MILLIS = 5;
    private static final long LEASE_PATIENCE = TimeUnit.SECONDS.toNanos(5);
    private static final long NO_POD = TimeUnit.SECONDS.toNanos(3);
    private static final Duration QUOTA_PAUSE = Duration.ofSeconds(30);
    /** How long a pod may run after it has stored its outcome, because it still runs hooks. */
    private static final long HOOKS = TimeUnit.SECONDS.toNanos(60);

    /** Status codes after which a retry may succeed: 429 and all from 500. */
    private static final int TOO_MANY = 429;

    private static final int SERVER_ERROR = 500;

    private final PodExecutor executor;
    private final Cluster cluster;
    private final Execution execution;
    private final Claim claim;
    private final PodCommand command;
    private final String namespace;
    private final String name;
    private final NamespaceView view;
    private final Tracked tracked;
    private final PodEnd end;
    private final PodOutput output;
    private final PodMarks marks;
    private final long began = System.nanoTime();
    private volatile boolean leaving;
    private volatile boolean stopping;
    private boolean deleted;
    /** Whether the Job was created, or a request to create it had no response. */
    private boolean mayExist;

    private boolean running;
    private String reported = "";
    private int restarts;
    private long lostAt;
    private boolean settledByPod;
    private long nextEvents = began + NO_POD;

    PodRun(PodExecutor executor, Execution execution, Claim claim, PodCommand command) {
        this.executor = executor;
        this.cluster = executor.cluster();
        this.execution = execution;
        this.claim = claim;
        this.command = command;
        this.namespace = executor.namespace(command.pod());
        this.name = PodNames.of(claim);
        this.view = cluster.view(namespace);
        this.tracked = view.track(name);
        this.end = new PodEnd(execution, command);
        this.output = new PodOutput(execution);
        this.marks = new PodMarks(cluster, namespace, claim, executor.worker());
    }

    String namespace() {
        return namespace;
    }

    /** Returns whether the pod has stored the outcome of the run itself. */
    boolean settledByPod() {
        return settledByPod || (command.task() && execution.lost());
    }

    Outcome execute() {
        execution.hide(command.variables().values());
        execution.hide(command.pod().environment().values());
        execution.onDraining(() -> {
            leaving = true;
            tracked.wake();
        });
        execution.context().onCancel(() -> {
            stopping |= !execution.lost();
            tracked.wake();
        });
        try {
            Outcome failed = execution.takeovers() == 0 ? start() : takenOver();
            return failed == null ? follow() : failed;
        } catch (KubernetesClientException e) {
            String message =
                    e.getStatus() == null ? e.getMessage() : e.getStatus().getMessage();
            Failure failure = Failure.of(Failure.NOT_STARTED, "Kubernetes: " + message);
            if (passing(e)) {
                return end.failed(failure);
            }
            error(failure.message());
            return new Outcome.Refused(failure);
        } finally {
            if (!mayExist) {
                view.forgetIfEmpty(name);
            }
            Instant last = output.leave();
            LOG.trace("{}: output read up to {}", claim, last);
        }
    }

    // Start

    /** Creates the Job and the Secret; returns null on success, otherwise the outcome. */
    private @Nullable Outcome start() {
        var plan = new PodPlan(executor, execution, command);
        String tooLarge = plan.tooLarge();
        if (tooLarge != null) {
            return new Outcome.Refused(Failure.of(Failure.NOT_STARTED, tooLarge));
        }
        if (!endEarlierRuns()) {
            return leaving || stopping
                    ? new Outcome.Snoozed(RunAt.now())
                    : notStarted("the Jobs of earlier runs could not be read");
        }
        return create(plan.manifest()) ? null : new Outcome.Snoozed(RunAt.now());
    }

    private boolean create(JobManifest manifest) {
        while (true) {
            if (leaving || stopping) {
                return false;
            }
            try {
                var created = cluster.create(namespace, manifest.toJob(executor.template()));
                mayExist = true;
                // The container starts when its Secret exists. The longer lease gives other workers time to take it
                // over.
                awaitLease();
                cluster.create(namespace, manifest.toSecret(created));
                return true;
            } catch (KubernetesClientException e) {
                mayExist |= passing(e);
                if (!passing(e) || startTimedOut()) {
                    throw e;
                }
                report("Unavailable", "API server: " + e.getMessage());
                await();
            }
        }
    }

    /** Waits until the longer lease is stored; continues without it if the store is unavailable. */
    private void awaitLease() {
        execution.lastsFor(executor.lease());
        long enough = executor.lease().toNanos() / 2;
        long until = System.nanoTime() + LEASE_PATIENCE;
        while (execution.nanosLeft() < enough && !execution.lost() && System.nanoTime() < until) {
            await(LEASE_MILLIS);
        }
    }

    private static boolean passing(KubernetesClientException e) {
        return e.getCode() == 0 || e.getCode() == TOO_MANY || e.getCode() >= SERVER_ERROR;
    }

    /**
     * Deletes the Jobs of earlier runs and waits until their pods are gone; returns false if this run has to end first.
     */
    private boolean endEarlierRuns() {
        var earlier = new EarlierRuns(cluster, view, claim);
        while (!leaving && !stopping) {
            List<String> left = earlier.left();
            if (view.synced() && left.isEmpty()) {
                return true;
            }
            if (!view.synced()) {
                report("Unavailable", "the API server has not listed the Jobs of the namespace yet");
                if (startTimedOut()) {
                    return false;
                }
            }
            for (String one : left) {
                report("Pending", "waiting for the pod of an earlier run to end");
                earlier.delete(one);
            }
            await();
        }
        return false;
    }

    private @Nullable Outcome takenOver() {
        while (!leaving && !execution.lost()) {
            try {
                var existing = cluster.find(namespace, name);
                if (existing == null) {
                    return new Outcome.Crashed(
                            Failure.of(Failure.LOST, "its Job was deleted while no worker followed it"));
                }
                output.resumeAfter(instant(PodNames.annotation(existing, PodNames.LOGGED)));
                return null;
            } catch (KubernetesClientException e) {
                if (!passing(e)) {
                    delete();
                    return new Outcome.Crashed(Failure.of(Failure.LOST, "its Job cannot be read: " + e.getMessage()));
                }
                LOG.debug("{}: reading its Job failed; retrying", claim, e);
                await();
            }
        }
        return null;
    }

    private static @Nullable Instant instant(@Nullable String text) {
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeException e) {
            return null;
        }
    }

    // Follow

    private Outcome follow() {
        while (true) {
            Tracked.Seen seen = tracked.seen();
            if (followedByAnother(seen)) {
                LOG.warn("{}: another worker follows its pod now", claim);
                return new Outcome.LeftRunning();
            }
            if (execution.lost() && mayEnd(seen)) {
                delete();
                return new Outcome.LeftRunning();
            }
            if (leaving) {
                marks.leave(output.leave());
                return new Outcome.LeftRunning();
            }
            if (stopping) {
                delete();
            }
            Outcome outcome = stepIfReachable(seen);
            if (outcome != null) {
                return outcome;
            }
            await();
        }
    }

    /**
     * Returns whether the pod of a lost claim may be deleted. A pod that executes the run itself may have just stored
     * its outcome, and gets time to run its hooks.
     */
    private boolean mayEnd(Tracked.Seen seen) {
        if (lostAt == 0) {
            lostAt = System.nanoTime();
        }
        boolean over = !(stateOf(seen) instanceof PodState.Running);
        return !command.task() || over || System.nanoTime() - lostAt > HOOKS;
    }

    private static PodState stateOf(Tracked.Seen seen) {
        return PodState.of(seen.pod(), seen.pod() == null ? seen.jobDeleted() : seen.podDeleted());
    }

    private @Nullable Outcome stepIfReachable(Tracked.Seen seen) {
        try {
            return step(seen);
        } catch (KubernetesClientException e) {
            LOG.debug("{}: a request about its pod failed; retrying", claim, e);
            return null;
        }
    }

    private boolean followedByAnother(Tracked.Seen seen) {
        String follower = seen.job() == null ? null : PodNames.annotation(seen.job(), PodNames.FOLLOWER);
        // The view may still show the Job before this worker took it over; then it has fewer followers.
        String followers = seen.job() == null ? null : PodNames.annotation(seen.job(), PodNames.FOLLOWERS);
        return follower != null
                && !follower.equals(executor.worker())
                && !seen.jobDeleted()
                && followers != null
                && Integer.parseInt(followers) > execution.takeovers() + 1;
    }

    /** Handles the reported state of the pod; returns the outcome once the run has ended. */
    private @Nullable Outcome step(Tracked.Seen seen) {
        PodState state = stateOf(seen);
        if (state instanceof PodState.Missing) {
            return missing(seen);
        }
        if (state instanceof PodState.Waiting waiting) {
            return waiting(waiting);
        }
        if (state instanceof PodState.Running) {
            started(seen);
            mark();
            restarts(seen);
            return unreachable(seen);
        }
        if (state instanceof PodState.Exited) {
            started(seen);
        }
        output.finish();
        if (command.task()) {
            settledByPod = PodEnd.storedByPod(state);
            if (settledByPod) {
                return new Outcome.LeftRunning();
            }
            execution.continueEvents();
        }
        if (state instanceof PodState.Disrupted) {
            executor.stats().disruptions.increment();
        }
        Outcome outcome = end.outcome(state);
        if (!(state instanceof PodState.Exited)) {
            delete();
        }
        return outcome;
    }

    private @Nullable Outcome missing(Tracked.Seen seen) {
        if (stopping && deleted) {
            return end.outcome(new PodState.Gone("stopped before its pod was created"));
        }
        if (System.nanoTime() - nextEvents < 0) {
            return null;
        }
        nextEvents = System.nanoTime() + NO_POD;
        var created = seen.job();
        if (created == null) {
            report("Unavailable", "the API server has not reported its Job yet");
            return startTimedOut() ? notStarted("its Job was not reported") : null;
        }
        List<String> messages = cluster.failedCreates(namespace, created);
        if (!messages.isEmpty()) {
            String message = messages.get(0);
            report("FailedCreate", message);
            Outcome outcome = end.noPod(message, QUOTA_PAUSE);
            if (outcome != null) {
                delete();
                return outcome;
            }
        }
        return startTimedOut() ? notStarted("no pod was created") : null;
    }

    private @Nullable Outcome waiting(PodState.Waiting waiting) {
        report(waiting.reason(), waiting.message());
        if (waiting.hopeless()) {
            delete();
            return new Outcome.Refused(Failure.of(Failure.NOT_STARTED, text(waiting)));
        }
        return !running && startTimedOut() ? notStarted(text(waiting)) : null;
    }

    private static String text(PodState.Waiting waiting) {
        return waiting.message().isEmpty() ? waiting.reason() : waiting.reason() + ": " + waiting.message();
    }

    private Outcome notStarted(String why) {
        delete();
        Duration limit = executor.settings().startTimeout();
        return end.failed(
                Failure.of(Failure.NOT_STARTED, "the pod did not start within " + limit.toSeconds() + " s: " + why));
    }

    private boolean startTimedOut() {
        return System.nanoTime() - began > executor.settings().startTimeout().toNanos();
    }

    private void started(Tracked.Seen seen) {
        Pod pod = seen.pod();
        if (running || pod == null) {
            return;
        }
        running = true;
        if (execution.takeovers() == 0) {
            executor.stats().started.increment();
            executor.stats().startNanos.add(System.nanoTime() - began);
        }
        if (command.task()) {
            return; // The pod itself reports its start and its output.
        }
        String node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
        execution.report(
                EventType.PROCESS_START,
                "{\"pod\":" + Payload.quoted(pod.getMetadata().getName()) + ",\"namespace\":"
                        + Payload.quoted(namespace)
                        + (node == null ? "" : ",\"node\":" + Payload.quoted(node))
                        + ",\"image\":" + Payload.quoted(command.pod().image())
                        + (execution.takeovers() == 0 ? "" : ",\"takenOver\":true") + "}");
        output.start(after -> cluster.log(namespace, pod.getMetadata().getName(), after));
    }

    /** Records in the Job up to which line the log is stored, for a worker that takes over the Job. */
    private void mark() {
        Instant stored = output.mark();
        if (stored != null) {
            marks.stored(stored);
        }
    }

    /** Reports restarts of containers that the template adds; they may restart if the template allows it. */
    private void restarts(Tracked.Seen seen) {
        int now = seen.pod() == null ? 0 : PodState.restarts(seen.pod().getStatus());
        if (now > restarts && !command.task()) {
            restarts = now;
            execution.report(
                    EventType.CUSTOM,
                    "{\"name\":\"pod\",\"data\":{\"reason\":\"Restarted\",\"message\":\"containers of the pod restarted\","
                            + "\"restarts\":" + now + "}}");
        }
    }

    private @Nullable Outcome unreachable(Tracked.Seen seen) {
        Pod pod = seen.pod();
        String since = pod == null ? null : pod.getMetadata().getDeletionTimestamp();
        if (pod == null || since == null) {
            return null;
        }
        Duration grace =
                executor.settings().cancelGrace().plus(executor.settings().unreachableAfter());
        if (Instant.parse(since).plus(grace).isAfter(Instant.now())) {
            return null;
        }
        if (!executor.settings().forceUnreachable()) {
            report("Unreachable", "its node does not end the pod; waiting for the node");
            return null;
        }
        report("Unreachable", "its node does not end the pod; deleting the pod by force");
        cluster.deletePodByForce(namespace, pod.getMetadata().getName());
        return null;
    }

    // End

    private void delete() {
        if (deleted) {
            return;
        }
        try {
            cluster.delete(namespace, name);
            deleted = true;
        } catch (KubernetesClientException e) {
            LOG.warn("{}: deleting its Job failed; retrying: {}", claim, String.valueOf(e.getMessage()));
        }
    }

    /** Reports why the pod waits, if the reason has changed. */
    private void report(String reason, String message) {
        String now = reason + " " + message;
        if (!reported.equals(now)) {
            reported = now;
            execution.report(
                    EventType.CUSTOM,
                    "{\"name\":\"pod\",\"data\":{\"reason\":" + Payload.quoted(reason) + ",\"message\":"
                            + Payload.quoted(message) + "}}");
        }
    }

    private void error(String message) {
        execution.report(EventType.PROCESS_ERROR, "{\"message\":" + Payload.quoted(message) + "}");
    }

    /** Waits for a change, or for a short time. */
    private void await() {
        await(STEP_MILLIS);
    }

    private void await(long millis) {
        try {
            tracked.await(millis);
        } catch (InterruptedException e) {
            // The worker interrupts code that has to end now. The pod then gets its own grace period.
            if (!leaving && !execution.lost()) {
                stopping = true;
            }
        }
    }
}
