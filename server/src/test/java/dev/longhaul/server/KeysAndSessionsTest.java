package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Longhaul;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Route;
import dev.longhaul.server.access.Callers;
import dev.longhaul.server.access.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class KeysAndSessionsTest {
    private final Longhaul longhaul = Longhaul.builder().memory().start();
    private final LonghaulServer server = LonghaulServer.start(longhaul, Doors.AT_ONCE);
    private final Api anonymous = new Api(server.port());

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
    }

    private Keys.Created key(Role role) {
        return Keys.create(longhaul.store().access(), role.text(), role, "test");
    }

    private static void within(Duration limit, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("within %s", limit).isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Nested
    class OverHttp {
        @Test
        void without_any_key_local_callers_are_admins() {
            JsonNode me = anonymous.get("/v1/session").json();
            assertThat(me.get("role").asText()).isEqualTo("admin");
            assertThat(anonymous.withKey("of another server").get("/v1/keys").status())
                    .isEqualTo(200);
        }

        @Test
        void the_first_key_is_required_at_once_and_its_secret_shown_once() {
            var reply = anonymous.post("/v1/keys", "{\"name\":\"ci\",\"role\":\"admin\"}");
            assertThat(reply.status()).isEqualTo(201);
            String secret = reply.json().get("secret").asText();
            assertThat(secret).matches("lh_[A-Za-z0-9_-]{43}");
            var refused = anonymous.get("/v1/keys");
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.header("www-authenticate")).isEqualTo("Bearer");
            String list = anonymous.withKey(secret).get("/v1/keys").body();
            assertThat(list).contains("\"ci\"").doesNotContain(secret);
            assertThat(anonymous
                            .with("Authorization", "bearer " + secret)
                            .get("/v1/keys")
                            .status())
                    .isEqualTo(200);
        }

        @Test
        void an_invalid_key_request_gets_all_problems() {
            var reply = anonymous.post("/v1/keys", "{\"name\":7,\"role\":\"king\",\"x\":1}");
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.json().get("errors").findValuesAsText("field")).containsExactly("name", "role", "x");
            assertThat(anonymous
                            .post("/v1/keys", "{\"name\":\"a b\",\"role\":\"viewer\"}")
                            .status())
                    .isEqualTo(400);
            assertThat(longhaul.store().access().keys()).isEmpty();
        }

        @Test
        void a_revoked_key_opens_nothing_here_at_once_and_on_another_server_within_two_seconds() {
            Keys.Created admin = key(Role.ADMIN);
            Keys.Created viewer = key(Role.VIEWER);
            try (var other = LonghaulServer.start(longhaul, Doors.AT_ONCE)) {
                Api there = new Api(other.port()).withKey(viewer.secret());
                Api here = anonymous.withKey(viewer.secret());
                assertThat(there.get("/v1/stats").status()).isEqualTo(200);
                assertThat(here.get("/v1/stats").status()).isEqualTo(200);
                var revoked = anonymous
                        .withKey(admin.secret())
                        .send("DELETE", "/v1/keys/" + viewer.key().id(), null);
                assertThat(revoked.json().has("revokedAt")).isTrue();
                assertThat(here.get("/v1/stats").status()).isEqualTo(401);
                within(Duration.ofSeconds(2), () -> there.get("/v1/stats").status() == 401);
            }
        }

        @Test
        void revoking_the_last_key_admits_no_one() {
            Keys.Created only = key(Role.ADMIN);
            anonymous
                    .withKey(only.secret())
                    .send("DELETE", "/v1/keys/" + only.key().id(), null);
            assertThat(anonymous.get("/v1/keys").status()).isEqualTo(401);
            assertThat(anonymous.withKey(only.secret()).get("/v1/keys").status())
                    .isEqualTo(401);
        }

        @Test
        void a_stream_ends_soon_after_its_key() throws Exception {
            Keys.Created viewer = key(Role.VIEWER);
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/events"))
                    .header("Accept", "text/event-stream")
                    .header("Authorization", "Bearer " + viewer.secret())
                    .build();
            HttpResponse<InputStream> stream =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofInputStream());
            assertThat(stream.statusCode()).isEqualTo(200);
            assertThat(stream.body().read()).isPositive();
            // Directly in the store, as another server would.
            Keys.revoke(longhaul.store().access(), viewer.key().id(), "test");
            long revoked = System.nanoTime();
            assertThatThrownBy(() -> stream.body().readAllBytes()).isInstanceOf(IOException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - revoked)).isLessThan(Duration.ofSeconds(10));
        }

        @Test
        void when_a_key_was_last_used_is_kept() {
            Keys.Created admin = key(Role.ADMIN);
            Api api = anonymous.withKey(admin.secret());
            within(
                    Duration.ofSeconds(20),
                    () -> api.get("/v1/keys").json().get("keys").get(0).has("lastUsedAt"));
        }

        @Test
        void keys_made_and_revoked_are_in_the_trail_without_their_secrets() {
            Api admin = anonymous.withKey(key(Role.ADMIN).secret());
            var made = admin.post("/v1/keys", "{\"name\":\"ci\",\"role\":\"submitter\"}")
                    .json();
            admin.send("DELETE", "/v1/keys/" + made.get("id").asText(), null);
            var first = admin.get("/v1/audit?limit=1").json();
            assertThat(first.get("entries").get(0).get("action").asText()).isEqualTo("key.revoke");
            assertThat(first.get("entries").get(0).get("actor").asText()).isEqualTo("admin");
            var rest = admin.get("/v1/audit?limit=2&cursor="
                            + first.get("nextCursor").asText())
                    .json();
            assertThat(rest.get("entries").findValuesAsText("action")).containsExactly("key.create", "key.create");
            assertThat(rest.get("entries").get(0).get("subject")).isEqualTo(made.get("id"));
            assertThat(rest.get("entries").get(0).get("detail").get("role").asText())
                    .isEqualTo("submitter");
            assertThat(rest.get("nextCursor").isNull()).isTrue();
            assertThat(rest.toString()).doesNotContain(made.get("secret").asText());
        }

        @Test
        void no_such_key_and_no_such_page() {
            assertThat(anonymous.send("DELETE", "/v1/keys/x", null).status()).isEqualTo(404);
            assertThat(anonymous
                            .send("DELETE", "/v1/keys/00000000-0000-0000-0000-000000000000", null)
                            .status())
                    .isEqualTo(404);
            assertThat(anonymous
                            .get("/v1/audit?cursor=x&limit=501")
                            .json()
                            .get("errors")
                            .size())
                    .isEqualTo(2);
        }

        @Test
        void a_denied_request_is_rejected_before_its_body_is_read() {
            key(Role.ADMIN);
            // The body is never sent.
            String answer = RawHttp.send(
                    server.port(),
                    "POST /v1/jobs/batch HTTP/1.1",
                    "Host: localhost",
                    "Content-Type: application/json",
                    "Content-Length: 1000000");
            assertThat(RawHttp.status(answer)).isEqualTo(401);
        }

        @Test
        void a_body_over_the_limit_is_refused() {
            assertThat(anonymous.post("/v1/keys", " ".repeat(Route.BODY + 1)).status())
                    .isEqualTo(413);
        }
    }

    @Nested
    class Sessions {
        private final Keys.Created operator = key(Role.OPERATOR);
        private final String origin = "http://127.0.0.1:" + server.port();

        private Api.Reply open(Api api, String secret) {
            return api.post("/v1/session", "{\"key\":\"" + secret + "\"}");
        }

        private Api browser() {
            String cookie = open(anonymous, operator.secret()).header("set-cookie");
            return anonymous.with("Cookie", cookie.substring(0, cookie.indexOf(';')));
        }

        @Test
        void a_key_opens_one_with_a_cookie_that_scripts_and_other_sites_cannot_use() {
            var reply = open(anonymous, operator.secret());
            assertThat(reply.status()).isEqualTo(200);
            assertThat(reply.json().get("role").asText()).isEqualTo("operator");
            String cookie = reply.header("set-cookie");
            assertThat(cookie)
                    .startsWith("longhaul_session=")
                    .containsIgnoringCase("HttpOnly")
                    .contains("SameSite=Strict", "Path=/", "Max-Age=43200")
                    .doesNotContain("Secure", operator.secret());
            assertThat(browser().get("/v1/session").json().get("name").asText()).isEqualTo("operator");
        }

        @Test
        void it_changes_things_only_from_our_own_pages() {
            String pause = "/v1/queues/default/pause";
            assertThat(browser().post(pause, null).status()).isEqualTo(403);
            assertThat(browser()
                            .with("Origin", "https://evil.test")
                            .post(pause, null)
                            .status())
                    .isEqualTo(403);
            assertThat(browser().with("Origin", origin).post(pause, null).status())
                    .isEqualTo(200);
            assertThat(browser()
                            .with("Sec-Fetch-Site", "same-origin")
                            .post(pause, null)
                            .status())
                    .isEqualTo(200);
            assertThat(browser().get("/v1/queues").status()).isEqualTo(200);
        }

        @Test
        void it_ends_when_it_is_closed() {
            Api browser = browser();
            assertThat(browser.get("/v1/session").status()).isEqualTo(200);
            var closed = browser.with("Origin", origin).send("DELETE", "/v1/session", null);
            assertThat(closed.status()).isEqualTo(204);
            assertThat(closed.header("set-cookie")).contains("Max-Age=0");
            assertThat(browser.get("/v1/session").status()).isEqualTo(401);
        }

        @Test
        void it_ends_with_its_key() {
            Api browser = browser();
            assertThat(browser.get("/v1/session").status()).isEqualTo(200);
            anonymous
                    .withKey(key(Role.ADMIN).secret())
                    .send("DELETE", "/v1/keys/" + operator.key().id(), null);
            assertThat(browser.get("/v1/session").status()).isEqualTo(401);
        }

        @Test
        void a_wrong_key_a_worker_s_key_and_another_site_open_none() {
            assertThat(open(anonymous, "lh_wrong").status()).isEqualTo(401);
            assertThat(open(anonymous, key(Role.WORKER).secret()).status()).isEqualTo(403);
            var foreign = open(anonymous.with("Origin", "https://evil.test"), operator.secret());
            assertThat(foreign.status()).isEqualTo(403);
            assertThat(foreign.header("set-cookie")).isEmpty();
        }

        @Test
        void behind_an_encrypting_proxy_the_cookie_stays_encrypted() {
            var config = Doors.AT_ONCE.withCallers(new Callers(null, List.of(), List.of("127.0.0.1/32")));
            try (var proxied = LonghaulServer.start(longhaul, config)) {
                Api api = new Api(proxied.port()).with("X-Forwarded-Proto", "https");
                assertThat(open(api, operator.secret()).header("set-cookie")).contains("Secure");
            }
            Api stranger = anonymous.with("X-Forwarded-Proto", "https");
            assertThat(open(stranger, operator.secret()).header("set-cookie")).doesNotContain("Secure");
            var known = Doors.AT_ONCE.withCallers(new Callers(URI.create("https://a.test"), List.of(), List.of()));
            try (var named = LonghaulServer.start(longhaul, known)) {
                assertThat(open(new Api(named.port()), operator.secret()).header("set-cookie"))
                        .contains("Secure");
            }
        }
    }
}
