package dev.longhaul.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.kubernetes.cluster.NamespaceView;
import dev.longhaul.kubernetes.cluster.Tracked;
import dev.longhaul.kubernetes.job.JobManifest;
import dev.longhaul.kubernetes.job.PodNames;
import dev.longhaul.kubernetes.job.PodState;
import dev.longhaul.process.command.CommandHandler;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Executor;
import dev.longhaul.spi.Health;
import dev.longhaul.spi.Outcome;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs each job as a Kubernetes Job and follows it to its end. When the worker ends, its pods continue and another
 * worker takes them over. It writes its id into the Job, on the condition that the resource version has not changed, so
 * that only one worker can take over a Job.
 */
public final class PodExecutor implements Executor.Lasting {
    private static final Logger LOG = LoggerFactory.getLogger(PodExecutor.class);
    private static final Duration LEASE = Duration.ofMinutes(2);
    /** A Job gets its Secret right after its creation. A Job that has no Secret after this time belongs to no run. */
    private static final Duration UNFINISHED = Duration.ofMinutes(2);

    private final Cluster cluster;
    private final PodSettings settings;
    private final PodStats stats;
    /** The runs that this worker executes or whose outcome is being stored, by name of their Job. */
    private final Map<String, PodRun> own = new ConcurrentHashMap<>();

    private final ScheduledExecutorService cleanup = Executors.newSingleThreadScheduledExecutor(work -> {
        var thread = new Thread(work, "longhaul-pod-cleanup");
        thread.setDaemon(true);
        return thread;
    });
    private volatile @Nullable PodTemplateSpec template;
    private volatile String worker = "";

    /**
     * Creates an executor; sends no request.
     *
     * @param cluster the connection to the API server, which {@link #shutdown} closes
     */
    public PodExecutor(Cluster cluster, PodSettings settings) {
        this.cluster = cluster;
        this.settings = settings;
        this.stats = new PodStats(cluster::views);
    }

    public PodStats stats() {
        return stats;
    }

    Cluster cluster() {
        return cluster;
    }

    PodSettings settings() {
        return settings;
    }

    @Nullable
    PodTemplateSpec template() {
        return template;
    }

    String worker() {
        return worker;
    }

    @Override
    public String name() {
        return Isolation.KUBERNETES;
    }

    @Override
    public void workFor(String workerId) {
        worker = workerId;
    }

    @Override
    public Duration lease() {
        return LEASE;
    }

    @Override
    public void initialize() {
        Path file = settings.template();
        if (file != null) {
            try {
                template = Cluster.template(file);
            } catch (IOException | RuntimeException e) {
                throw new LonghaulException(
                        ErrorCode.INVALID_ARGUMENT,
                        "pod-template: " + file + " (expected: a pod template in YAML; " + e.getMessage() + ")",
                        e);
            }
        }
    }

    @Override
    public void prepare(JobDefinition<?, ?> definition) {
        if (!(definition.isolation() instanceof Isolation.InPod pod)) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    definition.ref() + ": isolation: "
                            + definition.isolation().getClass().getSimpleName()
                            + " (expected: Isolation.pod(image) for the executor kubernetes)");
        }
        if (isTask(definition) && settings.handlers() == null) {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION,
                    definition.ref() + ": handler: "
                            + definition.handler().getClass().getName()
                            + " (expected: a command, or --pod-server, the server that pods with handlers report to)");
        }
        cluster.view(namespace(pod));
    }

    /** Returns whether the pods of the definition execute its runs themselves. */
    private static boolean isTask(JobDefinition<?, ?> definition) {
        return !(definition.handler() instanceof CommandHandler) && !(definition.handler() instanceof PodHandler);
    }

    String namespace(Isolation.InPod pod) {
        String own = pod.namespace();
        return own == null ? settings.namespace() : own;
    }

    @Override
    public boolean endsCode(JobDefinition<?, ?> definition) {
        return true;
    }

    @Override
    public Outcome execute(Execution execution) {
        Claim claim = execution.claim();
        if (claim == null || execution.job() == null) {
            throw new LonghaulException(ErrorCode.FAILED_PRECONDITION, "a pod runs stored jobs only");
        }
        PodCommand command;
        try {
            command = command(execution);
        } catch (LonghaulException e) {
            return new Outcome.Refused(Failure.of(Failure.GIVEN_UP, String.valueOf(e.getMessage())));
        }
        var run = new PodRun(this, execution, claim, command);
        String name = PodNames.of(claim);
        own.put(name, run);
        Outcome outcome = new Outcome.LeftRunning();
        try {
            outcome = run.execute();
            return outcome;
        } finally {
            if (run.settledByPod()) {
                cleanUpLater(name, run);
            } else if (outcome instanceof Outcome.LeftRunning) {
                own.remove(name, run);
            } else {
                execution.onSettled(stored -> settled(name, run, stored));
            }
        }
    }

    private PodCommand command(Execution execution) {
        HandlerPods handlers = settings.handlers();
        if (handlers != null && isTask(execution.definition())) {
            var pod = (Isolation.InPod) execution.definition().isolation();
            return new PodCommand(pod, handlers.command(), Map.of(), true);
        }
        JsonNode params = (JsonNode) execution.definition().params().read(execution.params());
        if (params == null) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, "params: null (expected: an object)");
        }
        if (execution.definition().handler() instanceof PodHandler handler) {
            return handler.command(params);
        }
        var handler = (CommandHandler) execution.definition().handler();
        var command = handler.command(params);
        return new PodCommand((Isolation.InPod) execution.definition().isolation(), command.argv(), command.env());
    }

    /**
     * Schedules the deletion of the Job if its outcome was stored. Otherwise the next takeover decides about the Job.
     */
    private void settled(String name, PodRun run, boolean stored) {
        if (stored) {
            cleanUpLater(name, run);
        } else {
            own.remove(name, run);
        }
    }

    private void cleanUpLater(String name, PodRun run) {
        Runnable delete = () -> {
            try {
                cluster.delete(run.namespace(), name);
            } catch (RuntimeException e) {
                LOG.debug("deleting Job {} failed; Kubernetes deletes it an hour after its end", name, e);
            } finally {
                own.remove(name, run);
            }
        };
        if (!cleanup.isShutdown()) {
            var unused = cleanup.schedule(delete, settings.keep().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public List<Leftover> takeOver(Predicate<String> active, Predicate<DefinitionRef> known) {
        var leftovers = new ArrayList<Leftover>();
        for (NamespaceView view : cluster.views()) {
            view.all().forEach((name, tracked) -> {
                Tracked.Seen seen = tracked.seen();
                Job job = seen.job();
                if (job != null && !seen.jobDeleted() && !own.containsKey(name)) {
                    try {
                        Leftover leftover = takeOver(view.namespace(), name, job, active, known);
                        if (leftover != null) {
                            leftovers.add(leftover);
                        }
                    } catch (RuntimeException e) {
                        LOG.warn("taking over Job {} failed; retrying: {}", name, String.valueOf(e.getMessage()));
                    }
                }
            });
        }
        return leftovers;
    }

    private @Nullable Leftover takeOver(
            String namespace, String name, Job job, Predicate<String> active, Predicate<DefinitionRef> known) {
        String follower = PodNames.annotation(job, PodNames.FOLLOWER);
        boolean mine = worker.equals(follower);
        DefinitionRef definition = definition(job);
        boolean followed = !mine && follower != null && !follower.isEmpty() && active.test(follower);
        if (followed || definition == null || !known.test(definition)) {
            return null;
        }
        Secret secret = cluster.secret(namespace, name);
        UUID key = secret == null ? null : JobManifest.claimKey(secret);
        JobId id = PodNames.jobId(name);
        if (key == null || id == null) {
            deleteUnfinished(namespace, name, job);
            return null;
        }
        int followers = PodNames.followers(job);
        // The worker's own Job whose outcome was not stored also counts as taken over: its run must not start again.
        if (!mine || followers < 2) {
            followers++;
            Job taken = cluster.annotate(
                    namespace,
                    name,
                    job.getMetadata().getResourceVersion(),
                    Map.of(PodNames.FOLLOWER, worker, PodNames.FOLLOWERS, Integer.toString(followers)));
            if (taken == null) {
                return null;
            }
            if (!mine) {
                stats.takeovers.increment();
            }
        }
        return new Leftover(new Claim(id, PodNames.run(name), key), followers);
    }

    /** Returns the Job's definition; null if the annotation is missing or was changed to something else. */
    private static @Nullable DefinitionRef definition(Job job) {
        String text = PodNames.annotation(job, PodNames.DEFINITION_REF);
        try {
            return text == null ? null : DefinitionRef.parse(text);
        } catch (LonghaulException e) {
            LOG.debug("Job {}: {}", job.getMetadata().getName(), e.getMessage());
            return null;
        }
    }

    /** Deletes a Job whose worker ended after creating the Job and before creating its Secret: the Job has no claim. */
    private void deleteUnfinished(String namespace, String name, Job job) {
        Instant created = Instant.parse(job.getMetadata().getCreationTimestamp());
        if (created.plus(UNFINISHED).isBefore(Instant.now())) {
            LOG.warn("Job {} has no Secret with a claim, so it belongs to no run; deleting it", name);
            cluster.delete(namespace, name);
            stats.orphans.increment();
        }
    }

    @Override
    public void discard(Leftover leftover) {
        String name = PodNames.of(leftover.claim());
        for (NamespaceView view : cluster.views()) {
            Tracked tracked = view.find(name);
            Tracked.Seen seen = tracked == null ? null : tracked.seen();
            Job job = seen == null ? null : seen.job();
            if (seen != null && job != null && !seen.jobDeleted()) {
                boolean running = PodState.ofEnded(job) == null;
                try {
                    cluster.delete(view.namespace(), name);
                } catch (KubernetesClientException e) {
                    LOG.warn("deleting Job {} failed; retrying: {}", name, String.valueOf(e.getMessage()));
                    continue;
                }
                if (running) {
                    LOG.info("Job {}: its run no longer exists; deleted", name);
                    stats.orphans.increment();
                }
            }
        }
    }

    /** Returns no problem if the API server is unreachable: pods continue, and jobs of other executors run. */
    @Override
    public Health health() {
        return Health.OK;
    }

    @Override
    public void shutdown() {
        cleanup.shutdownNow();
        cluster.close();
    }
}
