package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
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
    void serves_metrics_and_health_and_nothing_else() throws Exception {
        try (var port =
                MetricsPort.open(new MetricsPort.Config("127.0.0.1", 0), () -> "longhaul_leader 1.0\n", () -> {})) {
            assertThat(port.url()).matches("http://127.0.0.1:[0-9]+/metrics");
            HttpResponse<String> metrics = send(port.url(), "GET");
            assertThat(metrics.statusCode()).isEqualTo(200);
            assertThat(metrics.body()).isEqualTo("longhaul_leader 1.0\n");
            assertThat(metrics.headers().firstValue("Content-Type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain; version=0.0.4"));
            assertThat(send(port.url(), "HEAD").statusCode()).isEqualTo(200);
            assertThat(send(port.url(), "POST").statusCode()).isEqualTo(405);
            for (String health : List.of("/healthz", "/readyz")) {
                assertThat(send(at(port.url(), health), "GET").statusCode()).isEqualTo(200);
            }
            assertThat(send(at(port.url(), "/v1/jobs"), "GET").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void is_not_ready_for_the_reason_that_is_given() throws Exception {
        Runnable draining = () -> {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "draining");
        };
        try (var port = MetricsPort.open(new MetricsPort.Config("127.0.0.1", 0), () -> "", draining)) {
            HttpResponse<String> ready = send(at(port.url(), "/readyz"), "GET");
            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(ready.body()).isEqualTo("draining\n");
            assertThat(send(at(port.url(), "/healthz"), "GET").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void is_healthy_while_every_reader_of_the_database_hangs() throws Exception {
        var hanging = new CountDownLatch(1);
        var readers = new Semaphore(0);
        Runnable readiness = () -> {
            readers.release();
            try {
                hanging.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        try (var port = MetricsPort.open(new MetricsPort.Config("127.0.0.1", 0), () -> "", readiness)) {
            var waiting = new ArrayList<CompletableFuture<HttpResponse<String>>>();
            for (int i = 0; i < 4; i++) {
                waiting.add(HttpClient.newHttpClient()
                        .sendAsync(
                                HttpRequest.newBuilder(URI.create(at(port.url(), "/readyz")))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString()));
            }
            assertThat(readers.tryAcquire(4, 20, TimeUnit.SECONDS)).isTrue();
            assertThat(send(at(port.url(), "/healthz"), "GET").statusCode()).isEqualTo(200);
            assertThat(send(at(port.url(), "/readyz"), "GET").statusCode()).isEqualTo(503);
            assertThat(send(port.url(), "GET").statusCode()).isEqualTo(503);
            hanging.countDown();
            for (var one : waiting) {
                assertThat(one.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
            }
        }
    }

    private static String at(String metricsUrl, String path) {
        return metricsUrl.replace("/metrics", path);
    }

    @Test
    void that_is_taken_is_an_error_that_names_it() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var config = new MetricsPort.Config("127.0.0.1", taken.getLocalPort());
            assertThatThrownBy(() -> MetricsPort.open(config, () -> "", () -> {}))
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
                    assertThat(send(at(url(worker), "/readyz"), "GET").statusCode())
                            .isEqualTo(200);
                    postgres.crashServer();
                    HttpResponse<String> ready = send(at(url(worker), "/readyz"), "GET");
                    assertThat(ready.statusCode()).as(ready.body()).isEqualTo(503);
                    assertThat(send(at(url(worker), "/healthz"), "GET").statusCode())
                            .isEqualTo(200);
                }
            }
        }
    }
}
