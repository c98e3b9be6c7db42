package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.access.AuditEntry;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.rpc.v1.CancelJobRequest;
import dev.longhaul.rpc.v1.RegisterDefinitionsRequest;
import dev.longhaul.server.access.Keys;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Audit entries of requests over REST and RPC. */
class AuditTrailTest {
    @RegisterExtension
    final Doors doors = new Doors();

    private final Keys.Created boss =
            Keys.create(doors.longhaul().store().access(), "boss", Rights.of(Role.ADMIN), "test");
    private final Api admin = doors.api.withKey(boss.secret());

    private List<AuditEntry> trail(String action) {
        return doors.longhaul().store().access().audit(null, 500).stream()
                .filter(entry -> entry.action().equals(action))
                .toList();
    }

    private String held() {
        return admin.post(
                        "/v1/jobs",
                        "{\"definitionKey\":\"test.echo\",\"hold\":true," + "\"params\":{\"name\":\"a\",\"number\":1}}")
                .json()
                .get("jobId")
                .asText();
    }

    private static void eventually(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Test
    void a_cancel_is_recorded_alike_over_rest_rpc_and_in_bulk() {
        String byRest = held();
        String byRpc = held();
        String inBulk = held();
        admin.post("/v1/jobs/" + byRest + "/cancel", "{\"reason\":\"late\"}");
        try (var rpc = new Rpc(doors.port(), boss.secret())) {
            rpc.jobs.cancelJob(CancelJobRequest.newBuilder()
                    .setJobId(byRpc)
                    .setReason("late")
                    .build());
        }
        admin.post("/v1/jobs/cancel", "{\"queue\":\"default\",\"reason\":\"late\"}");

        List<AuditEntry> cancels = trail("job.cancel");
        assertThat(cancels).extracting(AuditEntry::subject).containsExactly(inBulk, byRpc, byRest);
        assertThat(cancels).allSatisfy(entry -> {
            assertThat(entry.actor()).isEqualTo("boss");
            assertThat(entry.actorKeyId()).isEqualTo(boss.key().id());
            assertThat(entry.detail()).isEqualTo("{\"reason\":\"late\"}");
        });
        assertThat(trail("jobs.cancel")).extracting(AuditEntry::subject).containsExactly("1 jobs");
    }

    @Test
    void a_definition_registered_over_rpc_is_recorded() {
        try (var rpc = new Rpc(doors.port(), doors.key("far", Role.WORKER))) {
            var definition = RegisterDefinitionsRequest.Definition.newBuilder()
                    .setDefinition("video@1")
                    .setQueue("video");
            rpc.jobs.registerDefinitions(RegisterDefinitionsRequest.newBuilder()
                    .addDefinitions(definition)
                    .build());
        }
        assertThat(trail("definition.register")).singleElement().satisfies(entry -> {
            assertThat(entry.actor()).isEqualTo("far");
            assertThat(entry.subject()).isEqualTo("video@1");
            assertThat(entry.detail()).contains("\"queue\":{\"from\":null,\"to\":\"video\"}");
        });
    }

    @Test
    void sessions_are_recorded_when_they_open_and_close() {
        var opened = doors.api
                .with("Origin", "http://127.0.0.1:" + doors.port())
                .post("/v1/session", "{\"key\":\"" + boss.secret() + "\"}");
        String cookie = opened.header("set-cookie").split(";", 2)[0];
        doors.api
                .with("Cookie", cookie)
                .with("Origin", "http://127.0.0.1:" + doors.port())
                .send("DELETE", "/v1/session", null);
        for (String action : List.of("session.open", "session.close")) {
            assertThat(trail(action)).singleElement().satisfies(entry -> {
                assertThat(entry.actorKeyId()).isEqualTo(boss.key().id());
                assertThat(entry.subject()).isEqualTo(boss.key().id().toString());
            });
        }
    }

    /**
     * The timeout is shorter than the minute for which rejections are counted: a stopping server must not wait for its
     * end.
     */
    @Test
    @Timeout(45)
    void wrong_keys_are_recorded_once_and_counted() {
        for (int i = 0; i < 10; i++) {
            assertThat(doors.api.withKey("lh_wrong" + i).get("/v1/keys").status())
                    .isEqualTo(401);
        }
        eventually(() -> !trail("access.wrongKey").isEmpty());
        assertThat(trail("access.wrongKey")).hasSize(1);
        doors.server().close();
        assertThat(trail("access.wrongKey")).extracting(AuditEntry::detail).containsExactly("{\"repeated\":9}", null);
        assertThat(trail("access.wrongKey")).extracting(AuditEntry::subject).containsOnly("127.0.0.1");
    }

    @Test
    void denied_requests_are_recorded_over_rest_and_rpc() {
        String viewer = doors.key("curious", Role.VIEWER);
        assertThat(doors.api.withKey(viewer).get("/v1/keys").status()).isEqualTo(403);
        String job = held();
        assertThat(doors.api
                        .withKey(viewer)
                        .get("/v1/jobs/" + job + "?view=full")
                        .status())
                .isEqualTo(403);
        try (var rpc = new Rpc(doors.port(), viewer)) {
            var denied = catchThrowableOfType(
                    StatusRuntimeException.class,
                    () -> rpc.jobs.cancelJob(
                            CancelJobRequest.newBuilder().setJobId(job).build()));
            assertThat(denied.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
        }
        eventually(() -> trail("access.denied").size() == 3);
        assertThat(trail("access.denied")).extracting(AuditEntry::actor).containsOnly("curious");
        assertThat(trail("access.denied"))
                .extracting(AuditEntry::subject)
                .containsExactlyInAnyOrder("GET /v1/keys", "GET /v1/jobs/{id}", "longhaul.v1.JobService/CancelJob");
    }

    @Test
    void a_full_view_is_recorded_once_a_minute() {
        String job = held();
        admin.get("/v1/jobs/" + job + "?view=full");
        admin.get("/v1/jobs/" + job + "?view=full");
        admin.get("/v1/jobs/" + job);
        assertThat(trail("job.viewFull")).extracting(AuditEntry::subject).containsExactly(job);
    }

    @Test
    void the_api_shows_the_key_and_what_changed() {
        String id = admin.post("/v1/webhooks", "{\"url\":\"https://a.example.com/x\",\"events\":[\"job.started\"]}")
                .json()
                .get("id")
                .asText();
        admin.send("PATCH", "/v1/webhooks/" + id, "{\"url\":\"https://b.example.com/x\"}");
        JsonNode newest = admin.get("/v1/audit?limit=1").json().get("entries").get(0);
        assertThat(newest.get("actorKeyId").asText()).isEqualTo(boss.key().id().toString());
        assertThat(newest.at("/detail/changes/url/from").asText()).isEqualTo("https://a.example.com/x");
        assertThat(newest.at("/detail/changes/url/to").asText()).isEqualTo("https://b.example.com/x");
    }
}
