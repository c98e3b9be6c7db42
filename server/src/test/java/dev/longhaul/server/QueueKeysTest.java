package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.client.WireTime;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.rpc.v1.CompleteHooksRequest;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EventType;
import dev.longhaul.rpc.v1.NewEvent;
import dev.longhaul.rpc.v1.PublishJobEventsRequest;
import dev.longhaul.rpc.v1.RegisterDefinitionsRequest;
import dev.longhaul.rpc.v1.ReportWorkerRequest;
import dev.longhaul.rpc.v1.TakeHooksRequest;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers whose keys are restricted to queues. */
class QueueKeysTest {
    private static final String PASSWORD = "{\"properties\":{\"password\":{\"writeOnly\":true}}}";

    @RegisterExtension
    final Doors doors = new Doors();

    private final String adminKey = doors.key("boss", Role.ADMIN);
    private final Rpc admin = new Rpc(doors.port(), adminKey);
    private final String workerKey = doors.key("far", new Rights(Role.WORKER, List.of("own", "other")));
    private final Rpc worker = new Rpc(doors.port(), workerKey);

    @AfterEach
    void close() {
        admin.close();
        worker.close();
    }

    private static void assertDenied(Runnable call) {
        var failure = catchThrowableOfType(StatusRuntimeException.class, call::run);
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
        assertThat(failure.getStatus().getDescription()).contains("other, own");
    }

    private static CompleteJobRequest success(DequeueJobResponse task) {
        return CompleteJobRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .setJobId(task.getJobId())
                .setSucceeded(CompleteJobRequest.Succeeded.getDefaultInstance())
                .build();
    }

    private static UpdateJobRequest update(DequeueJobResponse task) {
        return UpdateJobRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .setQueue(task.getQueue())
                .build();
    }

    private static int publish(Rpc rpc, DequeueJobResponse task) throws Exception {
        var answer = new CompletableFuture<Integer>();
        StreamObserver<PublishJobEventsRequest> batches = rpc.publish(answer);
        batches.onNext(PublishJobEventsRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .addEvents(NewEvent.newBuilder()
                        .setSequence(1)
                        .setType(EventType.EVENT_TYPE_CUSTOM)
                        .setTime(WireTime.of(Instant.now())))
                .build());
        batches.onCompleted();
        return answer.get(20, TimeUnit.SECONDS);
    }

    @Test
    void work_on_their_queues() throws Exception {
        String id = admin.enqueue("own", "{}");
        DequeueJobResponse task = worker.dequeueOne("own");

        assertThat(worker.jobs.updateJob(update(task)).getCancelRequested()).isFalse();
        assertThat(publish(worker, task)).isEqualTo(1);
        worker.jobs.completeJob(success(task));

        assertThat(state(id)).isEqualTo(JobState.SUCCEEDED);
    }

    private JobState state(String id) {
        return doors.longhaul()
                .store()
                .jobs()
                .find(JobId.parse(id))
                .orElseThrow()
                .state();
    }

    @Test
    void get_no_jobs_of_others() {
        String id = admin.enqueue("foreign", "{}");

        assertDenied(() -> worker.dequeue("foreign", 1, Duration.ZERO));
        assertDenied(() -> worker.dequeue("foreign", 1, Duration.ofSeconds(1)));
        assertThat(state(id)).isEqualTo(JobState.WAITING);
    }

    @Test
    void change_no_jobs_of_others_whatever_tokens_they_have() {
        admin.enqueue("foreign", "{}");
        DequeueJobResponse task = admin.dequeueOne("foreign");

        assertDenied(() -> worker.jobs.updateJob(update(task)));
        assertDenied(() -> worker.jobs.completeJob(success(task)));
        var failure = catchThrowableOfType(ExecutionException.class, () -> publish(worker, task));
        assertThat(Status.fromThrowable(failure).getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
        var store = doors.longhaul().store();
        assertThat(state(task.getJobId())).isEqualTo(JobState.RUNNING);
        assertThat(store.jobs().events(dev.longhaul.event.EventQuery.of(JobId.parse(task.getJobId()))))
                .noneMatch(event -> event.type() == dev.longhaul.event.EventType.CUSTOM);
    }

    @Test
    void register_no_definitions_of_other_queues() {
        var definition = RegisterDefinitionsRequest.Definition.newBuilder().setDefinition("far.work@1");
        worker.jobs.registerDefinitions(RegisterDefinitionsRequest.newBuilder()
                .addDefinitions(definition.setQueue("own"))
                .build());

        assertDenied(() -> worker.jobs.registerDefinitions(RegisterDefinitionsRequest.newBuilder()
                .addDefinitions(definition.setQueue("foreign"))
                .build()));
        assertThat(doors.longhaul()
                        .store()
                        .catalog()
                        .latest("far.work")
                        .orElseThrow()
                        .defaults()
                        .queue())
                .isEqualTo("own");
    }

    private static RegisterDefinitionsRequest definition(String name, String queue, String paramsSchema) {
        return RegisterDefinitionsRequest.newBuilder()
                .addDefinitions(RegisterDefinitionsRequest.Definition.newBuilder()
                        .setDefinition(name)
                        .setQueue(queue)
                        .setParamsSchema(paramsSchema))
                .build();
    }

    private KnownDefinition known(String name) {
        return doors.longhaul()
                .store()
                .catalog()
                .find(DefinitionRef.parse(name))
                .orElseThrow();
    }

    private void denied(Rpc rpc, RegisterDefinitionsRequest request, String field, String expected) {
        List<KnownDefinition> before = doors.longhaul().store().catalog().definitions();
        var failure = catchThrowableOfType(StatusRuntimeException.class, () -> rpc.jobs.registerDefinitions(request));
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
        assertThat(failure.getStatus().getDescription()).contains(field + ": ", expected);
        assertThat(doors.longhaul().store().catalog().definitions()).isEqualTo(before);
    }

    @Test
    void take_no_definition_over_from_another_queue() {
        admin.jobs.registerDefinitions(definition("far.login@1", "foreign", PASSWORD));

        denied(worker, definition("far.login@1", "own", "true"), "definition", "belongs to the queue foreign");
        denied(
                worker,
                definition("far.login@2", "own", PASSWORD),
                "definition",
                "far.login@1 belongs to the queue foreign");
        denied(worker, definition("task@1", "own", ""), "definition", "belongs to the queue default");
        denied(worker, definition("test.login@1", "own", ""), "definition", "belongs to the queue default");
    }

    @Test
    void change_definitions_of_their_own_queues_and_are_audited() {
        worker.jobs.registerDefinitions(definition("own.work@1", "own", PASSWORD));
        worker.jobs.registerDefinitions(definition("own.work@1", "other", "true"));
        worker.jobs.registerDefinitions(definition("own.work@1", "other", ""));

        assertThat(known("own.work@1").defaults().queue()).isEqualTo("other");
        assertThat(known("own.work@1").registeredBy()).isNotNull();
        var audit = doors.longhaul().store().access().audit(null, 50);
        assertThat(audit.stream().filter(one -> one.action().equals("definition.register")))
                .as("one entry for each change, none for the repetition")
                .hasSize(2)
                .allMatch(one -> one.actor().equals("far") && one.subject().equals("own.work@1"));
        denied(worker, definition("own.work@1", "foreign", ""), "queue", "other, own");
    }

    @Test
    void weaken_no_schema_of_loaded_code() {
        var defaults = new KnownDefinition.Defaults("own", 3, Duration.ofHours(1), 0);
        doors.longhaul()
                .store()
                .catalog()
                .register(List.of(new KnownDefinition(
                        new DefinitionRef("own.login", 1), PASSWORD, "true", defaults, null, Instant.EPOCH)));

        denied(worker, definition("own.login@1", "own", "true"), "paramsSchema", "at least");
        denied(worker, definition("own.login@1", "own", "{\"type\":\"object\"}"), "paramsSchema", "at least");
        denied(admin, definition("own.login@1", "own", "true"), "paramsSchema", "at least");
        worker.jobs.registerDefinitions(definition("own.login@1", "own", ""));
        assertThat(known("own.login@1").paramsSchema()).as("left empty").isEqualTo(PASSWORD);
        String more = "{\"properties\":{\"password\":{\"writeOnly\":true},\"pin\":{\"writeOnly\":true}}}";
        worker.jobs.registerDefinitions(definition("own.login@1", "own", more));
        assertThat(known("own.login@1").paramsSchema()).contains("password", "pin");
    }

    @Test
    void never_register_what_is_built_in() {
        denied(worker, definition("command@1", "own", "true"), "definition", "built in");
        denied(worker, definition("command@2", "own", "true"), "definition", "built in");
        admin.jobs.registerDefinitions(definition("command@1", "own", PASSWORD));
        worker.jobs.registerDefinitions(definition("command@1", "own", PASSWORD));
        denied(admin, definition("command@1", "own", "true"), "definition", "built in");
    }

    @Test
    void run_no_hooks_of_others_and_report_their_queues_only() {
        String id = admin.enqueue("foreign", "{}");
        worker.jobs.reportWorker(ReportWorkerRequest.newBuilder()
                .setWorkerId("far-1")
                .addQueues("own")
                .build());

        assertDenied(() -> worker.jobs.takeHooks(
                TakeHooksRequest.newBuilder().addDefinitions("task@1").build()));
        assertDenied(() -> worker.jobs.completeHooks(
                CompleteHooksRequest.newBuilder().setJobId(id).build()));
        assertDenied(() -> worker.jobs.reportWorker(ReportWorkerRequest.newBuilder()
                .setWorkerId("far-2")
                .addQueues("foreign")
                .build()));
        assertThat(doors.longhaul().store().catalog().workers())
                .extracting(one -> one.report().workerId())
                .contains("far-1")
                .doesNotContain("far-2");
    }

    @Test
    void cannot_have_all_queues_run_by_a_tick() {
        var reply = doors.api.withKey(workerKey).post("/v1/tick", "{}");

        assertThat(reply.status()).isEqualTo(403);
        assertThat(reply.json().get("detail").asText()).contains("other, own");
    }

    @Test
    void are_created_over_rest_for_workers_only() {
        Api boss = doors.api.withKey(adminKey);

        var made = boss.post("/v1/keys", "{\"name\":\"a\",\"role\":\"worker\",\"queues\":[\"b\",\"a\"]}");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().get("queues").toString()).isEqualTo("[\"a\",\"b\"]");
        assertThat(boss.get("/v1/keys").json().get("keys").get(0).get("queues").toString())
                .isEqualTo("[\"a\",\"b\"]");
        assertThat(boss.get("/v1/audit?limit=1").body()).contains("\"queues\":[\"a\",\"b\"]");
        var refused = boss.post("/v1/keys", "{\"name\":\"a\",\"role\":\"viewer\",\"queues\":[\"no spaces\", 7]}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.json().get("errors").findValuesAsText("field"))
                .containsExactlyInAnyOrder("queues", "queues", "queues[1]");
    }
}
