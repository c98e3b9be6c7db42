package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Longhaul;
import dev.longhaul.access.Role;
import dev.longhaul.server.access.Callers;
import dev.longhaul.server.access.Keys;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostAndOriginTest {
    private static final ServerConfig CONFIG = Doors.AT_ONCE.withCallers(
            new Callers(URI.create("https://jobs.example.com"), List.of("jobs.internal"), List.of("10.0.0.0/8")));

    private final Longhaul longhaul = Longhaul.builder().memory().start();
    private final LonghaulServer server = LonghaulServer.start(longhaul, CONFIG);
    private final int port = server.port();

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
    }

    @Nested
    class Host {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "127.0.0.1",
                    "127.0.0.1:8080",
                    "localhost",
                    "LOCALHOST.:1",
                    "[::1]:8080",
                    "jobs.example.com",
                    "jobs.internal:443"
                })
        void a_name_of_this_server_is_served(String host) {
            assertThat(RawHttp.status(RawHttp.send(port, "GET /v1/stats HTTP/1.1", "Host: " + host)))
                    .isEqualTo(200);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"evil.test", "127.0.0.1.evil.test", "localhost@evil.test", "10.1.2.3", "[::2]", "localhost,a"
                })
        void another_name_is_refused_also_on_loopback(String host) {
            String answer = RawHttp.send(port, "GET /v1/stats HTTP/1.1", "Host: " + host);
            assertThat(RawHttp.status(answer)).isEqualTo(400);
            assertThat(answer).contains("invalid_argument").contains("--allowed-hosts");
        }

        @Test
        void neither_of_two_names_may_be_foreign() {
            String answer = RawHttp.send(port, "GET /v1/stats HTTP/1.1", "Host: localhost", "Host: evil.test");
            assertThat(RawHttp.status(answer)).isEqualTo(400);
            String other = RawHttp.send(port, "GET /v1/stats HTTP/1.1", "Host: evil.test", "Host: localhost");
            assertThat(RawHttp.status(other)).isEqualTo(400);
        }

        @Test
        void a_path_that_does_not_exist_is_no_way_around() {
            assertThat(RawHttp.status(RawHttp.send(port, "GET /nothing HTTP/1.1", "Host: evil.test")))
                    .isEqualTo(400);
        }

        @Test
        void probes_may_use_any_name() {
            assertThat(RawHttp.status(RawHttp.send(port, "GET /healthz HTTP/1.1", "Host: evil.test")))
                    .isEqualTo(200);
        }
    }

    @Nested
    class Origin {
        private String pause(String... headers) {
            var lines = new ArrayList<>(
                    List.of("POST /v1/queues/default/pause HTTP/1.1", "Host: localhost:" + port, "Content-Length: 0"));
            lines.addAll(List.of(headers));
            return RawHttp.send(port, lines.toArray(String[]::new));
        }

        @Test
        void a_program_without_an_origin_is_served() {
            assertThat(RawHttp.status(pause())).isEqualTo(200);
        }

        @Test
        void this_server_s_own_pages_are_served() {
            assertThat(RawHttp.status(pause("Origin: http://localhost:" + port)))
                    .isEqualTo(200);
            assertThat(RawHttp.status(pause("Origin: https://jobs.example.com")))
                    .isEqualTo(200);
            assertThat(RawHttp.status(pause("Sec-Fetch-Site: same-origin"))).isEqualTo(200);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "Origin: https://evil.test",
                    "Origin: null",
                    "Origin: http://localhost:1",
                    "Origin: http://jobs.example.com",
                    "Sec-Fetch-Site: cross-site",
                    "Sec-Fetch-Site: same-site"
                })
        void pages_of_other_sites_change_nothing(String header) {
            String answer = pause(header);
            assertThat(RawHttp.status(answer)).isEqualTo(403);
            assertThat(answer).contains("permission_denied");
            assertThat(longhaul.store().queues().all()).noneMatch(queue -> queue.pause() != null);
        }

        @Test
        void no_other_site_gets_permission_to_read() {
            String answer = RawHttp.send(
                    port,
                    "OPTIONS /v1/jobs HTTP/1.1",
                    "Host: localhost",
                    "Origin: https://evil.test",
                    "Access-Control-Request-Method: POST");
            assertThat(RawHttp.status(answer)).isEqualTo(403);
            String read = RawHttp.send(port, "GET /v1/jobs HTTP/1.1", "Host: localhost", "Origin: https://evil.test");
            assertThat(RawHttp.status(read)).isEqualTo(200);
            assertThat(RawHttp.has(read, "access-control-allow-origin")).isFalse();
        }
    }

    @Nested
    class BehindProxies {
        @Test
        void forwarding_headers_of_untrusted_senders_are_ignored() {
            Keys.create(longhaul.store().access(), "one", Role.ADMIN, "test");
            String answer =
                    RawHttp.send(port, "GET /v1/stats HTTP/1.1", "Host: localhost", "X-Forwarded-For: 127.0.0.1");
            assertThat(RawHttp.status(answer)).isEqualTo(401);
        }

        @Test
        void an_undeclared_proxy_makes_no_client_local() {
            String answer =
                    RawHttp.send(port, "GET /v1/stats HTTP/1.1", "Host: localhost", "X-Forwarded-For: 203.0.113.9");
            assertThat(RawHttp.status(answer)).isEqualTo(401);
        }

        @Test
        void a_client_behind_a_trusted_proxy_is_where_the_proxy_says() {
            var trusting =
                    Doors.AT_ONCE.withCallers(new Callers(null, List.of(), List.of("127.0.0.0/8", "10.0.0.0/8")));
            try (var proxied = LonghaulServer.start(longhaul, trusting)) {
                assertThat(asked(proxied, "203.0.113.9")).isEqualTo(401);
                assertThat(asked(proxied, "127.0.0.1, 203.0.113.9")).isEqualTo(401);
                assertThat(asked(proxied, "127.0.0.1, 203.0.113.9, 10.1.1.1")).isEqualTo(401);
                assertThat(asked(proxied, "127.0.0.1")).isEqualTo(200);
                assertThat(asked(proxied, "[::1]:5000")).isEqualTo(200);
                assertThat(asked(proxied, "unknown")).isEqualTo(401);
                assertThat(asked(proxied, "203.0.113.9, ")).isEqualTo(401);
            }
        }

        private int asked(LonghaulServer proxied, String chain) {
            return RawHttp.status(RawHttp.send(
                    proxied.port(), "GET /v1/stats HTTP/1.1", "Host: localhost", "X-Forwarded-For: " + chain));
        }
    }

    @Nested
    class Responses {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "GET /v1/stats HTTP/1.1",
                    "GET /nothing HTTP/1.1",
                    "PUT /v1/stats HTTP/1.1",
                    "GET /v1/jobs/%zz HTTP/1.1",
                    "GET /../../etc/passwd HTTP/1.1",
                    "BREW /v1/stats HTTP/1.1"
                })
        void every_response_has_security_headers(String request) {
            String answer = RawHttp.send(port, request, "Host: localhost");
            for (String name : DefaultHeaders.of(CONFIG).keySet()) {
                assertThat(RawHttp.has(answer, name))
                        .as("%s in%n%s", name, answer)
                        .isTrue();
            }
            assertThat(RawHttp.has(answer, "server:")).isFalse();
            assertThat(RawHttp.has(answer, "strict-transport-security")).isFalse();
        }

        @Test
        void another_method_gets_the_allowed_ones() {
            String answer = RawHttp.send(port, "PUT /v1/jobs HTTP/1.1", "Host: localhost", "Content-Length: 0");
            assertThat(RawHttp.status(answer)).isEqualTo(405);
            assertThat(RawHttp.has(answer, "allow: GET, POST\r\n")).isTrue();
            assertThat(RawHttp.has(answer, "content-type: application/problem+json"))
                    .isTrue();
        }

        @Test
        void another_method_of_a_nested_path_gets_them_too() {
            String answer = RawHttp.send(port, "DELETE /v1/jobs/batch HTTP/1.1", "Host: localhost");
            assertThat(RawHttp.status(answer)).isEqualTo(405);
            assertThat(RawHttp.has(answer, "allow: POST\r\n")).isTrue();
        }
    }
}
