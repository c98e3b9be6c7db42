package dev.longhaul.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobHandler;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.RetryPolicy;
import dev.longhaul.json.Json;
import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.kubernetes.simulated.SimulatedCluster;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.process.command.Command;
import dev.longhaul.process.command.CommandHandler;
import dev.longhaul.spi.Store;
import dev.longhaul.work.Transition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A simulated cluster, a store in memory, and workers whose pods run there. */
final class PodBench implements AutoCloseable {
    static final String IMAGE = RealCluster.image("registry.example.org/tools");
    static final String PARAMS = "{\"type\":\"object\",\"properties\":{\"script\":{\"type\":\"string\"}}}";
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(RealCluster.configured() ? 300 : 30);

    /** Runs the script of its params. */
    static final JobDefinition<JsonNode, JsonNode> SHELL =
            definition("shell", Isolation.pod(IMAGE).memory("64m"));

    /** The same with attempts for runs that were claimed, but had no Job yet, when their worker was killed. */
    static final JobDefinition<JsonNode, JsonNode> RETRIED =
            shell("retried", Isolation.pod(IMAGE)).maxAttempts(5).handler(cast(handler()));

    /** Null on a real cluster. */
    final SimulatedCluster cluster;

    final TestCluster where;
    final Store store = new MemoryStore();
    final Path kubeconfig;
    private final List<Longhaul> workers = new ArrayList<>();
    private @Nullable PodExecutor executor;

    PodBench(Path directory) {
        this(directory, new Simulation(new SimulatedCluster()));
    }

    /** @param where closed with the bench */
    @SuppressWarnings("NullAway") // Tests on a real cluster do not use the simulated one.
    PodBench(Path directory, TestCluster where) {
        this.where = where;
        this.cluster = where instanceof Simulation simulation ? simulation.simulated() : null;
        this.kubeconfig = where.kubeconfig(directory);
    }

    /** A definition that runs {@code sh -c} of its param script in that image. */
    static JobDefinition.Builder<JsonNode, JsonNode> shell(String key, Isolation.InPod pod) {
        return JobDefinition.of(key, JsonNode.class, JsonNode.class)
                .paramsSchema(PARAMS)
                .isolation(pod)
                .retry(RetryPolicy.of(new Backoff(Duration.ofMillis(10), 1, Duration.ofMillis(10))));
    }

    static CommandHandler handler() {
        return handler(null);
    }

    /** Runs that script, or else that of the params. */
    private static CommandHandler handler(@Nullable String script) {
        return new CommandHandler(
                params -> new Command(
                        List.of(
                                "sh",
                                "-c",
                                script == null ? params.path("script").asText("true") : script),
                        Map.of(),
                        null,
                        null,
                        null),
                Set.of(3));
    }

    /** The definition of that key, for jobs with one attempt. */
    static JobDefinition<JsonNode, JsonNode> definition(String key, Isolation.InPod pod) {
        return shell(key, pod).maxAttempts(1).handler(cast(handler()));
    }

    /** The same, whatever the params of its jobs say. */
    static JobDefinition<JsonNode, JsonNode> definition(String key, Isolation.InPod pod, String script) {
        return shell(key, pod).maxAttempts(1).handler(cast(handler(script)));
    }

    @SuppressWarnings("unchecked")
    private static JobHandler<JsonNode, JsonNode> cast(CommandHandler handler) {
        return (JobHandler<JsonNode, JsonNode>) (JobHandler<?, ?>) handler;
    }

    static PodSettings settings() {
        return PodSettings.of("test", "jobs").withKeep(Duration.ZERO).withCancelGrace(Duration.ofSeconds(2));
    }

    /** Starts a worker. */
    Longhaul worker(UnaryOperator<PodSettings> change, JobDefinition<?, ?>... definitions) {
        var pods = new PodExecutor(
                Cluster.open(kubeconfig.toString(), "test"),
                change.apply(where.settings().apply(settings())));
        executor = pods;
        Longhaul worker = Longhaul.builder()
                .store(store)
                .register(definitions)
                .executor(Isolation.KUBERNETES, pods)
                .slots(50)
                .cancelGrace(Duration.ofSeconds(2))
                .drain(Duration.ofSeconds(10))
                .start();
        workers.add(worker);
        return worker;
    }

    Longhaul worker(JobDefinition<?, ?>... definitions) {
        return worker(settings -> settings, definitions);
    }

    /** Submits a job that runs the script. */
    @SuppressWarnings("unchecked")
    JobId enqueue(Longhaul worker, String definition, String script) {
        var known = (JobDefinition<JsonNode, JsonNode>)
                worker.registry().latest(definition).orElseThrow();
        return worker.later(
                known, Objects.requireNonNull(Json.read(Json.write(Map.of("script", script)), JsonNode.class)));
    }

    /** Submits a job that runs the script in an image of its choice. */
    @SuppressWarnings("unchecked")
    JobId enqueuePod(Longhaul worker, String image, String script) {
        var known = (JobDefinition<JsonNode, JsonNode>)
                worker.registry().latest(Pods.KEY).orElseThrow();
        String params = Json.write(
                Map.of("image", image, "argv", List.of("sh", "-c", script), "env", Map.of("GREETING", "hello-secret")));
        return worker.later(known, Objects.requireNonNull(Json.read(params, JsonNode.class)));
    }

    /** Ends a running job that no worker follows, as the expiry of its lease and a cancel would. */
    void cancelWithoutWorker(JobId id) {
        String key = cluster.claimKey("jobs", "lh-" + id + "-r1");
        store.work()
                .apply(List.of(Transition.fail(
                        new Claim(id, 1, UUID.fromString(key)), Failure.of(Failure.LOST, "ended by the test"))));
    }

    /** Has the last worker read all Jobs and pods, as it does once a minute. */
    void relist() {
        Objects.requireNonNull(executor).cluster().view("jobs").relist();
    }

    /** Numbers of the last worker. */
    PodStats stats() {
        return Objects.requireNonNull(executor).stats();
    }

    Job job(JobId id) {
        return store.jobs().find(id).orElseThrow();
    }

    /** Waits until the job has ended. */
    Job ended(JobId id) {
        try {
            await("the end of " + id, () -> job(id).state().terminal());
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ": " + store.jobs().events(EventQuery.of(id)), e);
        }
        return job(id);
    }

    List<JobEvent> events(JobId id, EventType type) {
        return store.jobs().events(EventQuery.of(id)).stream()
                .filter(event -> event.type() == type)
                .toList();
    }

    /** All output of the job. */
    String output(JobId id) {
        var text = new StringBuilder();
        events(id, EventType.OUTPUT)
                .forEach(event -> text.append(String.valueOf(event.payload())
                        .replaceAll("^.*\"text\": ?\"|\"}$", "")
                        .replace("\\n", "\n")
                        .replace("\\u000a", "\n")));
        return text.toString();
    }

    static void await(String what, BooleanSupplier so) {
        long until = System.nanoTime() + PATIENCE;
        while (!so.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new AssertionError("timeout: " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Override
    public void close() {
        workers.forEach(Longhaul::close);
        where.close();
        store.close();
    }
}
