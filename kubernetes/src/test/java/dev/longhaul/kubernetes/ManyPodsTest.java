package dev.longhaul.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.json.Json;
import dev.longhaul.kubernetes.simulated.SimulatedCluster;
import dev.longhaul.testing.FaultVolume;
import dev.longhaul.testing.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What a worker costs that follows many pods: 100, or 500 with -Pfaults. */
@Tag("full")
@EnabledOnOs(OS.LINUX)
class ManyPodsTest {
    private static final int PODS = FaultVolume.of(100, 500);

    @TempDir
    Path directory;

    private final SimulatedCluster cluster = new SimulatedCluster();
    private final String url = TestPostgres.get().newDatabase();
    private Longhaul longhaul;
    private PodWorkerProcess worker;

    @BeforeEach
    void start() {
        longhaul = Longhaul.builder()
                .postgres(TestPostgres.pool(url, 5))
                .register(PodBench.SHELL)
                .maintenanceOnly()
                .start();
        worker = new PodWorkerProcess("many", url, cluster.kubeconfig(directory), PODS + 10).awaitReady();
    }

    @AfterEach
    void close() {
        worker.close();
        longhaul.close();
        cluster.close();
    }

    @Test
    @Timeout(600)
    void cost_a_worker_little_memory_and_cpu() throws Exception {
        long empty = resident();
        // Each pod opens the fifo and waits for a writer: it uses no CPU.
        Path gate = directory.resolve("gate");
        assertThat(new ProcessBuilder("mkfifo", gate.toString()).start().waitFor())
                .isZero();
        JsonNode params = Objects.requireNonNull(
                Json.read(Json.write(Map.of("script", "echo up; cat " + gate + "; echo done")), JsonNode.class));
        var ids = new ArrayList<JobId>();
        long began = System.nanoTime();
        for (int i = 0; i < PODS; i++) {
            ids.add(longhaul.later(PodBench.SHELL, params));
        }
        await("all pods run", () -> running(ids) == PODS && phase("Running") == PODS);
        double startSeconds = (System.nanoTime() - began) / 1e9;
        Duration before = cpu();
        long from = System.nanoTime();
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(FaultVolume.of(5, 60)));
        double load = (double) cpu().minus(before).toNanos() / (System.nanoTime() - from);
        long full = resident();
        long requests = cluster.requests("LIST jobs") + cluster.requests("LIST pods");
        Files.writeString(gate, "", StandardOpenOption.WRITE);
        await("all have ended", () -> ended(ids));
        FaultVolume.tell(
                "%d pods: started in %.1f s; followed with %.1f %% of a core, %d MiB more resident memory than the %d MiB"
                        + " without pods; %d list requests",
                PODS, startSeconds, 100 * load, (full - empty) >> 20, empty >> 20, requests);
        assertThat(load).as("share of a core").isLessThan(0.5);
        assertThat(full - empty).as("bytes for the pods").isLessThan((64L << 20) + PODS * 512L * 1024);
        // Informers, not a list per Job.
        assertThat(requests).isLessThan(20);
        // A mark of the stored output reads the Job first. A pod without new output is marked once.
        assertThat(cluster.requests("GET jobs")).isLessThan(PODS + 20);
    }

    private long running(List<JobId> ids) {
        return ids.stream()
                .filter(id -> longhaul.find(id).orElseThrow().status() == JobStatus.RUNNING)
                .count();
    }

    private long phase(String phase) {
        return cluster.pods("jobs").stream()
                .filter(pod -> pod.at("/status/phase").asText().equals(phase))
                .count();
    }

    private boolean ended(List<JobId> ids) {
        return ids.stream().allMatch(id -> longhaul.find(id).orElseThrow().status() == JobStatus.SUCCEEDED);
    }

    private Duration cpu() {
        return ProcessHandle.of(worker.pid())
                .orElseThrow()
                .info()
                .totalCpuDuration()
                .orElseThrow();
    }

    /** Bytes of RAM that the worker has. */
    private long resident() throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(worker.pid()), "status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .findFirst()
                .orElseThrow();
    }

    private static void await(String what, BooleanSupplier so) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(240);
        while (!so.getAsBoolean()) {
            assertThat(System.nanoTime()).as("timeout: " + what).isLessThan(until);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
        }
    }
}
