package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A server without the code of a definition stores the secret places of its jobs, whatever schema an operator declares. */
@Timeout(300)
@Tag("full")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the embedded PostgreSQL is not for Windows")
class SecretsWithoutCodeTest {
    private static final String CANARY = "s3cret-c4nary";
    private static final String MARKED = "{\\\"properties\\\":{\\\"password\\\":{\\\"writeOnly\\\":true}}}";
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir
    Path directory;

    private static void put(LonghaulProcess server, String path, String body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(body))
                .build();
        assertThat(CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
    }

    private static String held(LonghaulProcess server, String key, String params) {
        var reply =
                server.post("/v1/jobs", "{\"definitionKey\":\"" + key + "\",\"hold\":true,\"params\":" + params + "}");
        assertThat(reply.status()).as(reply.body()).isEqualTo(202);
        return reply.json().get("jobId").asText();
    }

    @Test
    void a_declared_schema_exposes_no_secret_of_a_new_job() throws Exception {
        try (var postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(directory.resolve("database")))) {
            String url = "postgres://" + postgres.user() + ":" + postgres.password() + "@127.0.0.1:" + postgres.port()
                    + "/postgres";
            var environment = Map.of("LONGHAUL_STORE", url, "LONGHAUL_PORT", "0");
            try (var worker = LonghaulProcess.start(directory, environment, "server", "--role=api,worker")
                            .awaitReady();
                    var api = LonghaulProcess.start(directory, environment, "server", "--role=api")
                            .awaitReady()) {
                assertThat(worker.post(
                                        "/longhaul.v1.JobService/RegisterDefinitions",
                                        "{\"definitions\":[{\"definition\":\"far.login@1\",\"paramsSchema\":\"" + MARKED
                                                + "\"}]}")
                                .status())
                        .isEqualTo(200);
                put(api, "/v1/definitions/http@1", "{\"paramsSchema\":{}}");
                put(api, "/v1/definitions/far.login@1", "{\"paramsSchema\":{}}");
                String http = held(
                        api,
                        "http",
                        "{\"url\":\"http://127.0.0.1:1/\",\"headers\":{\"authorization\":\"" + CANARY + "\"}}");
                String login = held(api, "far.login", "{\"password\":\"" + CANARY + "\"}");

                for (LonghaulProcess server : new LonghaulProcess[] {api, worker}) {
                    for (String id : new String[] {http, login}) {
                        assertThat(server.get("/v1/jobs/" + id + "?view=full").body())
                                .contains(":\"***\"")
                                .doesNotContain(CANARY);
                    }
                }
            }
        }
    }
}
