package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.NewJob;
import dev.longhaul.client.LonghaulClient;
import dev.longhaul.client.RemoteWorker;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Tally;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.testing.FaultVolume;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A remote worker is killed: jobs that it had dequeued but not begun spend no attempt, those that had begun do. */
@Tag("faults")
@Order(1) // Long: starts first, so that other tests run in parallel.
@Tag("full")
class KilledRemoteWorkerTest {
    private static final int KILLS = FaultVolume.of(2, 10);
    private static final int JOBS_PER_KILL = FaultVolume.of(400, 2000);
    private static final int SLOTS = 4;
    /** Jobs that return at once: after them a worker expects short jobs, and claims ahead of its slots. */
    private static final int QUICK = 300;

    private static final String QUEUE = "killed-remote";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    record Work(int millis) {}

    private static TwoServers servers;
    private static Connection connection;

    @BeforeAll
    static void start() throws SQLException {
        servers = new TwoServers();
        connection = DriverManager.getConnection(servers.url);
    }

    @AfterAll
    static void stop() throws SQLException {
        connection.close();
        servers.close();
    }

    private static final JobDefinition<Work, Void> QUICK_WORK = JobDefinition.of("killed.quick", Work.class, Void.class)
            .queue(QUEUE)
            .handler((work, run) -> null);

    private static JobDefinition<Work, Void> work(int maxAttempts, Consumer<JobId> started) {
        return JobDefinition.of("killed.work" + maxAttempts, Work.class, Void.class)
                .queue(QUEUE)
                .maxAttempts(maxAttempts)
                .handler((work, run) -> {
                    started.accept(Objects.requireNonNull(run.jobId()));
                    Thread.sleep(work.millis());
                    return null;
                });
    }

    private static RemoteWorker worker(LonghaulClient client, String id, JobDefinition<Work, Void> definition) {
        var config = WorkerConfig.DEFAULT
                .withWorkerId(id)
                .withSlots(SLOTS)
                .withLease(Duration.ofSeconds(1))
                .withQueues(Map.of(QUEUE, WorkerConfig.ANY));
        return RemoteWorker.start(client, config, List.of(QUICK_WORK, definition));
    }

    /** A remote worker in a separate process, which prints the id of every job whose code starts. */
    static final class Victim {
        private Victim() {}

        public static void main(String[] arguments) throws IOException {
            var client = LonghaulClient.connect(URI.create("http://127.0.0.1:" + arguments[0]), null);
            int maxAttempts = Integer.parseInt(arguments[1]);
            worker(client, arguments[2], work(maxAttempts, id -> System.out.println("started " + id)));
            System.out.println("ready");
            // Ends with the test, which holds the other end.
            while (System.in.read() >= 0) {}
            Runtime.getRuntime().halt(3);
        }
    }

    /** The process of a victim, and its output. */
    private static final class VictimProcess implements AutoCloseable {
        private final Process process;
        private final Set<JobId> started = ConcurrentHashMap.newKeySet();
        private final Thread reader;

        VictimProcess(String id, int maxAttempts) throws IOException {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx128m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Victim.class.getName(),
                            Integer.toString(servers.first.port()),
                            Integer.toString(maxAttempts),
                            id)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader output = process.inputReader();
            String line = output.readLine();
            while (line != null && !line.equals("ready")) {
                line = output.readLine();
            }
            assertThat(line).isEqualTo("ready");
            reader = new Thread(() -> output.lines().forEach(this::read), "output of the victim");
            reader.start();
        }

        private void read(String line) {
            if (line.startsWith("started ")) {
                started.add(JobId.parse(line.substring("started ".length())));
            }
        }

        /** Kills the process with SIGKILL; returns the jobs whose code it has started. */
        Set<JobId> kill() throws InterruptedException {
            process.destroyForcibly().waitFor();
            reader.join();
            return Set.copyOf(started);
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }

    @Test
    @Timeout(900)
    void jobs_with_one_attempt_run_exactly_once_unless_they_had_begun() throws Exception {
        Map<JobId, Integer> starts = new HashMap<>();
        var begun = new HashSet<JobId>();
        List<JobId> ids = killAndFinish(1, starts, begun);

        var failed = new HashSet<JobId>();
        for (JobId id : ids) {
            if (servers.asking.store().jobs().find(id).orElseThrow().state() == JobState.FAILED) {
                failed.add(id);
            }
        }
        // Running jobs, and those whose result was not stored yet: with short jobs, more than there are slots.
        assertThat(begun).as("begun at the kills").containsAll(failed);
        assertThat(starts.values()).as("starts of each job").containsOnly(1);
        ids.removeAll(failed);
        assertThat(starts.keySet()).as("jobs that succeeded have run").containsAll(ids);
        FaultVolume.tell("killed remote workers, one attempt: %d kills, %d failed", KILLS, failed.size());
    }

    @Test
    @Timeout(900)
    void jobs_with_more_attempts_are_charged_for_no_more_than_the_slots() throws Exception {
        List<JobId> ids = killAndFinish(3, new HashMap<>(), new HashSet<>());

        long charged = 0;
        for (JobId id : ids) {
            List<Run> runs = servers.asking.store().jobs().runs(id);
            assertThat(runs.get(runs.size() - 1).status()).isEqualTo(RunStatus.SUCCEEDED);
            charged +=
                    runs.stream().filter(run -> run.status() == RunStatus.LOST).count();
        }
        assertThat(charged).isLessThanOrEqualTo((long) KILLS * 2 * SLOTS);
        FaultVolume.tell("killed remote workers: %d kills, %d charged", KILLS, charged);
    }

    @Test
    @Timeout(300)
    void jobs_that_had_begun_are_charged() throws Exception {
        for (int maxAttempts : List.of(1, 3)) {
            try (var victim = new VictimProcess("victim", maxAttempts)) {
                JobId id = enqueue("killed.work" + maxAttempts, 1, 60_000, JobOptions.options())
                        .get(0);
                await(
                        "it has begun",
                        () -> victim.started.contains(id)
                                && claimed("victim", true).contains(id));
                victim.kill();
                await("its lease has lapsed", () -> claimed("victim", true).isEmpty());

                var job = servers.asking.store().jobs().find(id).orElseThrow();
                assertThat(job.tally()).isEqualTo(new Tally(1, 1, 1));
                assertThat(job.state()).isEqualTo(maxAttempts == 1 ? JobState.FAILED : JobState.WAITING);
                if (maxAttempts > 1) {
                    servers.asking.store().jobs().execute(JobCommand.cancel(id, null, null, null));
                }
            }
        }
    }

    /** Kills several workers during work, then finishes with one in this process; returns all jobs. */
    private List<JobId> killAndFinish(int maxAttempts, Map<JobId, Integer> starts, Set<JobId> begun) throws Exception {
        var ids = new ArrayList<JobId>();
        int ahead = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            String worker = "victim-" + kill;
            try (var victim = new VictimProcess(worker, maxAttempts)) {
                enqueue("killed.quick", QUICK, 1, JobOptions.options().priority(1));
                ids.addAll(enqueue("killed.work" + maxAttempts, JOBS_PER_KILL, 1, JobOptions.options()));
                await(
                        "it has claimed ahead",
                        () -> !victim.started.isEmpty()
                                && claimed(worker, false).size() > 4 * SLOTS);
                victim.kill().forEach(id -> starts.merge(id, 1, Integer::sum));
                begun.addAll(claimed(worker, true));
                ahead += claimed(worker, false).size();
            }
        }
        var later = Collections.synchronizedList(new ArrayList<JobId>());
        try (var client = LonghaulClient.connect(URI.create("http://127.0.0.1:" + servers.first.port()), null);
                var heir = worker(client, "heir", work(maxAttempts, later::add))) {
            assertThat(heir).isNotNull();
            await("all jobs have ended", () -> count("select count(*) from longhaul.live_job") == 0);
        }
        later.forEach(id -> starts.merge(id, 1, Integer::sum));
        FaultVolume.tell("%d claimed and not begun at %d kills", ahead, KILLS);
        return ids;
    }

    private static List<JobId> enqueue(String key, int count, int millis, JobOptions options) {
        var one = new NewJob(key, null, "{\"millis\":" + millis + "}", options);
        return servers.asking.jobs().enqueueBatch(Collections.nCopies(count, one)).stream()
                .map(inserted -> inserted.job().id())
                .toList();
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(String what, Condition condition) throws Exception {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as(what).isLessThan(until);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** The jobs that the worker has claimed, without the quick ones, whose runs have or have not begun. */
    private static Set<JobId> claimed(String worker, boolean begun) throws Exception {
        var ids = new HashSet<JobId>();
        query(
                "select id from longhaul.live_job where state = 2 and definition_key <> 'killed.quick' and worker_id = '"
                        + worker + "' and begun = " + begun,
                row -> ids.add(new JobId(row.getObject(1, UUID.class))));
        return ids;
    }

    private static long count(String sql) throws Exception {
        var counts = new ArrayList<Long>();
        query(sql, row -> counts.add(row.getLong(1)));
        return counts.get(0);
    }

    private interface Row {
        void read(ResultSet row) throws Exception;
    }

    private static void query(String sql, Row read) throws Exception {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                read.read(row);
            }
        }
    }
}
