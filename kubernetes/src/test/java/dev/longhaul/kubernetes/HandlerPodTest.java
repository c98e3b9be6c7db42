package dev.longhaul.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Isolation;
import dev.longhaul.Longhaul;
import dev.longhaul.engine.task.TaskFile;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Handlers in Java that run in pods and report to a server: each pod is a JVM here. */
@Tag("full")
@Timeout(120)
class HandlerPodTest {
    @TempDir
    Path directory;

    private PodBench bench;
    private Longhaul base;
    private LonghaulServer server;
    private Path file;

    @BeforeEach
    void start() throws IOException {
        bench = new PodBench(directory);
        file = Files.createFile(directory.resolve("file"));
        base = Longhaul.builder()
                .store(bench.store)
                .register(TaskProgram.REPORT)
                .maintenanceOnly()
                .start();
        server = LonghaulServer.start(base, ServerConfig.LOCAL.withPort(0));
    }

    @AfterEach
    void close() {
        server.close();
        base.close();
        bench.close();
    }

    private Longhaul worker() {
        var command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                TaskProgram.class.getName());
        var handlers = new HandlerPods(new TaskFile.Server("http://127.0.0.1:" + server.port(), null), command);
        return bench.worker(settings -> settings.withHandlers(handlers), TaskProgram.REPORT);
    }

    private JobId enqueue(Longhaul worker, String what) {
        return worker.later(TaskProgram.REPORT, new TaskProgram.Order(what, file.toString()));
    }

    private void stepDone() {
        PodBench.await("the step", () -> text().startsWith("counted;"));
    }

    private String text() {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private List<String> payloads(JobId id, EventType type) {
        return bench.events(id, type).stream()
                .map(event -> String.valueOf(event.payload()))
                .toList();
    }

    @Test
    void stores_steps_progress_log_output_and_result() {
        Longhaul worker = worker();
        JobId id = enqueue(worker, "");
        Job job = bench.ended(id);
        assertThat(job.status()).as("%s", job.failure()).isEqualTo(JobStatus.SUCCEEDED);
        // More than a termination message can hold.
        assertThat(job.result()).contains("\"rows\":42").hasSizeGreaterThan(10_000);
        assertThat(job.progress().percent()).isEqualTo(50);
        assertThat(payloads(id, EventType.LOG)).anyMatch(one -> one.contains("counted 41"));
        assertThat(bench.output(id)).isEqualTo("printed 1\n");
        assertThat(payloads(id, EventType.PROCESS_START))
                .hasSize(1)
                .first()
                .asString()
                .contains("lh-" + id, "node-1");
        PodBench.await("no Job", () -> bench.cluster.jobs("jobs").isEmpty());
        assertThat(bench.stats().orphans()).isZero();
    }

    @Test
    void a_retry_does_not_repeat_a_finished_step() {
        Longhaul worker = worker();
        JobId id = enqueue(worker, "fail once");
        Job job = bench.ended(id);
        assertThat(job.status()).as("%s", job.failure()).isEqualTo(JobStatus.SUCCEEDED);
        assertThat(job.tally().attempts()).isEqualTo(2);
        assertThat(text()).isEqualTo("counted;");
    }

    @Test
    void a_handler_that_exits_the_jvm_has_not_succeeded() {
        Longhaul worker = worker();
        JobId id = enqueue(worker, "exit");
        Failure failure = Objects.requireNonNull(bench.ended(id).failure());
        assertThat(failure.code()).isEqualTo(Failure.EXIT_CODE);
        assertThat(failure.message()).contains("code 0");
        assertThat(bench.job(id).tally().attempts()).isEqualTo(3);
    }

    @Test
    void a_jvm_that_dies_fails_the_attempt_with_its_exit_code() {
        Longhaul worker = worker();
        JobId id = enqueue(worker, "halt");
        Failure failure = Objects.requireNonNull(bench.ended(id).failure());
        assertThat(failure.message()).contains("code 9");
        // The worker's events follow those of the pod.
        assertThat(bench.events(id, EventType.PROCESS_END)).hasSize(3);
    }

    @Test
    void a_cancel_stops_the_code_and_ends_the_job() {
        Longhaul worker = worker();
        JobId id = enqueue(worker, "wait");
        stepDone();
        worker.cancel(id, "not needed");
        assertThat(bench.ended(id).status()).isEqualTo(JobStatus.CANCELLED);
        PodBench.await("no pod", () -> bench.cluster.pods("jobs").isEmpty());
    }

    @Test
    void ends_without_any_worker() throws IOException {
        Longhaul worker = worker();
        JobId id = enqueue(worker, "wait");
        stepDone();
        worker.close();
        Files.writeString(file, "go", StandardOpenOption.APPEND);
        Job job = bench.ended(id);
        assertThat(job.status()).as("%s", job.failure()).isEqualTo(JobStatus.SUCCEEDED);
        assertThat(job.tally().run()).isEqualTo(1);
    }

    @Test
    void is_taken_over_by_another_worker() throws IOException {
        Longhaul first = worker();
        JobId id = enqueue(first, "wait");
        stepDone();
        first.close();
        worker();
        PodBench.await("a takeover", () -> bench.stats().takeovers() == 1);
        Files.writeString(file, "go", StandardOpenOption.APPEND);
        assertThat(bench.ended(id).status()).isEqualTo(JobStatus.SUCCEEDED);
        PodBench.await("no Job", () -> bench.cluster.jobs("jobs").isEmpty());
        assertThat(bench.cluster.podsEver()).hasSize(1);
    }

    @Test
    void needs_a_server() {
        var executor = new PodExecutor(
                dev.longhaul.kubernetes.cluster.Cluster.open(bench.kubeconfig.toString(), "test"), PodBench.settings());
        try {
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> executor.prepare(TaskProgram.REPORT))
                    .hasMessageContaining("--pod-server");
        } finally {
            executor.shutdown();
        }
        assertThat(TaskProgram.REPORT.isolation().executor()).isEqualTo(Isolation.KUBERNETES);
    }
}
