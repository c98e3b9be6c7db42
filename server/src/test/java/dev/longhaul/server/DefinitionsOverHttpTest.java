package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.job.JobId;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Declaring and deleting definitions over REST. */
class DefinitionsOverHttpTest {
    private static final String LOGIN = "/v1/definitions/test.login@1";

    @RegisterExtension
    final Doors doors = new Doors();

    private JsonNode put(String path, String body) {
        var reply = doors.api.send("PUT", path, body);
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        return reply.json();
    }

    private JsonNode login() {
        return doors.api.get(LOGIN).json().get("definitions").get(0);
    }

    @Nested
    class Put {
        @Test
        void changes_only_what_it_names() {
            JsonNode before = login();
            JsonNode after = put(LOGIN, "{\"concurrencyLimit\":3}");

            assertThat(after.get("concurrencyLimit").asInt()).isEqualTo(3);
            assertThat(after.get("source").asText()).isEqualTo("operator");
            for (String field :
                    new String[] {"paramsSchema", "resultSchema", "queue", "maxAttempts", "timeoutSeconds"}) {
                assertThat(after.get(field)).as(field).isEqualTo(before.get(field));
            }
            put(LOGIN, "{\"maxAttempts\":9}");
            assertThat(login().get("concurrencyLimit").asInt()).isEqualTo(3);
        }

        @Test
        void keeps_secrets_masked_and_params_checked() {
            String id = doors.start("test.login", ",\"params\":{\"user\":\"u\",\"password\":\"hunter2-put\"}");
            doors.await(id, "succeeded");
            put(LOGIN, "{\"concurrencyLimit\":3}");

            assertThat(doors.api.get("/v1/jobs/" + id + "?view=full").body())
                    .contains("***")
                    .doesNotContain("hunter2-put");
            assertThat(doors.api
                            .post("/v1/jobs", "{\"definitionKey\":\"test.login\",\"params\":{\"user\":7}}")
                            .status())
                    .isEqualTo(400);
        }

        @Test
        void with_a_null_resets_a_field_to_the_registered_value() {
            JsonNode before = login();
            put(LOGIN, "{\"paramsSchema\":true,\"queue\":\"elsewhere\",\"maxAttempts\":9}");
            put(LOGIN, "{\"paramsSchema\":null,\"queue\":null}");
            assertThat(login().get("paramsSchema")).isEqualTo(before.get("paramsSchema"));
            assertThat(login().get("queue")).isEqualTo(before.get("queue"));
            assertThat(login().get("maxAttempts").asInt()).isEqualTo(9);

            put(LOGIN, "{\"maxAttempts\":null}");
            assertThat(login().get("source").asText()).isEqualTo("worker");
        }

        @Test
        void of_a_schema_without_marks_does_not_unmask_older_jobs() {
            String id = doors.start("test.login", ",\"params\":{\"user\":\"u\",\"password\":\"hunter2-old\"}");
            doors.await(id, "succeeded");
            put(LOGIN, "{\"paramsSchema\":true,\"resultSchema\":true}");

            assertThat(doors.api.get("/v1/jobs/" + id + "?view=full").body()).doesNotContain("hunter2-old");
        }
    }

    @Nested
    class Delete {
        private int delete(String path) {
            return doors.api.send("DELETE", path, null).status();
        }

        @Test
        void removes_a_definition_and_is_audited() {
            put("/v1/definitions/video.cut@3", "{\"queue\":\"video\"}");
            assertThat(delete("/v1/definitions/video.cut@3")).isEqualTo(204);

            assertThat(doors.api.get("/v1/definitions/video.cut").status()).isEqualTo(404);
            assertThat(delete("/v1/definitions/video.cut@3")).isEqualTo(404);
            assertThat(delete("/v1/definitions/video.cut")).isEqualTo(400);
            assertThat(doors.api.get("/v1/audit").body()).contains("definition.delete", "video.cut@3");
        }

        @Test
        void is_refused_while_jobs_wait() {
            put("/v1/definitions/video.cut@3", "{\"queue\":\"video\"}");
            String id = doors.start("video.cut", "");
            assertThat(delete("/v1/definitions/video.cut@3")).isEqualTo(409);

            doors.api.post("/v1/jobs/" + id + "/cancel", "{}");
            assertThat(delete("/v1/definitions/video.cut@3")).isEqualTo(204);
        }

        @Test
        void is_refused_while_a_worker_runs_it() {
            var reply = doors.api.send("DELETE", "/v1/definitions/test.echo@1", null);
            assertThat(reply.status()).isEqualTo(409);
            String worker =
                    doors.longhaul().store().catalog().workers().get(0).report().workerId();
            assertThat(reply.json().get("detail").asText()).contains("test.echo@1", worker);
            assertThat(doors.api.get("/v1/definitions/test.echo").status()).isEqualTo(200);
        }

        @Test
        void leaves_secrets_masked() {
            put(
                    "/v1/definitions/far.login@1",
                    "{\"paramsSchema\":{\"properties\":{\"password\":{\"writeOnly\":true}}}}");
            String id = doors.start("far.login", ",\"params\":{\"password\":\"hunter2-gone\",\"size\":7}");
            doors.api.post("/v1/jobs/" + id + "/cancel", "{}");
            delete("/v1/definitions/far.login@1");

            assertThat(doors.longhaul()
                            .store()
                            .jobs()
                            .find(JobId.parse(id))
                            .orElseThrow()
                            .spec()
                            .params())
                    .contains("hunter2-gone");
            assertThat(doors.api
                            .get("/v1/jobs/" + id + "?view=full")
                            .json()
                            .get("params")
                            .toString())
                    .isEqualTo("{\"password\":\"***\",\"size\":7}");
        }
    }
}
