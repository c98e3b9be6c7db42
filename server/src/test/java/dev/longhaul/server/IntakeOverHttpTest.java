package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Longhaul;
import dev.longhaul.access.Role;
import dev.longhaul.contract.InterceptedStore;
import dev.longhaul.contract.intake.MemoryIntake;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.IntakeMode;
import dev.longhaul.intake.IntakeStore;
import dev.longhaul.intake.IntakeWriter;
import dev.longhaul.job.JobId;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.rpc.v1.CancelJobRequest;
import dev.longhaul.rpc.v1.CancelJobResponse;
import dev.longhaul.rpc.v1.EnqueueJobRequest;
import dev.longhaul.rpc.v1.EnqueueJobResponse;
import dev.longhaul.rpc.v1.GetJobRequest;
import dev.longhaul.rpc.v1.JobState;
import dev.longhaul.spi.Store;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server with an intake, whose store is unavailable for some time. */
class IntakeOverHttpTest {
    private static final String ECHO = "{\"definitionKey\":\"test.echo\",\"params\":{\"name\":\"a\",\"number\":1}%s}";

    private final MemoryStore memory = new MemoryStore();
    private final MemoryIntake intake = new MemoryIntake(4, InstantSource.system());
    private volatile boolean available = true;
    private final Store failing = InterceptedStore.of(memory, (method, arguments, call) -> {
        if (!available) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "database unavailable");
        }
        return call.goOn();
    });
    private final Doors doors =
            new Doors(Longhaul.builder().store(new IntakeStore(failing, intake, IntakeMode.UNAVAILABLE)));
    private final String key = doors.key("ops", Role.OPERATOR);
    private final Api api = doors.api.withKey(key);

    @AfterEach
    void close() {
        available = true;
        doors.close();
    }

    private JsonNode accepted(Api.Reply reply) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(202);
        return reply.json();
    }

    private String submit(String more) {
        JsonNode job = accepted(api.post("/v1/jobs", ECHO.formatted(more)));
        assertThat(job.get("deferred").asBoolean()).isTrue();
        return job.get("jobId").asText();
    }

    private void beginOutage() {
        // The server knows its definitions and the key from before.
        assertThat(accepted(api.post("/v1/jobs", ECHO.formatted(""))).has("deferred"))
                .isFalse();
        available = false;
    }

    @SuppressWarnings("try") // The writer runs until it is closed.
    private void store() {
        try (var writer = IntakeWriter.start(failing, intake::join)) {
            Counting.await("the log is stored", () -> {
                JsonNode state = api.get("/v1/intake").json();
                return state.get("partitions").size() == 4
                        && state.get("waiting").asLong() == 0;
            });
        }
    }

    @Test
    void accepts_jobs_during_an_outage_and_runs_them_afterwards() {
        beginOutage();
        String id = submit("");
        JsonNode batch =
                accepted(api.post("/v1/jobs/batch", "{\"jobs\":[" + ECHO.formatted(",\"delaySeconds\":60") + "]}"));
        assertThat(batch.at("/jobs/0/deferred").asBoolean()).isTrue();
        assertThat(batch.at("/jobs/0/status").asText()).isEqualTo("scheduled");
        assertThat(api.get("/v1/jobs/" + id).status()).isEqualTo(503);
        assertThat(api.post("/v1/jobs/" + id + "/retry", "").status()).isEqualTo(503);

        available = true;
        for (String path : new String[] {"", "/status"}) {
            Api.Reply waiting = api.get("/v1/jobs/" + id + path);
            assertThat(accepted(waiting).toString()).isEqualTo("{\"jobId\":\"" + id + "\",\"deferred\":true}");
            assertThat(waiting.header("retry-after")).isEqualTo("1");
        }
        store();

        Counting.await(
                "the job has run",
                () -> "succeeded"
                        .equals(api.get("/v1/jobs/" + id).json().get("status").asText()));
        assertThat(api.get("/v1/jobs/" + JobId.next()).status()).isEqualTo(404);
    }

    @Test
    void cancels_and_edits_a_job_that_is_not_stored_yet() {
        beginOutage();
        String id = submit(",\"hold\":true");

        assertThat(accepted(api.send("PATCH", "/v1/jobs/" + id, "{\"name\":\"edited\"}"))
                        .get("deferred")
                        .asBoolean())
                .isTrue();
        available = true;
        assertThat(accepted(api.post("/v1/jobs/" + id + "/cancel", ""))
                        .get("deferred")
                        .asBoolean())
                .isTrue();
        store();

        JsonNode job = api.get("/v1/jobs/" + id).json();
        assertThat(job.get("status").asText()).isEqualTo("cancelled");
        assertThat(job.get("name").asText()).isEqualTo("edited");
    }

    @Test
    void the_id_of_a_repeated_request_leads_to_the_first_job() {
        beginOutage();
        String first = submit(",\"idempotencyKey\":\"k\"");
        available = true;
        store();
        available = false;
        String second = submit(",\"idempotencyKey\":\"k\"");
        available = true;
        store();

        assertThat(second).isNotEqualTo(first);
        assertThat(api.get("/v1/jobs/" + second).json().get("jobId").asText()).isEqualTo(first);
    }

    @Test
    void accepts_jobs_and_cancels_over_rpc() {
        try (var rpc = new Rpc(doors.port(), key)) {
            var request = EnqueueJobRequest.newBuilder().setQueue("far").build();
            assertThat(rpc.jobs.enqueueJob(request).getDeferred()).isFalse();
            available = false;
            EnqueueJobResponse accepted = rpc.jobs.enqueueJob(request);
            assertThat(accepted.getDeferred()).isTrue();
            assertThat(accepted.getState()).isEqualTo(JobState.JOB_STATE_QUEUED);

            available = true;
            var get = GetJobRequest.newBuilder().setJobId(accepted.getJobId()).build();
            assertThat(catchThrowableOfType(StatusRuntimeException.class, () -> rpc.jobs.getJob(get))
                            .getStatus()
                            .getCode())
                    .isEqualTo(Status.Code.UNAVAILABLE);
            CancelJobResponse cancel = rpc.jobs.cancelJob(
                    CancelJobRequest.newBuilder().setJobId(accepted.getJobId()).build());
            assertThat(cancel.getDeferred()).isTrue();
            assertThat(cancel.hasJob()).isFalse();
            store();

            assertThat(rpc.jobs.getJob(get).getJob().getState()).isEqualTo(JobState.JOB_STATE_CANCELLED);
        }
    }

    @Test
    void requires_a_key_during_an_outage_too() {
        beginOutage();

        assertThat(doors.api
                        .withKey("lh_guess")
                        .post("/v1/jobs", ECHO.formatted(""))
                        .status())
                .isEqualTo(503);
        assertThat(doors.api.post("/v1/jobs", ECHO.formatted("")).status()).isEqualTo(401);
    }

    @Test
    void reports_that_there_is_no_intake() {
        try (var without = new Doors()) {
            assertThat(without.api.get("/v1/intake").json().toString())
                    .isEqualTo("{\"enabled\":false,\"waiting\":0,\"partitions\":[]}");
        }
    }
}
