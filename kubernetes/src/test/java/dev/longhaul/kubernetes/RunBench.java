package dev.longhaul.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import dev.longhaul.engine.run.Report;
import dev.longhaul.engine.run.RunContext;
import dev.longhaul.engine.run.RunTracing;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.json.Json;
import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.kubernetes.simulated.SimulatedCluster;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.Outcome;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/** A simulated cluster and an executor, without a worker: tests decide when leases are extended and reports stored. */
final class RunBench implements AutoCloseable {
    static final String WORKER = "worker";
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final long PATIENCE_SECONDS = 30;

    final SimulatedCluster cluster = new SimulatedCluster();
    final AtomicBoolean draining = new AtomicBoolean();
    final PodExecutor executor;
    private final MemoryStore store = new MemoryStore();
    private final RunContext.Surroundings surroundings =
            new RunContext.Surroundings(store.work(), new Report.Pending(), draining::get, LEASE, null);

    RunBench(Path directory, UnaryOperator<PodSettings> change, JobDefinition<?, ?>... definitions) {
        executor = new PodExecutor(
                Cluster.open(cluster.kubeconfig(directory).toString(), "test"), change.apply(PodBench.settings()));
        executor.workFor(WORKER);
        executor.initialize();
        for (JobDefinition<?, ?> definition : definitions) {
            executor.prepare(definition);
        }
        // Each definition has its own namespace.
        PodBench.await(
                "the watches",
                () -> cluster.requests("WATCH pods") >= definitions.length
                        && cluster.requests("WATCH jobs") >= definitions.length);
    }

    JobId insert(JobDefinition<?, ?> definition, String script) {
        JobSpec spec = JobSpec.of(definition.ref(), Json.write(Map.of("script", script)))
                .maxAttempts(100)
                .timeout(Duration.ofMinutes(5))
                .build();
        store.jobs().insert(List.of(spec));
        return spec.id();
    }

    /** Claims the only job. Its lease is not extended. */
    LiveRun claim(JobDefinition<?, ?> definition) {
        ClaimedJob claimed = store.work()
                .claim(ClaimRequest.of(WORKER, List.of(JobSpec.DEFAULT_QUEUE), null, 1, LEASE))
                .get(0);
        return new LiveRun(claimed, definition, surroundings, RunTracing.OFF.claimed(claimed, Duration.ZERO));
    }

    /** Claims the job; the lease is extended whenever the run requests that. */
    LiveRun claimExtended(JobDefinition<?, ?> definition) {
        LiveRun run = claim(definition);
        run.onLonger(() -> run.leaseRenewed(System.nanoTime(), run.lease()));
        return run;
    }

    /** Claims the job and takes its run over, as if another worker had executed it before. */
    LiveRun claimTakenOver(JobDefinition<?, ?> definition) {
        ClaimedJob claimed = store.work()
                .claim(ClaimRequest.of(WORKER, List.of(JobSpec.DEFAULT_QUEUE), null, 1, LEASE))
                .get(0);
        var runs = new LiveRuns(new Registry().register(definition), surroundings);
        return Objects.requireNonNull(runs.takeOver(claimed, 1));
    }

    /** Gives the job back, so that its next run can be claimed. */
    void giveBack(LiveRun run) {
        store.work().apply(List.of(Transition.giveBack(run.claim())));
    }

    CompletableFuture<Outcome> execute(LiveRun run) {
        return CompletableFuture.supplyAsync(() -> executor.execute(run));
    }

    static <T> T soon(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Creates the Job of a run as another worker has done it. Its pod sleeps. */
    void createJob(JobId id, int run, String namespace, String image) {
        String labels = "{\"longhaul.dev/cluster\":\"test\",\"longhaul.dev/job\":\"" + id + "\",\"longhaul.dev/run\":\""
                + run + "\"}";
        cluster.create("Job", namespace, read("""
                {"kind": "Job", "apiVersion": "batch/v1",
                 "metadata": {"name": "%s", "labels": %s, "annotations": {"longhaul.dev/follower": "another"}},
                 "spec": {"template": {"metadata": {"labels": %s}, "spec": {"containers": [
                   {"name": "job", "image": "%s", "command": ["sh", "-c", "exec sleep 60"]}]}}}}
                """.formatted("lh-" + id + "-r" + run, labels, labels, image)));
        PodBench.await(
                "its pod",
                () -> cluster.pods(namespace).stream()
                        .anyMatch(pod -> pod.at("/status/phase").asText().equals("Running")));
    }

    private static ObjectNode read(String json) {
        try {
            return (ObjectNode) new ObjectMapper().readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<String> names(List<ObjectNode> objects) {
        return objects.stream().map(one -> one.at("/metadata/name").asText()).toList();
    }

    JsonNode annotations(String job) {
        return cluster.jobs("jobs").stream()
                .filter(one -> one.at("/metadata/name").asText().equals(job))
                .findFirst()
                .orElseThrow()
                .at("/metadata/annotations");
    }

    @Override
    public void close() {
        executor.shutdown();
        cluster.close();
        store.close();
    }
}
