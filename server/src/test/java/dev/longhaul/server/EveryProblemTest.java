package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.server.Api.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A request that is refused is told everything at once, by the names and values that it had, whoever found the problem. */
class EveryProblemTest {
    @RegisterExtension
    final Doors doors = new Doors();

    private List<String> told(String method, String path, @Nullable String body) {
        Reply reply = doors.api.send(method, path, body);
        assertThat(reply.status()).as(reply.body()).isEqualTo(400);
        var told = new ArrayList<String>();
        reply.json()
                .get("errors")
                .forEach(error -> told.add(
                        error.get("field").asText() + "=" + error.get("value").asText()));
        return told;
    }

    @Test
    void is_told_of_new_jobs() {
        assertThat(told("POST", "/v1/jobs", """
            {"definitionKey":"test.wait","timeoutSeconds":-1,"delaySeconds":-4,"priority":5000}\
            """))
                .containsExactlyInAnyOrder("timeoutSeconds=-1", "delaySeconds=-4", "priority=5000");
        assertThat(told("POST", "/v1/jobs", "{\"definitionKey\":\"no.such\",\"priority\":5000,\"timeout\":1}"))
                .containsExactlyInAnyOrder("definitionKey=no.such", "priority=5000", "timeout=unknown field");
        assertThat(told("POST", "/v1/jobs/batch", """
            {"jobs":[1,{"definitionKey":"test.wait","timeoutSeconds":-1},{"x":1}]}\
            """))
                .containsExactlyInAnyOrder(
                        "jobs[0]=1",
                        "jobs[1].timeoutSeconds=-1",
                        "jobs[2].definitionKey=missing",
                        "jobs[2].x=unknown field");
        assertThat(told("POST", "/v1/jobs/batch", """
            {"jobs":[{"definitionKey":"no.such","delaySeconds":-4}]}\
            """))
                .containsExactlyInAnyOrder("jobs[0].definitionKey=no.such", "jobs[0].delaySeconds=-4");
    }

    @Test
    void is_told_of_changes() {
        String job = "/v1/jobs/" + doors.start("test.wait", ",\"hold\":true");
        assertThat(told("PATCH", job, """
            {"priority":9999,"maxAttempts":0,"queue":"q","delaySeconds":-1}\
            """))
                .containsExactlyInAnyOrder("priority=9999", "maxAttempts=0", "queue=unknown field", "delaySeconds=-1");
        assertThat(told("POST", job + "/cancel", "{\"graceSeconds\":-5,\"reason\":5}"))
                .containsExactlyInAnyOrder("graceSeconds=-5", "reason=5");
        assertThat(told("POST", job + "/cancel", "{\"graceSeconds\":-5}")).containsExactly("graceSeconds=-5");
        assertThat(told("POST", "/v1/jobs/cancel", "{\"name\":\"a\\u0000\",\"reason\":5}"))
                .containsExactlyInAnyOrder("name=text with a NUL", "reason=5");
        assertThat(told("GET", job + "/events?types=foo,bar", null)).containsExactly("types=foo", "types=bar");
    }

    @Test
    void of_a_parameter_names_the_right_one() {
        assertThat(doors.api.get("/v1/jobs?label=a%3D1").body()).contains("label.<key>");
        assertThat(doors.api.get("/v1/jobs?view=full&fields=result").body())
                .contains("\"fields\"", "no fields with view=full");
        assertThat(doors.api.get("/v1/jobs?view=full&name=a").status()).isEqualTo(200);
    }

    @Test
    void is_told_of_what_surrounds_jobs() {
        assertThat(told("POST", "/v1/keys", "{\"name\":\"\",\"role\":\"king\"}"))
                .containsExactlyInAnyOrder("name=", "role=king");
        assertThat(told("PUT", "/v1/definitions/a@0", """
            {"paramsSchema":{"pattern":"a"},"queue":"a b","timeoutSeconds":-1}\
            """))
                .contains("definitionVersion=0", "queue=a b", "timeoutSeconds=-1")
                .anySatisfy(problem -> assertThat(problem).startsWith("paramsSchema"));
        assertThat(told("PUT", "/v1/queues/a%20b", "{\"maxDepth\":-1}"))
                .containsExactlyInAnyOrder("queue=a b", "maxDepth=-1");
        assertThat(told("POST", "/v1/queues/a%20b/pause", "{\"note\":5}"))
                .containsExactlyInAnyOrder("queue=a b", "note=5");
    }
}
