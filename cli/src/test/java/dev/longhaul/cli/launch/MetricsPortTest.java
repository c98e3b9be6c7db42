package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.error.LonghaulException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsPortTest {
    @TempDir
    private Path directory;

    private static HttpResponse<String> send(String url, String method) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url)).method(method, HttpRequest.BodyPublishers.noBody());
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void serves_the_metrics_and_nothing_else() throws Exception {
        try (var port = MetricsPort.open(new MetricsConfig("127.0.0.1", 0), () -> "longhaul_leader 1.0\n")) {
            assertThat(port.url()).matches("http://127.0.0.1:[0-9]+/metrics");
            HttpResponse<String> metrics = send(port.url(), "GET");
            assertThat(metrics.statusCode()).isEqualTo(200);
            assertThat(metrics.body()).isEqualTo("longhaul_leader 1.0\n");
            assertThat(metrics.headers().firstValue("Content-Type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain; version=0.0.4"));
            assertThat(send(port.url(), "HEAD").statusCode()).isEqualTo(200);
            assertThat(send(port.url(), "POST").statusCode()).isEqualTo(405);
            assertThat(send(port.url().replace("/metrics", "/v1/jobs"), "GET").statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void that_is_taken_is_an_error_that_names_it() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var config = new MetricsConfig("127.0.0.1", taken.getLocalPort());
            assertThatThrownBy(() -> MetricsPort.open(config, () -> ""))
                    .isInstanceOf(LonghaulException.class)
                    .hasMessageContaining("metrics-port: " + taken.getLocalPort());
        }
    }

    @Nested
    @Tag("full")
    class OfAProcess {
        private static String url(LonghaulProcess process) {
            String line = process.awaitLine("longhaul: metrics at ");
            return line.substring(line.indexOf("http"));
        }

        @Test
        void needs_no_key_on_a_server_that_needs_one() throws Exception {
            try (var server = LonghaulProcess.start(
                            directory,
                            "server",
                            "--store=memory",
                            "--port=0",
                            "--metrics-port=0",
                            "--demo",
                            "--allow-commands")
                    .awaitReady()) {
                server.result(server.submit("demo.echo", "1"));
                assertThat(send(server.url() + "/metrics", "GET").statusCode()).isEqualTo(401);
                HttpResponse<String> metrics = send(url(server), "GET");
                assertThat(metrics.statusCode()).isEqualTo(200);
                assertThat(metrics.body())
                        .contains("longhaul_leader 1.0", "longhaul_jobs_enqueued_total{definition=\"demo.echo\"");
            }
        }

        @Test
        void is_there_on_a_worker_without_an_api() throws Exception {
            try (var postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(directory.resolve("database")))) {
                String store = "postgres://" + postgres.user() + ":" + postgres.password() + "@127.0.0.1:"
                        + postgres.port() + "/postgres";
                try (var worker = LonghaulProcess.start(
                                directory, Map.of("LONGHAUL_STORE", store), "worker", "--demo", "--metrics-port=0")
                        .awaitReady()) {
                    HttpResponse<String> metrics = send(url(worker), "GET");
                    assertThat(metrics.statusCode()).isEqualTo(200);
                    assertThat(metrics.body()).contains("longhaul_leases_expired_total", "hikaricp_connections");
                }
                postgres.crashServer();
            }
        }
    }
}
