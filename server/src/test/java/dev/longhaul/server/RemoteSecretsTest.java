package dev.longhaul.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.longhaul.client.WireTime;
import dev.longhaul.rpc.v1.CompleteHooksRequest;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EnqueueJobRequest;
import dev.longhaul.rpc.v1.EventType;
import dev.longhaul.rpc.v1.NewEvent;
import dev.longhaul.rpc.v1.Output;
import dev.longhaul.rpc.v1.OutputStream;
import dev.longhaul.rpc.v1.Progress;
import dev.longhaul.rpc.v1.PublishJobEventsRequest;
import dev.longhaul.rpc.v1.RegisterDefinitionsRequest;
import dev.longhaul.rpc.v1.TakeHooksRequest;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server hides the secrets of dequeued jobs, because workers in other languages do not. */
class RemoteSecretsTest {
    private static final String QUEUE = "far";
    private static final String SECRET = "hünter2/c4nary";
    /** Escaped as by Python's and PHP's JSON encoders. */
    private static final String ESCAPED = "h\\u00fcnter2\\/c4nary";

    @RegisterExtension
    final Doors doors = new Doors();

    final Rpc rpc = new Rpc(doors.port());

    @BeforeEach
    void register() {
        var login = RegisterDefinitionsRequest.Definition.newBuilder()
                .setDefinition("far.login@1")
                .setHasHooks(true)
                .setParamsSchema("{\"properties\":{\"password\":{\"writeOnly\":true},"
                        + "\"env\":{\"additionalProperties\":{\"writeOnly\":true}}}}");
        rpc.jobs.registerDefinitions(
                RegisterDefinitionsRequest.newBuilder().addDefinitions(login).build());
    }

    @AfterEach
    void close() {
        rpc.close();
    }

    private DequeueJobResponse running(String params) {
        rpc.jobs.enqueueJob(EnqueueJobRequest.newBuilder()
                .setDefinition("far.login")
                .setQueue(QUEUE)
                .setParams(params)
                .build());
        return rpc.dequeueOne(QUEUE);
    }

    private DequeueJobResponse running() {
        return running("{\"password\":\"" + SECRET + "\"}");
    }

    private static void fail(Rpc by, DequeueJobResponse task) {
        by.jobs.completeJob(CompleteJobRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .setJobId(task.getJobId())
                .setFailed(CompleteJobRequest.Failed.newBuilder()
                        .setMessage("failed with " + SECRET)
                        .setType("Error" + SECRET)
                        .setStack("at " + SECRET))
                .build());
    }

    private static void progress(Rpc by, DequeueJobResponse task) {
        by.jobs.updateJob(UpdateJobRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .setQueue(QUEUE)
                .setProgress(Progress.newBuilder().setPercent(7).setMessage("at " + SECRET))
                .build());
    }

    private static NewEvent.Builder event(EventType type) {
        return NewEvent.newBuilder().setType(type).setTime(WireTime.of(Instant.now()));
    }

    private static void publish(Rpc by, DequeueJobResponse task, NewEvent.Builder... events) {
        var request = PublishJobEventsRequest.newBuilder().setTaskToken(task.getTaskToken());
        for (int i = 0; i < events.length; i++) {
            request.addEvents(events[i].setSequence(i + 1));
        }
        var answer = new CompletableFuture<Integer>();
        var batches = by.publish(answer);
        batches.onNext(request.build());
        batches.onCompleted();
        answer.join();
    }

    /** Everything that an operator can see of the job. */
    private String shown(DequeueJobResponse task) {
        return Stream.of("?view=full", "/events", "/log", "/runs")
                .map(part -> doors.api.get("/v1/jobs/" + task.getJobId() + part).body())
                .collect(Collectors.joining("\n"));
    }

    private static void assertHidden(String shown, String... instead) {
        assertThat(shown).doesNotContain("c4nary").contains(instead);
    }

    @Test
    void are_not_in_failures() {
        DequeueJobResponse task = running();
        fail(rpc, task);

        assertHidden(shown(task), "failed with ***", "Error***", "at ***");
    }

    @Test
    void are_not_in_progress() {
        DequeueJobResponse task = running();
        progress(rpc, task);

        assertHidden(shown(task), "at ***");
    }

    @Test
    void are_not_in_events() {
        DequeueJobResponse task = running();
        publish(
                rpc,
                task,
                event(EventType.EVENT_TYPE_LOG).setPayload("{\"level\":\"info\",\"message\":\"log " + SECRET + "\"}"),
                event(EventType.EVENT_TYPE_CUSTOM)
                        .setPayload("{\"name\":\"n\",\"data\":{\"" + ESCAPED + "\":\"custom " + ESCAPED + "\"}}"));

        assertHidden(shown(task), "log ***", "custom ***");
    }

    @Test
    void are_not_in_output_be_it_text_or_not() {
        DequeueJobResponse task = running();
        Output text = Output.newBuilder()
                .setStream(OutputStream.OUTPUT_STREAM_STDOUT)
                .setData(ByteString.copyFromUtf8("text " + SECRET))
                .build();
        Output bytes =
                text.toBuilder().setData(ByteString.copyFromUtf8("\0" + SECRET)).build();
        publish(
                rpc,
                task,
                event(EventType.EVENT_TYPE_OUTPUT).addOutputs(text),
                event(EventType.EVENT_TYPE_OUTPUT_BATCH).addAllOutputs(List.of(text, bytes)));

        String shown = shown(task);
        assertHidden(shown, "text ***");
        assertThat(doors.api.get("/v1/jobs/" + task.getJobId() + "/events").body())
                .contains(Base64.getEncoder().encodeToString("\0***".getBytes(UTF_8)));
    }

    @Test
    void are_not_in_failures_of_hooks() {
        DequeueJobResponse task = running();
        fail(rpc, task);
        rpc.jobs.takeHooks(
                TakeHooksRequest.newBuilder().addDefinitions("far.login@1").build());
        rpc.jobs.completeHooks(CompleteHooksRequest.newBuilder()
                .setJobId(task.getJobId())
                .addFailures("hook with " + SECRET)
                .build());

        assertHidden(shown(task), "hook with ***");
    }

    @Test
    void of_an_environment_are_hidden_too() {
        DequeueJobResponse task = running("{\"env\":{\"PASSWORD\":\"" + SECRET + "\"}}");
        fail(rpc, task);

        assertHidden(shown(task), "failed with ***");
    }

    @Test
    void are_hidden_by_a_server_that_did_not_hand_out_the_job() {
        DequeueJobResponse task = running();
        try (LonghaulServer server = LonghaulServer.start(doors.longhaul(), Doors.AT_ONCE);
                var other = new Rpc(server.port())) {
            progress(other, task);
            publish(other, task, event(EventType.EVENT_TYPE_LOG).setPayload("{\"message\":\"log " + SECRET + "\"}"));
            fail(other, task);
        }

        assertHidden(shown(task), "at ***", "log ***", "failed with ***");
    }

    @Test
    void stay_hidden_when_the_definition_is_registered_without_a_schema_meanwhile() {
        DequeueJobResponse task = running();
        rpc.jobs.registerDefinitions(RegisterDefinitionsRequest.newBuilder()
                .addDefinitions(RegisterDefinitionsRequest.Definition.newBuilder()
                        .setDefinition("far.login@1")
                        .setParamsSchema("true"))
                .build());
        try (LonghaulServer server = LonghaulServer.start(doors.longhaul(), Doors.AT_ONCE);
                var other = new Rpc(server.port())) {
            progress(other, task);
            fail(other, task);
        }

        assertHidden(shown(task), "at ***", "failed with ***");
    }

    @Test
    void of_others_stay_as_they_are() {
        String id = rpc.enqueue(QUEUE, "{\"password\":\"" + SECRET + "\"}");
        DequeueJobResponse task = rpc.dequeueOne(QUEUE);
        fail(rpc, task);

        assertThat(doors.api.get("/v1/jobs/" + id).body()).contains("failed with " + SECRET);
    }
}
