package dev.longhaul.kubernetes;

import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.kubernetes.cluster.NamespaceView;
import dev.longhaul.kubernetes.cluster.Tracked;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One execution: creates the Kubernetes Job of a run, or takes over an existing one, and follows it to its end. */
final class PodRun {
    private static final Logger LOG = LoggerFactory.getLogger(PodRun.class);
    /** How long to wait, when the pod is gone, until its Job's conditions tell why. */
    private static final long CONDITIONS = TimeUnit.SECONDS.toNanos(5);
    /** How long a worker that leaves waits until the output read so far is stored. */
    private static final long STORED_SECONDS = 5;
    /** After so many unexpected failures in a row, the run fails. */
    private static final int MOST_FAILURES = 10;

    private static final long NO_POD = TimeUnit.SECONDS.toNanos(3);
    private static final Duration QUOTA_PAUSE = Duration.ofSeconds(30);
    /** How long a pod may run after it has stored its outcome, because it still runs hooks. */
    private static final long HOOKS = TimeUnit.SECONDS.toNanos(60);

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
    private final PodRequests requests;
    private final PodReports reports;
    private final PodStart start;
    private final Unreachable unreachable;
    private boolean deleted;
    private boolean running;
    private int restarts;
    private int failures;
    /** The worker has interrupted the wait for the output to be stored. */
    private boolean interrupted;

    private long lostAt;
    private long goneAt;
    private boolean settledByPod;
    private long nextEvents = System.nanoTime() + NO_POD;

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
        this.requests = new PodRequests(execution, tracked);
        this.reports = new PodReports(execution);
        this.start = new PodStart(executor, execution, command, requests, reports, end);
        this.unreachable = new Unreachable(cluster, executor.settings(), reports);
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
        requests.listen();
        try {
            Outcome notStarted = execution.takeovers() == 0 ? start.run() : takenOver();
            if (notStarted == null) {
                return follow();
            }
            deleteUnlessFollowed();
            return notStarted;
        } catch (KubernetesClientException e) {
            deleteUnlessFollowed();
            Failure failure = Failure.of(Failure.NOT_STARTED, "Kubernetes: " + PodStart.reason(e));
            if (PodStart.passing(e)) {
                return end.failed(failure);
            }
            reports.error(failure.message());
            return new Outcome.Refused(failure);
        } finally {
            if (!start.mayExist()) {
                view.forgetIfEmpty(name);
            }
            Instant last = output.leave();
            LOG.trace("{}: output read up to {}", claim, last);
        }
    }

    /** Deletes what this run has created, if no container could start. */
    private void deleteUnlessFollowed() {
        if (start.mayExist()) {
            delete();
        }
    }

    private @Nullable Outcome takenOver() {
        while (!requests.leaving() && !execution.lost()) {
            try {
                var existing = cluster.find(namespace, name);
                if (existing == null) {
                    return new Outcome.Crashed(
                            Failure.of(Failure.LOST, "its Job was deleted while no worker followed it"));
                }
                output.resumeAfter(instant(PodNames.annotation(existing, PodNames.LOGGED)));
                return null;
            } catch (KubernetesClientException e) {
                if (!PodStart.passing(e)) {
                    delete();
                    return new Outcome.Crashed(Failure.of(Failure.LOST, "its Job cannot be read: " + e.getMessage()));
                }
                LOG.debug("{}: reading its Job failed; retrying", claim, e);
                requests.await();
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
            // A pod that was deleted has no other worker to be left for.
            if (requests.leaving() && !deleted) {
                leave();
                return new Outcome.LeftRunning();
            }
            if (requests.stopping()) {
                delete();
            }
            Outcome outcome = stepIfReachable(seen);
            if (outcome != null) {
                return outcome;
            }
            requests.await();
        }
    }

    /**
     * Leaves the pod to another worker. That worker continues after the last line only if the output up to it is
     * stored; otherwise some lines may be stored twice, but none is lost.
     */
    private void leave() {
        Instant last = output.leave();
        marks.leave(last != null && isStored() ? last : null);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until everything that was reported is stored; returns whether it is. */
    private boolean isStored() {
        var stored = new CompletableFuture<Boolean>();
        execution.onStored(stored::complete);
        try {
            return stored.get(STORED_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("{}: its output could not be stored in time; the next worker may repeat lines", claim);
            return false;
        } catch (InterruptedException e) {
            // The requests that leave the pod would fail in an interrupted thread.
            interrupted = true;
            return false;
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
        boolean over = !(seen.state() instanceof PodState.Running);
        return !command.task() || over || System.nanoTime() - lostAt > HOOKS;
    }

    private @Nullable Outcome stepIfReachable(Tracked.Seen seen) {
        try {
            Outcome outcome = step(seen);
            failures = 0;
            return outcome;
        } catch (KubernetesClientException e) {
            LOG.debug("{}: a request about its pod failed; retrying", claim, e);
            return null;
        } catch (RuntimeException | Error e) {
            // The pod continues whatever happens in this process.
            failures++;
            if (failures >= MOST_FAILURES) {
                throw e;
            }
            LOG.warn("{}: following its pod failed; retrying", claim, e);
            return null;
        }
    }

    private boolean followedByAnother(Tracked.Seen seen) {
        var job = seen.job();
        String follower = job == null ? null : PodNames.annotation(job, PodNames.FOLLOWER);
        // The view may still show the Job before this worker took it over; then it has fewer followers.
        return job != null
                && follower != null
                && !follower.equals(executor.worker())
                && !seen.jobDeleted()
                && PodNames.followers(job) > execution.takeovers() + 1;
    }

    /** Handles the reported state of the pod; returns the outcome once the run has ended. */
    private @Nullable Outcome step(Tracked.Seen seen) {
        PodState state = seen.state();
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
            unreachable.check(seen.pod());
            return null;
        }
        if (state instanceof PodState.Gone && awaitsConditions(seen)) {
            return null;
        }
        if (state instanceof PodState.Exited) {
            started(seen);
        }
        return ended(state);
    }

    /** Whether the Job's conditions may still tell why its pod is gone. */
    private boolean awaitsConditions(Tracked.Seen seen) {
        if (goneAt == 0) {
            goneAt = System.nanoTime();
        }
        var job = seen.job();
        return job != null
                && !deleted
                && !seen.jobDeleted()
                && PodState.ofEnded(job) == null
                && System.nanoTime() - goneAt < CONDITIONS;
    }

    private Outcome ended(PodState state) {
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
        var created = seen.job();
        PodState ended = created == null ? null : PodState.ofEnded(created);
        if (ended != null) {
            return withoutPod(ended);
        }
        if (requests.stopping() && deleted) {
            return end.outcome(new PodState.Gone("stopped before its pod was created"));
        }
        if (System.nanoTime() - nextEvents < 0) {
            return null;
        }
        nextEvents = System.nanoTime() + NO_POD;
        if (created == null) {
            reports.pod("Unavailable", "the API server has not reported its Job yet");
            return start.timedOut() ? notStarted("its Job was not reported") : null;
        }
        List<String> messages = cluster.failedCreates(namespace, created);
        if (!messages.isEmpty()) {
            String message = messages.get(0);
            reports.pod("FailedCreate", message);
            Outcome outcome = end.noPod(message, QUOTA_PAUSE);
            if (outcome != null) {
                delete();
                return outcome;
            }
        }
        return start.timedOut() ? notStarted("no pod was created") : null;
    }

    /** Returns the outcome of a Job that has ended and whose pod was not reported. */
    private @Nullable Outcome withoutPod(PodState ended) {
        for (Pod pod : cluster.pods(namespace, claim.jobId())) {
            if (name.equals(PodNames.ofPod(pod))) {
                // Its report is late.
                view.read(pod);
                return null;
            }
        }
        reports.pod("PodGone", "the Job has ended and its pod is gone: output and result are not available");
        return ended(ended);
    }

    private @Nullable Outcome waiting(PodState.Waiting waiting) {
        reports.pod(waiting.reason(), waiting.message());
        if (waiting.hopeless()) {
            delete();
            return new Outcome.Refused(Failure.of(Failure.NOT_STARTED, text(waiting)));
        }
        return !running && start.timedOut() ? notStarted(text(waiting)) : null;
    }

    private static String text(PodState.Waiting waiting) {
        return waiting.message().isEmpty() ? waiting.reason() : waiting.reason() + ": " + waiting.message();
    }

    private Outcome notStarted(String why) {
        delete();
        return start.notStarted(why);
    }

    private void started(Tracked.Seen seen) {
        Pod pod = seen.pod();
        if (running || pod == null) {
            return;
        }
        // The pod of a task reports its start and its output itself.
        if (!command.task()) {
            read(pod);
        }
        running = true;
        if (execution.takeovers() == 0) {
            executor.stats().started.increment();
            executor.stats().startNanos.add(System.nanoTime() - start.began());
        }
    }

    /** Reports the start of the pod and reads its output. */
    private void read(Pod pod) {
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
}
