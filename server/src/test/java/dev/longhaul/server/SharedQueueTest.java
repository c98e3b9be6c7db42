package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.JobQuery;
import dev.longhaul.NewJob;
import dev.longhaul.client.LonghaulClient;
import dev.longhaul.client.RemoteWorker;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunStatus;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EnqueueJobRequest;
import dev.longhaul.testing.FaultVolume;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Workers in other processes and languages share a queue with the server's own. */
@Tag("full")
@Order(2) // Long: starts early, so that other tests run in parallel.
class SharedQueueTest {
    private static final String QUEUE = "shared";
    private static final int JOBS = FaultVolume.of(300, 5000);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    record Work(int millis) {}

    record Done(String by) {}

    private static JobDefinition<Work, Done> work(String by) {
        return JobDefinition.of("shared.work", Work.class, Done.class)
                .queue(QUEUE)
                .handler((work, run) -> {
                    Thread.sleep(work.millis());
                    return new Done(by);
                });
    }

    /** Shared by all tests, because a new leader waits a whole lease before it recovers jobs of other workers. */
    private static TwoServers servers;

    @BeforeAll
    static void start() {
        servers = new TwoServers(work("server"));
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void endProcesses() throws Exception {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    private Process typescript(int port, String queue, int atOnce) {
        Process process = NodeProject.of("examples/typescript-worker")
                .start(
                        Map.of("LONGHAUL_VISIBILITY", "3"),
                        "node",
                        "dist/worker.js",
                        "http://127.0.0.1:" + port,
                        queue,
                        Integer.toString(atOnce));
        processes.add(process);
        return process;
    }

    @Test
    void three_kinds_of_workers_share_a_queue_and_run_each_job_once() throws Exception {
        try (var client = LonghaulClient.connect(URI.create("http://127.0.0.1:" + servers.second.port()), null)) {
            typescript(servers.first.port(), QUEUE, 8);
            var config = WorkerConfig.DEFAULT
                    .withWorkerId("remote")
                    .withSlots(8)
                    .withQueues(Map.of(QUEUE, WorkerConfig.ANY));
            try (var remote = RemoteWorker.start(client, config, List.of(work("remote")))) {
                assertThat(remote).isNotNull();
                // Waits until the TypeScript worker polls: no other client polls this server.
                while (servers.first.rpc().dequeues().waiting() == 0) {
                    TimeUnit.MILLISECONDS.sleep(10);
                }
                long start = System.nanoTime();
                List<JobId> ids = servers
                        .asking
                        .jobs()
                        .enqueueBatch(IntStream.range(0, JOBS)
                                .mapToObj(i -> new NewJob(
                                        "shared.work",
                                        null,
                                        "{\"millis\":" + (10 + i % 20) + "}",
                                        JobOptions.options()))
                                .toList())
                        .stream()
                        .map(one -> one.job().id())
                        .toList();
                awaitEnded(ids);
                FaultVolume.tell(
                        "%d jobs of three kinds of workers in %.1f s", JOBS, (System.nanoTime() - start) / 1e9);
            }
            Map<String, Long> by = new TreeMap<>();
            var store = servers.asking.store();
            for (var id : allOf()) {
                assertThat(store.jobs().runs(id)).extracting(Run::status).containsExactly(RunStatus.SUCCEEDED);
                String result =
                        String.valueOf(store.jobs().find(id).orElseThrow().result());
                by.merge(result.replaceAll("[^a-z]", ""), 1L, Long::sum);
            }
            FaultVolume.tell("%s", by);
            assertThat(by).containsKeys("byserver", "byremote", "bytypescript");
        }
    }

    @Test
    void the_job_of_a_killed_worker_is_recovered_and_a_zombie_can_end_nothing() throws Exception {
        try (var rpc = new Rpc(servers.first.port())) {
            Process killed = typescript(servers.first.port(), "killed", 1);
            String lost = rpc.jobs
                    .enqueueJob(EnqueueJobRequest.newBuilder()
                            .setQueue("killed")
                            .setParams("{\"millis\":60000}")
                            .build())
                    .getJobId();
            awaitLine(killed, lost);
            killed.destroyForcibly().waitFor();
            long since = System.nanoTime();
            DequeueJobResponse again =
                    rpc.dequeue("killed", 1, Duration.ofSeconds(30)).get(0);
            FaultVolume.tell("recovered %.1f s after kill -9, visibility 3 s", (System.nanoTime() - since) / 1e9);
            assertThat(again.getJobId()).isEqualTo(lost);
            assertThat(again.getRun()).isEqualTo(2);

            Process zombie = typescript(servers.first.port(), "zombie", 1);
            String taken = rpc.jobs
                    .enqueueJob(EnqueueJobRequest.newBuilder()
                            .setQueue("zombie")
                            .setParams("{\"millis\":2000}")
                            .build())
                    .getJobId();
            awaitLine(zombie, taken);
            signal(zombie, "STOP");
            DequeueJobResponse mine =
                    rpc.dequeue("zombie", 1, Duration.ofSeconds(30)).get(0);
            signal(zombie, "CONT");
            awaitLine(zombie, "not_found");
            rpc.jobs.completeJob(CompleteJobRequest.newBuilder()
                    .setTaskToken(mine.getTaskToken())
                    .setJobId(taken)
                    .setSucceeded(CompleteJobRequest.Succeeded.newBuilder().setResult("\"mine\""))
                    .build());

            var store = servers.asking.store();
            assertThat(store.jobs().find(JobId.parse(taken)).orElseThrow().result())
                    .isEqualTo("\"mine\"");
            assertThat(store.jobs().runs(JobId.parse(taken)))
                    .extracting(Run::status)
                    .containsExactly(RunStatus.LOST, RunStatus.SUCCEEDED);
        }
    }

    @Test
    void a_worker_that_lost_its_server_completes_its_job_when_it_is_available_again() throws Exception {
        try (var doors = new Doors();
                var rpc = new Rpc(doors.port())) {
            var wire = new Wire(doors.port());
            Process worker = typescript(wire.port(), "cut", 1);
            String id = rpc.enqueue("cut", "{\"millis\":500}");
            awaitLine(worker, id);
            wire.close();
            awaitLine(worker, "unavailable");
            try (var back = new Wire(doors.port(), wire.port())) {
                assertThat(back).isNotNull();

                assertThat(doors.await(id, "succeeded").get("attempts").asInt()).isEqualTo(1);
            }
        }
    }

    @Test
    void a_stale_token_changes_nothing() {
        try (var rpc = new Rpc(servers.first.port())) {
            rpc.enqueue("stale", "{}");
            DequeueJobResponse old = rpc.dequeue(Rpc.request("stale", 1, Duration.ofSeconds(5))
                            .setVisibilityTimeout(Rpc.duration(Duration.ofSeconds(1)))
                            .build())
                    .get(0);
            DequeueJobResponse mine =
                    rpc.dequeue("stale", 1, Duration.ofSeconds(30)).get(0);
            var failure = catchThrowableOfType(
                    StatusRuntimeException.class,
                    () -> rpc.jobs.completeJob(CompleteJobRequest.newBuilder()
                            .setTaskToken(old.getTaskToken())
                            .setJobId(old.getJobId())
                            .setSucceeded(CompleteJobRequest.Succeeded.getDefaultInstance())
                            .build()));

            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
            assertThat(mine.getAttempt()).isEqualTo(2);
            assertThat(servers.asking
                            .store()
                            .jobs()
                            .find(JobId.parse(mine.getJobId()))
                            .orElseThrow()
                            .state())
                    .isEqualTo(JobState.RUNNING);
        }
    }

    private static List<JobId> allOf() {
        var all = new ArrayList<JobId>();
        JobId cursor = null;
        do {
            var page = servers.asking
                    .store()
                    .jobs()
                    .list(JobQuery.where()
                            .queue(QUEUE)
                            .limit(500)
                            .cursor(cursor)
                            .build());
            page.jobs().forEach(job -> all.add(job.id()));
            cursor = page.nextCursor();
        } while (cursor != null);
        assertThat(all).hasSize(JOBS);
        return all;
    }

    private static void awaitEnded(List<JobId> ids) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        var store = servers.asking.store();
        for (JobId id : ids) {
            while (!store.jobs().find(id).orElseThrow().state().terminal()) {
                assertThat(System.nanoTime()).as("still running: " + id).isLessThan(until);
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    private static void awaitLine(Process process, String text) {
        try {
            BufferedReader lines = process.inputReader();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                System.out.println("worker: " + line);
                if (line.contains(text)) {
                    return;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new AssertionError("the worker ended without " + text);
    }

    private static void signal(Process process, String name) throws Exception {
        int code = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        assertThat(code).isZero();
    }
}
