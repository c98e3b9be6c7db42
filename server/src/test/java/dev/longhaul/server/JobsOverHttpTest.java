package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Longhaul;
import dev.longhaul.definition.JobDefinition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobsOverHttpTest {
    record Greeting(String name, long number) {}

    private final JobDefinition<Greeting, Greeting> echo =
            JobDefinition.of("test.echo", Greeting.class, Greeting.class).handler((greeting, context) -> greeting);
    private final Longhaul longhaul = Longhaul.builder().memory().register(echo).start();
    private final LonghaulServer server = LonghaulServer.start(longhaul, ServerConfig.LOCAL);
    private final Api api = new Api(server.port());

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
    }

    @Test
    void a_job_is_started_and_read() throws Exception {
        var reply = api.post(
                "/v1/jobs",
                "{\"definitionKey\":\"test.echo\",\"params\":{\"name\":\"Ada\",\"number\":9007199254740993},\"labels\":{\"team\":\"a\"}}");
        assertThat(reply.body()).isNotBlank();
        assertThat(reply.status()).isEqualTo(202);
        String id = reply.json().get("jobId").asText();
        assertThat(reply.header("location")).isEqualTo("/v1/jobs/" + id);
        JsonNode job = api.get("/v1/jobs/" + id).json();
        for (int i = 0; i < 100 && !job.get("status").asText().equals("succeeded"); i++) {
            Thread.sleep(20);
            job = api.get("/v1/jobs/" + id).json();
        }
        System.out.println(job.toPrettyString());
        System.out.println(api.get("/v1/jobs/" + id + "?view=full").body());
        System.out.println(
                api.get("/v1/jobs?limit=1&status=succeeded&label.team=a").body());
        System.out.println(api.get("/v1/jobs/" + id + "/events").body());
        System.out.println(api.get("/v1/jobs/" + id + "/runs").body());
        System.out.println(api.get("/v1/jobs/" + id + "/status").body());
        System.out.println(api.get("/v1/queues").body());
        System.out.println(api.get("/v1/stats").body());
        System.out.println(api.get("/v1/definitions").body());
        System.out.println(api.post("/v1/jobs", "{\"definitionKey\":\"test.ech\",\"x\":1,\"priority\":\"a\"}")
                .body());
        System.out.println(api.post("/v1/jobs/" + id + "/retry", null).body());
        System.out.println(api.get("/v1/nothing").body());
        System.out.println(api.send("PUT", "/v1/jobs", "{}").body());
        System.out.println(api.get("/readyz").body());
        assertThat(job.get("result").get("number").asLong()).isEqualTo(9007199254740993L);
    }
}
