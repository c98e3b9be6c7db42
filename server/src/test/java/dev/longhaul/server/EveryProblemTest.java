package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.server.Api.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A rejected request gets all problems at once, with its own field names and values, whichever layer found them. */
class EveryProblemTest {
    @RegisterExtension
    final Doors doors = new Doors();

    private List<String> problems(String method, String path, @Nullable String body) {
        Reply reply = doors.api.send(method, path, body);
        assertThat(reply.status()).as(reply.body()).isEqualTo(400);
        var problems = new ArrayList<String>();
        reply.json()
                .get("errors")
                .forEach(error -> problems.add(
                        error.get("field").asText() + "=" + error.get("value").asText()));
        return problems;
    }

    @Test
    void of_new_jobs_are_listed() {
        assertThat(problems("POST", "/v1/jobs", """
            {"definitionKey":"test.wait","timeoutSeconds":-1,"delaySeconds":-4,"priority":5000}\
            """))
                .containsExactlyInAnyOrder("timeoutSeconds=-1", "delaySeconds=-4", "priority=5000");
        assertThat(problems("POST", "/v1/jobs", "{\"definitionKey\":\"no.such\",\"priority\":5000,\"timeout\":1}"))
                .containsExactlyInAnyOrder("definitionKey=no.such", "priority=5000", "timeout=unknown field");
        assertThat(problems("POST", "/v1/jobs/batch", """
            {"jobs":[1,{"definitionKey":"test.wait","timeoutSeconds":-1},{"x":1}]}\
            """))
                .containsExactlyInAnyOrder(
                        "jobs[0]=1",
                        "jobs[1].timeoutSeconds=-1",
                        "jobs[2].definitionKey=missing",
                        "jobs[2].x=unknown field");
        assertThat(problems("POST", "/v1/jobs/batch", """
            {"jobs":[{"definitionKey":"no.such","delaySeconds":-4}]}\
            """))
                .containsExactlyInAnyOrder("jobs[0].definitionKey=no.such", "jobs[0].delaySeconds=-4");
    }

    @Test
    void of_changes_are_listed() {
        String job = "/v1/jobs/" + doors.start("test.wait", ",\"hold\":true");
        assertThat(problems("PATCH", job, """
            {"priority":9999,"maxAttempts":0,"queue":"q","delaySeconds":-1}\
            """))
                .containsExactlyInAnyOrder("priority=9999", "maxAttempts=0", "queue=unknown field", "delaySeconds=-1");
        assertThat(problems("POST", job + "/cancel", "{\"graceSeconds\":-5,\"reason\":5}"))
                .containsExactlyInAnyOrder("graceSeconds=-5", "reason=5");
        assertThat(problems("POST", job + "/cancel", "{\"graceSeconds\":-5}")).containsExactly("graceSeconds=-5");
        assertThat(problems("POST", "/v1/jobs/cancel", "{\"name\":\"\",\"queue\":\" \"}"))
                .containsExactlyInAnyOrder("name=empty", "queue=empty");
        assertThat(problems("POST", "/v1/jobs/cancel", "{\"name\":\"a\\u0000\",\"reason\":5}"))
                .containsExactlyInAnyOrder("name=text with a NUL", "reason=5");
        assertThat(problems("GET", job + "/events?types=foo,bar", null)).containsExactly("types=foo", "types=bar");
    }

    @Test
    void of_a_parameter_names_the_right_one() {
        assertThat(doors.api.get("/v1/jobs?label=a%3D1").body()).contains("label.<key>");
        assertThat(doors.api.get("/v1/jobs?view=full&fields=result").body())
                .contains("\"fields\"", "no fields with view=full");
        assertThat(doors.api.get("/v1/jobs?view=full&name=a").status()).isEqualTo(200);
    }

    @Test
    void of_keys_definitions_and_queues_are_listed() {
        assertThat(problems("POST", "/v1/keys", "{\"name\":\"\",\"role\":\"king\"}"))
                .containsExactlyInAnyOrder("name=", "role=king");
        assertThat(problems("PUT", "/v1/definitions/a@0", """
            {"paramsSchema":{"pattern":"a"},"queue":"a b","timeoutSeconds":-1}\
            """))
                .contains("definitionVersion=0", "queue=a b", "timeoutSeconds=-1")
                .anySatisfy(problem -> assertThat(problem).startsWith("paramsSchema"));
        assertThat(problems("PUT", "/v1/queues/a%20b", "{\"maxDepth\":-1}"))
                .containsExactlyInAnyOrder("queue=a b", "maxDepth=-1");
        assertThat(problems("POST", "/v1/queues/a%20b/pause", "{\"note\":5}"))
                .containsExactlyInAnyOrder("queue=a b", "note=5");
    }
}
