package dev.longhaul.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.json.Json;
import dev.longhaul.kubernetes.simulated.SimulatedCluster;
import dev.longhaul.testing.FaultVolume;
import dev.longhaul.testing.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Worker processes are killed while pods run: other workers take the pods over. */
@Tag("full")
class TakeoverTest {
    private static final int PODS = 20;
    private static final int SLOTS = 60;

    @TempDir
    Path directory;

    private final SimulatedCluster cluster = new SimulatedCluster();
    private final String url = TestPostgres.get().newDatabase();
    private final List<PodWorkerProcess> workers = new ArrayList<>();
    private Longhaul longhaul;
    private Path kubeconfig;
    private Path ledger;

    @BeforeEach
    void start() throws IOException {
        kubeconfig = cluster.kubeconfig(directory);
        ledger = Files.createFile(directory.resolve("ledger"));
        longhaul = Longhaul.builder()
                .postgres(TestPostgres.pool(url, 5))
                .register(PodBench.SHELL, PodBench.RETRIED)
                .maintenanceOnly()
                .start();
    }

    @AfterEach
    void close() {
        workers.forEach(PodWorkerProcess::close);
        longhaul.close();
        cluster.close();
    }

    private PodWorkerProcess worker(String id) {
        var worker = new PodWorkerProcess(id, url, kubeconfig, SLOTS);
        workers.add(worker);
        return worker.awaitReady();
    }

    private JobId enqueue(JobDefinition<JsonNode, JsonNode> definition, String script) {
        JsonNode params = Objects.requireNonNull(Json.read(Json.write(Map.of("script", script)), JsonNode.class));
        return longhaul.later(definition, params);
    }

    private List<JobId> enqueue(int jobs, String script) {
        var ids = new ArrayList<JobId>();
        for (int i = 0; i < jobs; i++) {
            ids.add(enqueue(PodBench.SHELL, script));
        }
        return ids;
    }

    private List<String> lines(String what) {
        try {
            return Files.readAllLines(ledger).stream()
                    .filter(line -> line.startsWith(what))
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(String what, long seconds, java.util.function.BooleanSupplier so) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!so.getAsBoolean()) {
            assertThat(System.nanoTime()).as("timeout: " + what).isLessThan(until);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private boolean follows(String worker, int pods) {
        return following(worker) >= pods;
    }

    private long following(String worker) {
        return cluster.jobs("jobs").stream()
                .filter(job -> job.at("/metadata/annotations")
                        .path("longhaul.dev/follower")
                        .asText()
                        .equals(worker))
                .count();
    }

    private String gated(Path gate) {
        return "echo start $LONGHAUL_JOB_ID $LONGHAUL_RUN >> " + ledger + "; echo up; until [ -e " + gate
                + " ]; do sleep 0.2; done; echo end $LONGHAUL_JOB_ID >> " + ledger + "; echo done";
    }

    private void assertAllOnce(List<JobId> ids) {
        for (JobId id : ids) {
            Job job = longhaul.find(id).orElseThrow();
            assertThat(job.status()).as("%s", job.failure()).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(job.tally().run()).isEqualTo(1);
            assertThat(job.tally().attempts()).isEqualTo(1);
            assertThat(job.tally().crashes()).isZero();
        }
        assertThat(cluster.podsEver()).doesNotHaveDuplicates().hasSameSizeAs(ids);
    }

    private boolean allEnded(List<JobId> ids) {
        return ids.stream()
                .allMatch(id -> longhaul.find(id).orElseThrow().state().terminal());
    }

    @Test
    @Timeout(600)
    void pods_of_a_killed_worker_continue_and_end_as_the_same_runs() throws IOException {
        int times = FaultVolume.of(1, 10);
        PodWorkerProcess follower = worker("worker-0");
        var ids = new ArrayList<JobId>();
        var delays = new ArrayList<Long>();
        for (int round = 1; round <= times; round++) {
            Path gate = directory.resolve("gate-" + round);
            ids.addAll(enqueue(PODS, gated(gate)));
            int expected = round * PODS;
            await("all pods run", 60, () -> lines("start").size() == expected);
            PodWorkerProcess heir = worker("worker-" + round);
            Instant killed = Instant.now();
            follower.kill();
            cluster.restartApiServer();
            await("the heir follows", 60, () -> follows(heir.id, PODS));
            delays.add(Duration.between(killed, Instant.now()).toMillis());
            Files.createFile(gate);
            await("all have ended", 60, () -> allEnded(ids));
            follower = heir;
        }
        assertAllOnce(ids);
        assertThat(lines("end")).hasSize(ids.size()).doesNotHaveDuplicates();
        FaultVolume.tell("killed worker: %d times %d pods, taken over after %s ms", times, PODS, delays);
    }

    /** How often a worker began to follow the pod of a job. */
    private long follows(JobId id) {
        return longhaul.store().jobs().events(EventQuery.of(id)).stream()
                .filter(event -> event.type() == EventType.PROCESS_START)
                .count();
    }

    @Test
    @Timeout(300)
    void two_workers_that_want_the_same_pods_share_them() throws IOException {
        PodWorkerProcess first = worker("first");
        Path gate = directory.resolve("gate");
        List<JobId> ids = enqueue(PODS, gated(gate));
        await("all pods run", 60, () -> lines("start").size() == PODS);
        PodWorkerProcess one = worker("one");
        PodWorkerProcess two = worker("two");
        first.kill();
        await("all are taken over", 60, () -> following(one.id) + following(two.id) == PODS);
        Files.createFile(gate);
        await("all have ended", 60, () -> allEnded(ids));
        assertAllOnce(ids);
        assertThat(ids).allSatisfy(id -> assertThat(follows(id)).isEqualTo(2));
    }

    @Test
    @Timeout(300)
    void a_worker_that_was_paused_does_not_follow_what_another_has_taken_over() throws IOException {
        PodWorkerProcess paused = worker("paused");
        Path gate = directory.resolve("gate");
        List<JobId> ids = enqueue(PODS, gated(gate));
        await("all pods run", 60, () -> lines("start").size() == PODS);
        PodWorkerProcess heir = worker("heir");
        paused.pause();
        await("the heir follows", 60, () -> follows(heir.id, PODS));
        paused.resume();
        await("it has seen the heir", 60, () -> paused.logged("another worker follows its pod") == PODS);
        Files.createFile(gate);
        await("all have ended", 60, () -> allEnded(ids));
        assertAllOnce(ids);
        for (JobId id : ids) {
            assertThat(follows(id)).isEqualTo(2);
            assertThat(output(id)).containsOnlyOnce("done");
        }
    }

    private String output(JobId id) {
        return longhaul.store().jobs().events(EventQuery.of(id)).stream()
                .filter(event -> event.type() == EventType.OUTPUT)
                .map(event -> String.valueOf(event.payload()))
                .collect(Collectors.joining());
    }

    @Test
    @Timeout(200)
    void draining_leaves_pods_to_another_worker() throws IOException {
        PodWorkerProcess one = worker("one");
        Path gate = directory.resolve("gate");
        List<JobId> ids = enqueue(PODS, gated(gate));
        await("all pods run", 60, () -> lines("start").size() == PODS);
        one.stop();
        assertThat(ids).allMatch(id -> longhaul.find(id).orElseThrow().status() == JobStatus.RUNNING);
        assertThat(cluster.pods("jobs")).hasSize(PODS);
        PodWorkerProcess two = worker("two");
        await("the other follows", 30, () -> follows(two.id, PODS));
        Files.createFile(gate);
        await("all have ended", 60, () -> allEnded(ids));
        assertAllOnce(ids);
    }

    @Test
    @Timeout(900)
    void the_ledger_of_many_jobs_is_complete_after_many_kills() {
        int jobs = FaultVolume.of(40, 200);
        int kills = FaultVolume.of(2, 20);
        var random = new Random(FaultVolume.seed());
        String script = "echo start $LONGHAUL_JOB_ID $LONGHAUL_RUN >> " + ledger
                + "; sleep %d; echo end $LONGHAUL_JOB_ID $LONGHAUL_RUN >> " + ledger;
        var pair = new ArrayList<>(List.of(worker("a"), worker("b")));
        var ids = new ArrayList<JobId>();
        for (int kill = 0; kill < kills; kill++) {
            for (int i = 0; i < jobs / kills; i++) {
                ids.add(enqueue(PodBench.RETRIED, script.formatted(5 + random.nextInt(15))));
            }
            await("pods run", 60, () -> lines("start").size() > ids.size() / 2);
            int victim = random.nextInt(2);
            pair.get(victim).kill();
            pair.set(victim, worker("after-kill-" + kill));
        }
        await("all have ended", 300, () -> allEnded(ids));
        long repeated = 0;
        for (JobId id : ids) {
            Job job = longhaul.find(id).orElseThrow();
            assertThat(job.status()).as("%s", job.failure()).isEqualTo(JobStatus.SUCCEEDED);
            repeated += job.tally().run() > 1 ? 1 : 0;
        }
        assertThat(lines("start").stream().map(line -> line.split(" ", 3)[1]))
                .as("a job whose code has started is never repeated")
                .doesNotHaveDuplicates()
                .hasSameSizeAs(ids);
        assertThat(cluster.podsEver()).doesNotHaveDuplicates();
        assertThat(lines("end").stream().map(line -> line.split(" ")[1]).distinct())
                .hasSize(ids.size());
        FaultVolume.tell(
                "%d jobs, %d kills: %d jobs whose worker was killed before it had created a pod ran later",
                ids.size(), kills, repeated);
    }
}
