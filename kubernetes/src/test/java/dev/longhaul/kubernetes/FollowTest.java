package dev.longhaul.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Isolation;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.kubernetes.cluster.Right;
import dev.longhaul.spi.Executor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers, API servers and other workers come and go while a pod runs. */
@Tag("full")
class FollowTest {
    @TempDir
    Path directory;

    private PodBench bench;

    @BeforeEach
    void start() {
        bench = new PodBench(directory);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Path gate() {
        return directory.resolve("gate");
    }

    /** Prints numbers until the gate is open. */
    private String counting() {
        return "i=0; until [ -e " + gate() + " ]; do i=$((i+1)); echo line $i; sleep 0.02; done; echo last $i";
    }

    private void runs(JobId id) {
        PodBench.await("output", () -> bench.output(id).contains("line 3\n"));
    }

    /** All lines once, in order. */
    private void assertComplete(JobId id) {
        List<String> lines = bench.output(id).lines().toList();
        int last = Integer.parseInt(lines.get(lines.size() - 1).replace("last ", ""));
        assertThat(lines.subList(0, lines.size() - 1))
                .isEqualTo(IntStream.rangeClosed(1, last)
                        .mapToObj(i -> "line " + i)
                        .collect(Collectors.toList()));
    }

    @Test
    @Tag("full")
    void a_restarted_api_server_costs_neither_the_outcome_nor_a_line() throws IOException {
        Longhaul worker = bench.worker(PodBench.SHELL);
        JobId id = bench.enqueue(worker, "shell", counting());
        runs(id);
        bench.cluster.restartApiServer();
        Files.createFile(gate());
        assertThat(bench.ended(id).status()).isEqualTo(JobStatus.SUCCEEDED);
        assertComplete(id);
        assertThat(bench.cluster.podsEver()).hasSize(1);
    }

    @Test
    void a_watch_that_has_expired_is_replaced_by_a_list() throws IOException {
        Longhaul worker = bench.worker(PodBench.SHELL);
        JobId id = bench.enqueue(worker, "shell", counting());
        runs(id);
        bench.cluster.stopApiServer();
        Files.createFile(gate());
        PodBench.await(
                "the end of the pod",
                () -> bench.cluster.pods("jobs").stream()
                        .anyMatch(pod -> pod.at("/status/phase").asText().equals("Succeeded")));
        bench.cluster.compact();
        bench.cluster.startApiServer();
        assertThat(bench.ended(id).status()).isEqualTo(JobStatus.SUCCEEDED);
        assertComplete(id);
        // Workers go on watching after the list.
        JobId next = bench.enqueue(worker, "shell", "true");
        assertThat(bench.ended(next).status()).isEqualTo(JobStatus.SUCCEEDED);
    }

    @Test
    void what_a_watch_that_has_died_silently_missed_is_found_by_the_next_list() throws IOException {
        Longhaul worker = bench.worker(PodBench.SHELL);
        JobId ending = bench.enqueue(worker, "shell", counting());
        JobId deleted = bench.enqueue(worker, "shell", "echo line 3; exec sleep 60");
        runs(ending);
        runs(deleted);
        bench.cluster.freezeWatches();
        Files.createFile(gate());
        bench.cluster.deleteJob("jobs", "lh-" + deleted + "-r1");
        PodBench.await(
                "the ends of the pods",
                () -> bench.cluster.pods("jobs").stream()
                        .allMatch(pod -> pod.at("/status/phase").asText().equals("Succeeded")));
        bench.relist();
        assertThat(bench.ended(ending).status()).isEqualTo(JobStatus.SUCCEEDED);
        assertComplete(ending);
        assertThat(Objects.requireNonNull(bench.ended(deleted).failure()).code())
                .isEqualTo(Failure.LOST);
    }

    @Test
    void a_log_connection_that_has_died_silently_costs_no_line() throws IOException {
        Longhaul worker = bench.worker(PodBench.SHELL);
        JobId id = bench.enqueue(worker, "shell", counting());
        runs(id);
        bench.cluster.freezeLogs();
        int before = bench.output(id).length();
        Files.createFile(gate());
        assertThat(bench.ended(id).status()).isEqualTo(JobStatus.SUCCEEDED);
        assertThat(bench.output(id).length()).isGreaterThan(before);
        assertComplete(id);
    }

    @Test
    void a_closed_worker_leaves_the_pod_and_the_next_one_continues_after_the_last_line() throws IOException {
        Longhaul first = bench.worker(PodBench.SHELL);
        JobId id = bench.enqueue(first, "shell", counting());
        runs(id);
        first.close();
        assertThat(bench.job(id).status()).isEqualTo(JobStatus.RUNNING);
        assertThat(bench.cluster.pods("jobs")).hasSize(1);

        bench.worker(PodBench.SHELL);
        PodBench.await(
                "the next worker",
                () -> bench.events(id, EventType.PROCESS_START).size() == 2);
        Files.createFile(gate());
        Job job = bench.ended(id);
        assertThat(job.status()).isEqualTo(JobStatus.SUCCEEDED);
        assertThat(job.tally().run()).isEqualTo(1);
        assertThat(job.tally().attempts()).isEqualTo(1);
        assertComplete(id);
        assertThat(bench.cluster.podsEver()).hasSize(1);
        assertThat(bench.stats().takeovers()).isEqualTo(1);
    }

    @Test
    @Tag("full")
    void a_pod_that_ended_without_a_worker_is_taken_over_with_its_outcome() throws Exception {
        Longhaul first = bench.worker(PodBench.SHELL);
        JobId id = bench.enqueue(first, "shell", counting());
        runs(id);
        first.close();
        Files.createFile(gate());
        PodBench.await(
                "the end of the pod",
                () -> bench.cluster.pods("jobs").stream()
                        .anyMatch(pod -> pod.at("/status/phase").asText().equals("Succeeded")));
        bench.worker(PodBench.SHELL);
        assertThat(bench.ended(id).status()).isEqualTo(JobStatus.SUCCEEDED);
        assertComplete(id);
    }

    @Test
    @Tag("full")
    void a_worker_stops_following_when_another_has_taken_its_pod_over() {
        Longhaul worker = bench.worker(PodBench.SHELL);
        JobId id = bench.enqueue(worker, "shell", counting());
        runs(id);
        String name = "lh-" + id + "-r1";
        bench.cluster.annotate("jobs", name, "longhaul.dev/followers", "2");
        bench.cluster.annotate("jobs", name, "longhaul.dev/follower", "another");
        PodBench.await("the end of the log's connection", () -> {
            int before = bench.events(id, EventType.OUTPUT).size();
            java.util.concurrent.locks.LockSupport.parkNanos(300_000_000);
            return bench.events(id, EventType.OUTPUT).size() == before;
        });
        assertThat(bench.job(id).status()).isEqualTo(JobStatus.RUNNING);
        assertThat(bench.cluster.pods("jobs")).hasSize(1);
    }

    @Test
    @Tag("full")
    void a_job_whose_run_no_longer_exists_is_deleted() {
        Longhaul first = bench.worker(PodBench.SHELL);
        JobId id = bench.enqueue(first, "shell", counting());
        runs(id);
        first.close();
        bench.cancelWithoutWorker(id);
        bench.worker(PodBench.SHELL);
        PodBench.await("no pod", () -> bench.cluster.pods("jobs").isEmpty());
        PodBench.await("the count", () -> bench.stats().orphans() == 1);
    }

    @Test
    @Tag("full")
    void a_pod_of_an_unreachable_node_is_deleted_by_force_if_asked() {
        Longhaul worker = bench.worker(
                settings -> settings.withForceUnreachable(true).withUnreachableAfter(Duration.ofSeconds(1)),
                PodBench.definition("unreachable", Isolation.pod("registry.example.org/unreachable")));
        JobId id = bench.enqueue(worker, "unreachable", "exec sleep 60");
        PodBench.await("a pod", () -> !bench.events(id, EventType.PROCESS_START).isEmpty());
        worker.cancel(id, "not needed");
        assertThat(bench.ended(id).status()).isEqualTo(JobStatus.CANCELLED);
        PodBench.await("no pod", () -> bench.cluster.pods("jobs").isEmpty());
    }

    @Test
    void a_job_that_the_api_server_refused_runs_when_it_is_retried() {
        Longhaul worker = bench.worker(PodBench.SHELL);
        bench.cluster.deny("create jobs");
        JobId id = bench.enqueue(worker, "shell", "true");
        assertThat(bench.ended(id).status()).isEqualTo(JobStatus.FAILED);
        bench.cluster.allow("create jobs");
        worker.retry(id);
        assertThat(bench.ended(id).status()).isEqualTo(JobStatus.SUCCEEDED);
    }

    @Test
    @Tag("full")
    void an_outage_longer_than_the_start_timeout_is_retried() {
        Longhaul worker = bench.worker(settings -> settings.withStartTimeout(Duration.ofMillis(500)), PodBench.RETRIED);
        bench.cluster.stopApiServer();
        JobId id = bench.enqueue(worker, "retried", "true");
        PodBench.await(
                "a failure", () -> !bench.events(id, EventType.PROCESS_ERROR).isEmpty());
        bench.cluster.startApiServer();
        Job job = bench.ended(id);
        assertThat(job.status()).as("%s", job.failure()).isEqualTo(JobStatus.SUCCEEDED);
        assertThat(job.tally().attempts()).isGreaterThan(1);
        assertThat(bench.cluster.podsEver()).hasSize(1);
    }

    @Test
    void a_worker_takes_over_its_own_job_as_one_that_has_been_started() {
        Longhaul worker = bench.worker(PodBench.SHELL);
        JobId id = bench.enqueue(worker, "shell", counting());
        runs(id);
        var same = new PodExecutor(Cluster.open(bench.kubeconfig.toString(), "test"), PodBench.settings());
        same.workFor(bench.cluster
                .jobs("jobs")
                .get(0)
                .at("/metadata/annotations")
                .path("longhaul.dev/follower")
                .asText());
        same.cluster().view("jobs");
        var taken = new ArrayList<Executor.Lasting.Leftover>();
        PodBench.await("a takeover", () -> taken.addAll(same.takeOver(any -> true, any -> true)));
        same.shutdown();
        assertThat(taken).hasSize(1).allMatch(leftover -> leftover.followers() == 2);
        assertThat(same.stats().takeovers()).isZero();
    }

    @Test
    @Tag("full")
    void the_definition_pod_runs_allowed_images_only() {
        Longhaul worker = bench.worker(Pods.any(List.of("registry.example.org/*")));
        JobId other = bench.enqueuePod(worker, "docker.io/miner", "true");
        Job refused = bench.ended(other);
        assertThat(Objects.requireNonNull(refused.failure()).message())
                .contains("docker.io/miner", "registry.example.org/*");
        JobId allowed = bench.enqueuePod(worker, "registry.example.org/tools", "echo $GREETING");
        assertThat(bench.ended(allowed).status()).isEqualTo(JobStatus.SUCCEEDED);
        // Values of variables are secrets.
        assertThat(bench.output(allowed)).isEqualTo("***\n");
    }

    @Nested
    class Rights {
        @Test
        void are_reviewed_one_by_one() {
            try (Cluster cluster = Cluster.open(bench.kubeconfig.toString(), "test")) {
                bench.cluster.deny("patch jobs");
                assertThat(Right.ALL.stream()
                                .filter(right -> !cluster.may("jobs", right))
                                .map(Right::toString))
                        .containsExactly("patch jobs");
            }
        }
    }
}
