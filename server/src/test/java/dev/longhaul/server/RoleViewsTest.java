package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.access.Role;
import dev.longhaul.server.access.Keys;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The fields of a job that a role sees, compared with a copy of the contract's section on job views. */
class RoleViewsTest {
    private static final List<String> ALL_ROLES = List.of(
            "jobId",
            "name",
            "definitionKey",
            "definitionVersion",
            "queue",
            "status",
            "priority",
            "progress",
            "result",
            "error",
            "createdAt",
            "updatedAt",
            "runAt",
            "startedAt",
            "finishedAt",
            "correlationId",
            "labels",
            "schedule");

    @RegisterExtension
    final Doors doors = new Doors();

    private Api viewer = doors.api;
    private Api submitter = doors.api;
    private Api operator = doors.api;

    @BeforeEach
    void keys() {
        viewer = with(Role.VIEWER);
        submitter = with(Role.SUBMITTER);
        operator = with(Role.OPERATOR);
    }

    private Api with(Role role) {
        return doors.api.withKey(Keys.create(doors.longhaul().store().access(), role.text(), role, "test")
                .secret());
    }

    private String ended(String body) {
        String id = submitter.post("/v1/jobs", body).json().get("jobId").asText();
        assertThat(operator.get("/v1/jobs/" + id + "?waitSeconds=20").status()).isEqualTo(200);
        return id;
    }

    private static List<String> names(JsonNode object) {
        var names = new ArrayList<String>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    @Test
    void of_a_job_is_cut() {
        String id = ended("{\"definitionKey\":\"test.fail\",\"params\":{\"a\":1},\"name\":\"n\"}");

        for (Api ordinary : List.of(viewer, submitter)) {
            JsonNode job = ordinary.get("/v1/jobs/" + id).json();
            assertThat(names(job)).isSubsetOf(ALL_ROLES);
            assertThat(names(job.get("error"))).containsExactly("code", "message");
            assertThat(ordinary.get("/v1/jobs").json().get("jobs").get(0)).isEqualTo(job);
            assertThat(ordinary.get("/v1/jobs/" + id + "?view=full").status()).isEqualTo(403);
            assertThat(ordinary.get("/v1/jobs?view=full").status()).isEqualTo(403);
            assertThat(ordinary.get("/v1/jobs?createdBy=submitter").status()).isEqualTo(403);
        }
        assertThat(names(operator.get("/v1/jobs/" + id).json()))
                .contains("attempts", "maxAttempts", "queuedAt", "createdBy")
                .doesNotContain("params", "lease");
        assertThat(operator.get("/v1/jobs?createdBy=submitter").json().get("jobs"))
                .hasSize(1);
        JsonNode full = operator.get("/v1/jobs/" + id + "?view=full").json();
        assertThat(names(full)).contains("params");
        assertThat(names(full.get("error"))).contains("stack");
    }

    @Test
    void of_a_run_is_cut() {
        String id = ended("{\"definitionKey\":\"test.fail\"}");

        for (String path : List.of("/runs", "/status")) {
            JsonNode cut = run(viewer, id, path);
            assertThat(names(cut)).doesNotContain("attempt", "executorId").contains("run", "status", "logUrl");
            assertThat(names(cut.get("error"))).containsExactly("code", "message");
            assertThat(names(run(operator, id, path))).contains("attempt", "executorId");
        }
    }

    private static JsonNode run(Api api, String id, String path) {
        JsonNode answer = api.get("/v1/jobs/" + id + path).json();
        return path.equals("/runs") ? answer.get("runs").get(0) : answer.get("latestRun");
    }

    @Test
    void of_events_is_cut() {
        String id = submitter
                .post("/v1/jobs", "{\"definitionKey\":\"test.wait\",\"hold\":true}")
                .json()
                .get("jobId")
                .asText();
        operator.post("/v1/jobs/" + id + "/cancel", "{\"reason\":\"confidential reason\"}");
        String path = "/v1/jobs/" + id + "/events";

        assertThat(operator.get(path).body()).contains("confidential reason", "\"by\":\"operator\"");
        assertThat(viewer.get(path).body()).contains("\"cancelled\"").doesNotContain("confidential reason", "\"by\"");
        assertThat(viewer.with("Accept", "text/event-stream").get(path).body())
                .contains("event: cancelled")
                .doesNotContain("confidential reason", "\"by\"");
        assertThat(operator.with("Accept", "text/event-stream").get(path).body())
                .contains("confidential reason");
        assertThat(viewer.with("Accept", "text/event-stream;q=0, application/json")
                        .get(path)
                        .body())
                .startsWith("{\"events\":");
    }
}
