package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.JobResult;
import dev.longhaul.client.LonghaulClient;
import dev.longhaul.client.RemoteWorker;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventQuery;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RetryPolicy;
import dev.longhaul.process.command.Commands;
import dev.longhaul.rpc.v1.EventType;
import dev.longhaul.rpc.v1.Job;
import dev.longhaul.rpc.v1.JobEvent;
import dev.longhaul.rpc.v1.JobState;
import dev.longhaul.rpc.v1.StreamJobEventsRequest;
import dev.longhaul.spi.Store;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The engine with a server as its work source instead of a database. */
@Tag("full")
class RemoteWorkerTest {
    private static final String QUEUE = "remote";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    record Name(String name) {}

    record Greeting(String text, long number) {}

    @RegisterExtension
    final Doors doors = new Doors();

    private final LonghaulClient client = LonghaulClient.connect(URI.create("http://127.0.0.1:" + doors.port()), null);

    @AfterEach
    void close() {
        client.close();
    }

    private RemoteWorker worker(JobDefinition<?, ?>... definitions) {
        return RemoteWorker.start(
                client,
                WorkerConfig.DEFAULT.withLease(Duration.ofSeconds(3)).withQueues(Map.of(QUEUE, WorkerConfig.ANY)),
                List.of(definitions));
    }

    private List<JobEvent> events(JobId id) throws InterruptedException {
        var events = new ArrayList<JobEvent>();
        client.events(
                StreamJobEventsRequest.newBuilder().setJobId(id.toString()).build(), events::add);
        return events;
    }

    @Test
    void runs_typed_jobs_with_logs_progress_and_steps() throws Exception {
        var calls = new AtomicInteger();
        var greet = JobDefinition.of("remote.greet", Name.class, Greeting.class)
                .queue(QUEUE)
                .retry(RetryPolicy.of(new Backoff(Duration.ZERO, 1, Duration.ZERO)))
                .handler((params, run) -> {
                    long number = run.step("count", Long.class, () -> 9007199254740993L + calls.incrementAndGet());
                    run.log().with("number", number).info("greeting {}", params.name());
                    run.progress(60, "nearly");
                    if (run.attempt() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                    return new Greeting("Hello, " + params.name(), number);
                });
        try (var worker = worker(greet)) {
            assertThat(worker).isNotNull();
            JobId id = client.enqueue(greet, new Name("Ann"), JobOptions.options());
            Job job = client.await(id, PATIENCE);

            assertThat(job.getState()).isEqualTo(JobState.JOB_STATE_SUCCEEDED);
            assertThat(job.getResult()).isEqualTo("{\"text\":\"Hello, Ann\",\"number\":9007199254740994}");
            assertThat(job.getProgress().getPercent()).isEqualTo(60);
            assertThat(events(id))
                    .extracting(JobEvent::getType)
                    .contains(
                            EventType.EVENT_TYPE_LOG,
                            EventType.EVENT_TYPE_STEP,
                            EventType.EVENT_TYPE_PROGRESS,
                            EventType.EVENT_TYPE_RETRYING,
                            EventType.EVENT_TYPE_SUCCEEDED);
            assertThat(events(id))
                    .filteredOn(event -> event.getType() == EventType.EVENT_TYPE_LOG)
                    .extracting(JobEvent::getPayload)
                    .allMatch(payload -> payload.endsWith(",\"data\":{\"number\":9007199254740994}}"));
        }
    }

    @Test
    @Tag("full")
    void keeps_long_jobs_and_ends_them_when_they_are_cancelled() throws Exception {
        var started = new CountDownLatch(1);
        var wait = JobDefinition.of("remote.wait", Map.class, Void.class)
                .queue(QUEUE)
                .handler((params, run) -> {
                    started.countDown();
                    while (true) {
                        run.throwIfCancelled();
                        Thread.sleep(10);
                    }
                });
        try (var worker = worker(wait)) {
            assertThat(worker).isNotNull();
            JobId id = client.enqueue("remote.wait", "{}", JobOptions.options());
            started.await();
            // Longer than the lease: without renewals the job would run twice.
            Thread.sleep(6000);
            assertThat(client.get(id).getState()).isEqualTo(JobState.JOB_STATE_RUNNING);
            client.cancel(id, "enough");

            assertThat(client.await(id, PATIENCE).getState()).isEqualTo(JobState.JOB_STATE_CANCELLED);
            assertThat(doors.longhaul().store().jobs().runs(id)).hasSize(1);
        }
    }

    @Test
    void resumes_when_its_server_is_available_again() throws Exception {
        var started = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var wait = JobDefinition.of("remote.wait", Map.class, String.class)
                .queue(QUEUE)
                .handler((params, run) -> {
                    started.countDown();
                    goOn.await();
                    run.log().info("logged while the server was down");
                    return "done";
                });
        var config = WorkerConfig.DEFAULT.withQueues(Map.of(QUEUE, WorkerConfig.ANY));
        LonghaulServer restarted = LonghaulServer.start(doors.longhaul(), Doors.AT_ONCE);
        int port = restarted.port();
        try (var far = LonghaulClient.connect(URI.create("http://127.0.0.1:" + port), null);
                var worker = RemoteWorker.start(far, config, List.of(wait))) {
            assertThat(worker).isNotNull();
            JobId id = far.enqueue("remote.wait", "{}", JobOptions.options());
            started.await();
            restarted.close();
            goOn.countDown();
            assertThatThrownBy(() -> far.get(id)).isInstanceOf(LonghaulException.class);
            try (var back = LonghaulServer.start(doors.longhaul(), Doors.AT_ONCE.withPort(port))) {
                assertThat(back.port()).isEqualTo(port);

                assertThat(client.await(id, PATIENCE).getResult()).isEqualTo("\"done\"");
                assertThat(doors.longhaul().store().jobs().runs(id)).hasSize(1);
                assertThat(events(id)).extracting(JobEvent::getType).contains(EventType.EVENT_TYPE_LOG);
                JobId next = client.enqueue("remote.wait", "{}", JobOptions.options());
                assertThat(client.await(next, PATIENCE).getState()).isEqualTo(JobState.JOB_STATE_SUCCEEDED);
            }
        }
    }

    @Test
    void gets_more_steps_than_fit_into_an_ordinary_message() throws Exception {
        String large = "x".repeat(250_000);
        var many = JobDefinition.of("remote.many", Map.class, Integer.class)
                .queue(QUEUE)
                .retry(RetryPolicy.of(new Backoff(Duration.ZERO, 1, Duration.ZERO)))
                .handler((params, run) -> {
                    int length = 0;
                    for (int i = 0; i < 20; i++) {
                        length +=
                                run.step("part-" + i, String.class, () -> large).length();
                    }
                    if (run.attempt() == 1) {
                        throw new IllegalStateException("once more");
                    }
                    return length;
                });
        try (var worker = worker(many)) {
            assertThat(worker).isNotNull();
            JobId id = client.enqueue("remote.many", "{}", JobOptions.options());

            assertThat(client.await(id, PATIENCE).getResult()).isEqualTo("5000000");
            assertThat(doors.longhaul().store().jobs().runs(id)).hasSize(2);
        }
    }

    @Test
    void leaves_a_job_whose_params_it_cannot_read_and_says_why() throws Exception {
        var greet = JobDefinition.of("remote.greet", Name.class, String.class)
                .queue(QUEUE)
                .handler((params, run) -> params.name());
        Store store = doors.longhaul().store();
        var another =
                JobSpec.of(greet.ref(), "{\"nickname\":\"h2\"}").queue(QUEUE).maxAttempts(1);
        JobId id = store.jobs().insert(List.of(another.build())).get(0).job().id();
        try (var worker = worker(greet)) {
            assertThat(worker).isNotNull();
            while (store.jobs().find(id).orElseThrow().failure() == null) {
                Thread.sleep(10);
            }
            JsonNode why = doors.api.get("/v1/jobs/" + id + "/why").json();
            while (why.get("reasons").isEmpty()) {
                // A worker has just taken the job again, so it is not waiting now.
                why = doors.api.get("/v1/jobs/" + id + "/why").json();
            }

            assertThat(why.get("reasons").get(0).get("code").asText()).isEqualTo("params_unreadable");
            assertThat(why.get("reasons").get(0).get("message").asText())
                    .startsWith("Worker " + store.jobs().runs(id).get(0).workerId() + " could not read its params:"
                            + " params.name: missing (expected: required). Deploy code of remote.greet@1")
                    .doesNotContain("h2");
        }
        assertThat(store.jobs().find(id).orElseThrow().tally().attempts()).isZero();
    }

    @Test
    void gives_running_jobs_back_when_it_stops() throws Exception {
        var started = new CountDownLatch(1);
        var wait = JobDefinition.of("remote.wait", Map.class, Void.class)
                .queue(QUEUE)
                .handler((params, run) -> {
                    started.countDown();
                    new CountDownLatch(1).await();
                    return null;
                });
        JobId id;
        try (var worker = RemoteWorker.start(
                client,
                WorkerConfig.DEFAULT.withDrain(Duration.ofMillis(200)).withQueues(Map.of(QUEUE, WorkerConfig.ANY)),
                List.of(wait))) {
            assertThat(worker).isNotNull();
            id = client.enqueue("remote.wait", "{}", JobOptions.options());
            started.await();
        }
        Job job = client.get(id);
        assertThat(job.getState()).isEqualTo(JobState.JOB_STATE_QUEUED);
        assertThat(job.getAttempts()).isZero();
    }

    @Test
    void runs_hooks_once_the_end_is_stored() throws Exception {
        var ended = new CountDownLatch(1);
        var hooked = JobDefinition.of("remote.hooked", Map.class, String.class)
                .queue(QUEUE)
                .onSuccess((context, result) -> ended.countDown())
                .handler((params, run) -> "done");
        try (var worker = worker(hooked)) {
            assertThat(worker).isNotNull();
            JobId id = client.enqueue("remote.hooked", "{}", JobOptions.options());
            assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(client.await(id, PATIENCE).getResult()).isEqualTo("\"done\"");
        }
    }

    @Test
    void reports_that_hooks_have_run() throws Exception {
        var hooked = JobDefinition.of("remote.hooked", Map.class, String.class)
                .queue(QUEUE)
                .onEnd((context, result) -> {
                    throw new IllegalStateException("no luck with " + result.data());
                })
                .handler((params, run) -> "done");
        try (var worker = worker(hooked)) {
            assertThat(worker).isNotNull();
            JobId id = client.enqueue("remote.hooked", "{}", JobOptions.options());

            assertThat(hookFailure(id)).contains("no luck with done");
        }
    }

    /** Waits for the event of the failed hook, and returns it. */
    private String hookFailure(JobId id) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - until < 0) {
            for (var event : doors.longhaul().store().jobs().events(EventQuery.of(id))) {
                if (event.type() == dev.longhaul.event.EventType.HOOK_FAILED) {
                    return String.valueOf(event.payload());
                }
            }
            Thread.sleep(10);
        }
        throw new AssertionError("no event of the hook of " + id);
    }

    @Test
    void runs_hooks_of_jobs_that_no_worker_has_ended() throws Exception {
        var ended = new CompletableFuture<JobResult<String>>();
        var hooked = JobDefinition.of("remote.hooked", Map.class, String.class)
                .queue(QUEUE)
                .onEnd((context, result) -> {
                    ended.complete(result);
                    throw new IllegalStateException(context.labels().toString());
                })
                .handler((params, run) -> "done");
        try (var worker = worker(hooked)) {
            assertThat(worker).isNotNull();
            JobId id = client.enqueue(
                    "remote.hooked",
                    "{}",
                    JobOptions.options().delay(Duration.ofHours(1)).labels(Map.of("team", "far")));
            client.cancel(id, "not any more");

            JobResult<String> result = ended.get(20, TimeUnit.SECONDS);
            assertThat(result.id()).isEqualTo(id);
            assertThat(result.status()).isEqualTo(JobStatus.CANCELLED);
            assertThat(result.startedAt()).isNull();
            assertThat(hookFailure(id)).contains("{team=far}");
        }
    }

    @Test
    void is_listed_among_the_workers() throws Exception {
        var wait = JobDefinition.of("remote.wait", Map.class, Void.class)
                .queue(QUEUE)
                .handler((params, run) -> null);
        try (var worker = worker(wait)) {
            assertThat(worker).isNotNull();
            var listed = listed("active");
            assertThat(listed.get("slots").asInt()).isEqualTo(WorkerConfig.DEFAULT.slots());
            assertThat(listed.get("queues").toString()).isEqualTo("[\"remote\"]");
            assertThat(listed.get("definitions").toString()).isEqualTo("[\"remote.wait@1\"]");
            assertThat(listed.get("version").asText()).isNotEmpty();
            assertThat(listed.get("pid").asLong())
                    .isEqualTo(ProcessHandle.current().pid());
        }
        assertThat(listed("gone")).isNotNull();
    }

    private JsonNode listed(String state) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - until < 0) {
            for (JsonNode worker : doors.api.get("/v1/workers").json().get("workers")) {
                if (worker.get("queues").toString().contains(QUEUE)
                        && worker.get("state").asText().equals(state)) {
                    return worker;
                }
            }
            Thread.sleep(10);
        }
        throw new AssertionError("no remote worker is " + state);
    }

    @Test
    void runs_commands_in_separate_processes() throws Exception {
        try (var worker = worker(Commands.any())) {
            assertThat(worker).isNotNull();
            JobId id = client.enqueue(
                    Commands.KEY,
                    "{\"argv\":[\"sh\",\"-c\",\"echo printed; exit 3\"]}",
                    JobOptions.options().queue(QUEUE).maxAttempts(1));
            Job job = client.await(id, PATIENCE);

            assertThat(job.getFailure().getCode()).isEqualTo("exit_code");
            assertThat(events(id))
                    .extracting(JobEvent::getType)
                    .contains(
                            EventType.EVENT_TYPE_PROCESS_START,
                            EventType.EVENT_TYPE_OUTPUT,
                            EventType.EVENT_TYPE_PROCESS_END);
        }
    }
}
