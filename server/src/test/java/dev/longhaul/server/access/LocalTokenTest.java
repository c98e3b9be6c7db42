package dev.longhaul.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.access.Role;
import dev.longhaul.demo.DemoJobs;
import dev.longhaul.server.Api;
import dev.longhaul.server.Browser;
import dev.longhaul.server.Doors;
import dev.longhaul.server.LonghaulServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class LocalTokenTest {
    private static final String SECRET = LocalToken.newSecret();
    private static final LocalToken TOKEN = new LocalToken(SECRET, Path.of("/data/token"), Path.of("/data/header"));

    private final Longhaul longhaul = Longhaul.builder()
            .memory()
            .register(new DemoJobs().definitions().toArray(JobDefinition<?, ?>[]::new))
            .start();
    private LonghaulServer server = LonghaulServer.start(longhaul, Doors.AT_ONCE.withLocalToken(TOKEN));
    private final Api anonymous = new Api(server.port());
    private final Api owner = anonymous.withKey(SECRET);

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
    }

    @Nested
    class WithoutIt {
        @Test
        void calls_are_refused_and_the_error_names_the_token_file() {
            for (String path : new String[] {"/v1/jobs", "/v1/session", "/v1/keys", "/metrics", "/v1/events"}) {
                var reply = anonymous.get(path);
                assertThat(reply.status()).as(path).isEqualTo(401);
                assertThat(reply.json().get("detail").asText())
                        .contains("/data/token", "curl -H @/data/header")
                        .doesNotContain(SECRET);
            }
            assertThat(anonymous
                            .post("/v1/jobs", "{\"definitionKey\":\"demo.echo\"}")
                            .status())
                    .isEqualTo(401);
            assertThat(anonymous
                            .post("/v1/keys", "{\"name\":\"mine\",\"role\":\"admin\"}")
                            .status())
                    .isEqualTo(401);
            assertThat(longhaul.store().access().anyKey()).isFalse();
        }

        @Test
        void rpc_is_refused_too() {
            var reply = anonymous.post("/longhaul.v1.JobService/EnqueueJob", "{\"queue\":\"far\"}");
            assertThat(reply.status()).isEqualTo(401);
            assertThat(reply.body()).contains("unauthenticated", "/data/token");
            assertThat(owner.post("/longhaul.v1.JobService/EnqueueJob", "{\"queue\":\"far\"}")
                            .status())
                    .isEqualTo(200);
        }

        @Test
        void a_wrong_one_does_not_help_and_is_recorded() {
            assertThat(anonymous.withKey(LocalToken.newSecret()).get("/v1/jobs").status())
                    .isEqualTo(401);
            assertThat(anonymous
                            .with("Cookie", "longhaul_local_" + server.port() + "=" + SECRET)
                            .get("/v1/jobs")
                            .status())
                    .isEqualTo(401);
            assertThat(owner.get("/v1/audit").body()).contains("access.wrongKey");
        }

        @Test
        void public_routes_stay_public() {
            for (String path : new String[] {"/healthz", "/readyz", "/", "/docs"}) {
                assertThat(anonymous.get(path).status()).as(path).isEqualTo(200);
            }
        }
    }

    @Nested
    class WithIt {
        @Test
        void the_caller_is_admin_under_the_name_local() {
            var session = owner.get("/v1/session").json();
            assertThat(session.get("name").asText()).isEqualTo("local");
            assertThat(session.get("role").asText()).isEqualTo("admin");
            assertThat(session.get("headerFile").asText()).isEqualTo("/data/header");
            assertThat(owner.post("/v1/jobs", "{\"definitionKey\":\"demo.echo\"}")
                            .status())
                    .isEqualTo(202);
        }

        @Test
        void it_ends_with_the_first_api_key() {
            Keys.Created key = Keys.create(longhaul.store().access(), "first", Role.ADMIN, "test");
            var late = LonghaulServer.start(longhaul, Doors.AT_ONCE.withLocalToken(TOKEN));
            try (late) {
                Api api = new Api(late.port());
                var refused = api.withKey(SECRET).get("/v1/jobs");
                assertThat(refused.status()).isEqualTo(401);
                assertThat(refused.body()).contains("no longer valid");
                assertThat(api.withKey(key.secret()).get("/v1/jobs").status()).isEqualTo(200);
                assertThat(api.get("/?token=" + SECRET).header("Set-Cookie")).isEmpty();
                assertThat(api.post("/v1/session", "{\"key\":\"" + SECRET + "\"}")
                                .status())
                        .isEqualTo(401);
            }
        }
    }

    @Nested
    class InABrowser {
        private HttpResponse<String> opened(String query) throws Exception {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/" + query));
            return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        }

        private static String cookie(HttpResponse<String> response) {
            return response.headers().firstValue("set-cookie").orElse("").replaceFirst(";.*", "");
        }

        @Test
        void the_url_is_exchanged_for_a_cookie_and_an_address_without_it() throws Exception {
            HttpResponse<String> response = opened("?token=" + SECRET);
            assertThat(response.statusCode()).isEqualTo(303);
            assertThat(response.headers().firstValue("location")).contains("/");
            assertThat(response.headers().firstValue("cache-control")).contains("no-store");
            assertThat(response.headers().firstValue("set-cookie").orElse(""))
                    .contains("HTTPOnly", "SameSite=Strict")
                    .doesNotContain(SECRET);
            assertThat(anonymous
                            .with("Cookie", cookie(response))
                            .get("/v1/jobs")
                            .status())
                    .isEqualTo(200);
        }

        @Test
        void a_wrong_token_gets_no_cookie() throws Exception {
            HttpResponse<String> response = opened("?token=lh_wrong");
            assertThat(response.statusCode()).isEqualTo(303);
            assertThat(response.headers().firstValue("set-cookie")).isEmpty();
        }

        @Test
        void the_cookie_allows_changes_only_from_the_servers_own_pages() throws Exception {
            Api browser = anonymous.with("Cookie", cookie(opened("?token=" + SECRET)));
            String job = "{\"definitionKey\":\"demo.echo\"}";
            assertThat(browser.post("/v1/jobs", job).status()).isEqualTo(403);
            String elsewhere = "http://127.0.0.1:" + (server.port() == 9000 ? 9001 : 9000);
            assertThat(browser.with("Origin", elsewhere).post("/v1/jobs", job).status())
                    .isEqualTo(403);
            assertThat(browser.with("Origin", "http://127.0.0.1:" + server.port())
                            .post("/v1/jobs", job)
                            .status())
                    .isEqualTo(202);
        }

        @Test
        void the_cookie_outlives_a_restart_with_the_same_token() throws Exception {
            Api browser = anonymous.with("Cookie", cookie(opened("?token=" + SECRET)));
            int port = server.port();
            server.close();
            server = LonghaulServer.start(longhaul, Doors.AT_ONCE.withPort(port).withLocalToken(TOKEN));
            assertThat(browser.get("/v1/jobs").status()).isEqualTo(200);
        }

        @Test
        void the_dashboard_works_and_its_address_does_not_show_the_token() {
            try (var browser = Browser.on(server.port())) {
                browser.go("jobs").sees("API key").sees(".longhaul/token");
                browser.discardErrors();
                browser.open("/?token=" + SECRET + "#/jobs").sees("No jobs yet");
                assertThat(browser.run("return location.href + document.referrer + document.cookie"))
                        .asString()
                        .doesNotContain(SECRET, "token");
                browser.go("jobs").click("Start a job");
                browser.choose("#start-definition", "demo.echo@1").click("Start job");
                browser.sees("succeeded").sees("Copy as curl");
                browser.back();
                browser.back();
                assertThat(browser.run("return location.href")).asString().doesNotContain(SECRET);
                browser.assertNoErrors();
            }
        }

        @Test
        void the_login_form_takes_the_token_too() {
            try (var browser = Browser.on(server.port())) {
                browser.go("jobs").sees("API key").type("#key", SECRET).click("Log in");
                browser.sees("No jobs yet");
                browser.discardErrors();
            }
        }
    }
}
