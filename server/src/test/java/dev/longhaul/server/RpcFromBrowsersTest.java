package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Longhaul;
import dev.longhaul.server.access.Callers;
import dev.longhaul.server.access.RequestRates;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** CORS: pages of other sites that call the RPC services. */
class RpcFromBrowsersTest {
    private static final String APP = "https://app.example.com";
    private static final String ENQUEUE = "/longhaul.v1.JobService/EnqueueJob";

    private final Longhaul longhaul = Longhaul.builder().memory().start();
    private final LonghaulServer server = LonghaulServer.start(
            longhaul,
            ServerConfig.LOCAL.withCallers(
                    new Callers(null, List.of(), List.of(), List.of(APP), RequestRates.USUAL, null)));

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
    }

    private HttpResponse<String> send(String method, String path, String origin, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .header("Origin", origin)
                .headers(headers)
                .method(method, HttpRequest.BodyPublishers.ofString(method.equals("POST") ? "{}" : ""));
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void allowed_origins_may_call_and_others_may_not() throws Exception {
        var asked = send(
                "OPTIONS",
                ENQUEUE,
                APP,
                "Access-Control-Request-Method",
                "POST",
                "Access-Control-Request-Headers",
                "content-type,connect-protocol-version,authorization");
        assertThat(asked.headers().firstValue("access-control-allow-origin")).hasValue(APP);
        assertThat(asked.headers().firstValue("access-control-allow-headers").orElse(""))
                .contains("connect-protocol-version");
        var called = post(ENQUEUE, APP);
        assertThat(called.statusCode()).as(called.body()).isEqualTo(200);
        assertThat(called.headers().firstValue("access-control-allow-origin")).hasValue(APP);
        assertThat(post(ENQUEUE, "https://evil.example").statusCode()).isEqualTo(403);
        assertThat(post("/v1/jobs", APP).statusCode()).isEqualTo(403);
    }

    private HttpResponse<String> post(String path, String origin) throws Exception {
        return send("POST", path, origin, "Content-Type", "application/json");
    }
}
