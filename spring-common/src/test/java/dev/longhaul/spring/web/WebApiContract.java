package dev.longhaul.spring.web;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Longhaul;
import dev.longhaul.job.JobId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the dashboard and the API do inside an application, whatever its web framework. */
@Timeout(60)
public abstract class WebApiContract {
    private final Jobs jobs = new Jobs();
    private final Longhaul longhaul = jobs.start();
    private @Nullable Site started;

    /** Starts an application with Spring Security: users viewer, operator, admin and nobody, whose passwords are their names. */
    protected abstract Site secured(Longhaul longhaul) throws Exception;

    /** Starts an application without Spring Security. */
    protected abstract Site open(Longhaul longhaul) throws Exception;

    @AfterEach
    void stop() {
        jobs.gate.countDown();
        Site running = started;
        if (running != null) {
            running.close();
        }
        longhaul.close();
    }

    private Site site() {
        return Objects.requireNonNull(started);
    }

    private Client client(@Nullable String user) {
        return new Client(site().port(), user);
    }

    @Nested
    class BehindSpringSecurity {
        @BeforeEach
        void serve() throws Exception {
            started = secured(longhaul);
        }

        @Test
        void authorities_decide_about_the_role() {
            assertThat(client(null).get("/v1/jobs").status()).isEqualTo(401);
            assertThat(client("nobody").get("/v1/jobs").status()).isEqualTo(403);
            assertThat(client("nobody").get("/v1/jobs").json().get("detail").asText())
                    .contains("ROLE_LONGHAUL_VIEWER");
            assertThat(client("viewer").get("/v1/jobs").status()).isEqualTo(200);
            assertThat(client("viewer").get("/v1/workers").status()).isEqualTo(403);
            assertThat(client("operator").get("/v1/workers").status()).isEqualTo(200);
            assertThat(client("operator").session().get("role").asText()).isEqualTo("operator");
        }

        @Test
        void changes_need_the_csrf_token_and_are_audited_under_the_users_name() {
            Client operator = client("operator");
            assertThat(operator.post("/v1/queues/default/pause", "{}").status()).isEqualTo(403);
            operator.session();
            assertThat(operator.post("/v1/queues/default/pause", "{}").status()).isEqualTo(200);

            var entry = client("admin").get("/v1/audit").json().get("entries").get(0);
            assertThat(entry.get("actor").asText()).isEqualTo("operator");
            assertThat(entry.get("action").asText()).isEqualTo("queue.pause");
        }

        /** Programs keep no cookies, so each of their requests would leave a session behind. */
        @Test
        void a_request_without_cookies_opens_no_session() {
            assertThat(client("viewer").get("/v1/jobs").header("set-cookie")).isEmpty();
            assertThat(client("viewer").get("/").header("set-cookie")).isEmpty();
        }

        @Test
        void a_missing_role_is_audited() {
            assertThat(client("viewer").get("/v1/stats/database").status()).isEqualTo(403);
            assertThat(client("admin")
                            .get("/v1/audit")
                            .json()
                            .at("/entries/0/actor")
                            .asText())
                    .isIn("viewer", "");
        }

        @Test
        void submits_a_job_and_waits_for_its_result() {
            Client operator = client("operator");
            operator.session();
            var submitted =
                    operator.post("/v1/jobs", "{\"definitionKey\":\"test.greet\",\"params\":{\"name\":\"Ada\"}}");
            assertThat(submitted.status()).isEqualTo(202);
            String location = submitted.header("location");
            assertThat(location).startsWith("/app/longhaul/v1/jobs/");

            var job = operator.get(location.substring("/app/longhaul".length()) + "?waitSeconds=20")
                    .json();
            assertThat(job.get("status").asText()).isEqualTo("succeeded");
            assertThat(job.at("/result/name").asText()).isEqualTo("Ada");
        }

        @Test
        void a_long_poll_ends_with_the_current_state() {
            JobId id = longhaul.later(jobs.gated, new Jobs.Name("slow"));
            assertThat(client("viewer")
                            .get("/v1/jobs/" + id + "?waitSeconds=1")
                            .json()
                            .get("status")
                            .asText())
                    .isIn("queued", "running");
        }

        @Test
        void streams_the_events_of_a_job_until_its_end() throws IOException {
            JobId id = longhaul.later(jobs.gated, new Jobs.Name("slow"));
            var stream = client("viewer").stream("/v1/jobs/" + id + "/events");
            assertThat(stream.statusCode()).isEqualTo(200);
            assertThat(stream.headers().firstValue("content-type").orElse("")).startsWith("text/event-stream");
            try (var lines = new BufferedReader(new InputStreamReader(stream.body(), UTF_8))) {
                List<String> before = lines.lines()
                        .takeWhile(line -> !line.startsWith("data: ") || !line.contains("\"waiting\""))
                        .toList();
                assertThat(before).contains("event: started");
                jobs.gate.countDown();
                assertThat(lines.lines()).contains("event: succeeded", "event: end");
            }
            await(0);
        }

        @Test
        void streams_end_when_the_application_stops() throws IOException {
            var stream = client("viewer").stream("/v1/events");
            site().api().drain();
            try (var lines = new BufferedReader(new InputStreamReader(stream.body(), UTF_8))) {
                assertThat(lines.lines()).contains("event: drain");
            }
        }

        /** Unread data must not accumulate in the application. */
        @Test
        @Tag("full")
        void a_client_that_reads_nothing_is_disconnected() throws Exception {
            JobId id = longhaul.later(jobs.blobs, new Jobs.Name("large"));
            assertThat(client("viewer")
                            .get("/v1/jobs/" + id + "?waitSeconds=50")
                            .json()
                            .get("status")
                            .asText())
                    .isEqualTo("succeeded");
            try (var socket = new Socket()) {
                socket.setReceiveBufferSize(4096);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), site().port()));
                socket.getOutputStream()
                        .write(("GET /app/longhaul/v1/jobs/" + id
                                        + "/events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                                        + "Accept: text/event-stream\r\nAuthorization: Basic dmlld2VyOnZpZXdlcg==\r\n\r\n")
                                .getBytes(US_ASCII));
                await(1);
                await(0);
                long received = socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
                assertThat(received).isLessThan((long) Jobs.BLOBS * Jobs.BLOB.length() / 2);
            } catch (IOException e) {
                // A reset also ends the connection.
            }
        }

        private void await(int streams) {
            while (site().api().streams() != streams) {
                Thread.onSpinWait();
            }
        }

        @Test
        void serves_the_dashboard_with_relative_addresses() {
            Client viewer = client("viewer");
            assertThat(viewer.get("").status()).isEqualTo(303);
            assertThat(viewer.get("").header("location")).isEqualTo("longhaul/");
            var page = viewer.get("/");
            assertThat(page.response().body())
                    .contains("data-login=\"application\"")
                    .contains("\"./ui/");
            String script = page.response().body().replaceAll("(?s).*src=\"\\.(/ui/[^\"]+/app\\.js)\".*", "$1");
            var file = viewer.get(script);
            assertThat(file.status()).isEqualTo(200);
            assertThat(file.header("content-type")).startsWith("text/javascript");
            assertThat(file.header("cache-control")).contains("immutable");
        }

        @Test
        void explains_wrong_paths_methods_and_bodies() {
            Client operator = client("operator");
            operator.session();
            assertThat(operator.get("/v1/nothing").status()).isEqualTo(404);
            assertThat(operator.post("/v1/stats", "{}").status()).isEqualTo(405);
            assertThat(operator.post("/v1/stats", "{}").header("allow")).isEqualTo("GET");
            assertThat(operator.post("/v1/jobs", "{").status()).isEqualTo(400);
            assertThat(operator.post("/v1/jobs", " ".repeat(1024 * 1024 + 1)).status())
                    .isEqualTo(413);
        }
    }

    @Nested
    class WithoutSpringSecurity {
        @BeforeEach
        void serve() throws Exception {
            started = open(longhaul);
        }

        @Test
        void this_machine_is_admin() {
            assertThat(client(null).session().get("role").asText()).isEqualTo("admin");
            assertThat(client(null).post("/v1/queues/default/pause", "{}").status())
                    .isEqualTo(200);
        }

        @Test
        void forwarded_requests_are_refused() {
            var reply = client(null).get("/v1/jobs", "X-Forwarded-For", "127.0.0.1");
            assertThat(reply.status()).isEqualTo(403);
            assertThat(reply.json().get("detail").asText()).contains("add Spring Security");
            assertThat(client(null).get("/", "X-Forwarded-For", "10.0.0.1").status())
                    .isEqualTo(403);
            assertThat(client(null).get("/", "Forwarded", "for=127.0.0.1").status())
                    .isEqualTo(403);
            assertThat(client(null).get("/", "X-Forwarded-Proto", "https").status())
                    .isEqualTo(403);
            assertThat(client(null).get("/", "Via", "1.1 gateway").status()).isEqualTo(403);
        }

        @Test
        void other_names_of_this_machine_are_refused() throws IOException {
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), site().port())) {
                socket.getOutputStream()
                        .write("GET /app/longhaul/v1/jobs HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                                .getBytes(US_ASCII));
                assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
                        .startsWith("HTTP/1.1 400");
            }
        }

        @Test
        void pages_of_other_sites_may_not_change_anything() {
            var reply = client(null).post("/v1/queues/default/pause", "{}", "Origin", "https://evil.example");
            assertThat(reply.status()).isEqualTo(403);
            assertThat(client(null)
                            .post("/v1/queues/default/pause", "{}", "Origin", "http://127.0.0.1:" + site().port())
                            .status())
                    .isEqualTo(200);
        }

        @Test
        void requests_to_another_address_of_this_machine_are_refused() throws Exception {
            for (var network : java.util.Collections.list(java.net.NetworkInterface.getNetworkInterfaces())) {
                for (var address : java.util.Collections.list(network.getInetAddresses())) {
                    if (!address.isLoopbackAddress() && address instanceof java.net.Inet4Address) {
                        assertThat(statusAt(address)).isEqualTo(403);
                    }
                }
            }
        }

        private int statusAt(InetAddress address) throws IOException {
            try (var socket = new Socket(address, site().port())) {
                socket.getOutputStream()
                        .write("GET /app/longhaul/v1/jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                                .getBytes(US_ASCII));
                String reply = new String(socket.getInputStream().readAllBytes(), UTF_8);
                return Integer.parseInt(reply.substring(9, 12));
            }
        }
    }
}
