package dev.longhaul.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.Longhaul;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Route;
import dev.longhaul.server.Doors;
import dev.longhaul.server.LonghaulServer;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls every route with every role, and compares with a copy of the contract's section on roles. */
class RouteAccessTest {
    private static final String PUBLIC = "public";
    private static final String CONTRACT = """
            public     GET    /healthz
            public     GET    /readyz
            public     GET    /openapi.json
            public     GET    /docs
            public     GET    /docs/start.js
            public     GET    /docs/{file}
            public     GET    /
            public     GET    /ui/{version}/{*file}
            public     POST   /v1/session
            viewer     GET    /v1/session
            viewer     DELETE /v1/session
            viewer     GET    /v1/jobs
            viewer     GET    /v1/jobs/{id}
            viewer     GET    /v1/jobs/{id}/status
            viewer     GET    /v1/jobs/{id}/runs
            viewer     GET    /v1/jobs/{id}/log
            viewer     GET    /v1/jobs/{id}/events
            viewer     GET    /v1/events
            viewer     GET    /v1/definitions
            viewer     GET    /v1/definitions/{key}
            viewer     GET    /v1/queues
            viewer     GET    /v1/scaling
            viewer     GET    /v1/stats
            viewer     GET    /v1/jobs/count
            viewer     GET    /v1/jobs/{id}/why
            viewer     GET    /v1/stats/timeseries
            viewer     GET    /v1/stats/failures
            operator   GET    /v1/stats/database
            viewer     GET    /v1/schedules
            viewer     POST   /v1/schedules/preview
            viewer     GET    /v1/schedules/{key}
            viewer     GET    /v1/schedules/{key}/preview
            viewer     GET    /v1/schedules/{key}/jobs
            submitter  POST   /v1/jobs
            submitter  POST   /v1/jobs/batch
            submitter  POST   /v1/jobs/{id}/cancel
            submitter  DELETE /v1/jobs/{id}
            submitter  POST   /v1/jobs/{id}/runNow
            submitter  POST   /v1/jobs/{id}/hold
            submitter  POST   /v1/jobs/{id}/release
            submitter  PATCH  /v1/jobs/{id}
            submitter  PUT    /v1/jobs/{id}
            operator   POST   /v1/jobs/{id}/retry
            operator   POST   /v1/jobs/cancel
            operator   POST   /v1/jobs/retry
            operator   PUT    /v1/definitions/{key}
            operator   DELETE /v1/definitions/{key}
            operator   PUT    /v1/queues/{name}
            operator   POST   /v1/queues/{name}/pause
            operator   POST   /v1/queues/{name}/resume
            operator   GET    /v1/workers
            operator   GET    /v1/intake
            operator   POST   /v1/schedules
            operator   PUT    /v1/schedules/{key}
            operator   PATCH  /v1/schedules/{key}
            operator   DELETE /v1/schedules/{key}
            operator   POST   /v1/schedules/{key}/pause
            operator   POST   /v1/schedules/{key}/resume
            operator   POST   /v1/schedules/{key}/trigger
            operator   POST   /v1/schedules/{key}/backfill
            operator   GET    /metrics
            operator   GET    /v1/webhooks
            operator   POST   /v1/webhooks
            operator   GET    /v1/webhooks/{id}
            operator   PUT    /v1/webhooks/{id}
            operator   PATCH  /v1/webhooks/{id}
            operator   DELETE /v1/webhooks/{id}
            operator   POST   /v1/webhooks/{id}/test
            operator   POST   /v1/webhooks/{id}/redeliver
            operator   GET    /v1/webhooks/{id}/deliveries
            operator   GET    /v1/webhooks/{id}/deliveries/{delivery}
            operator   POST   /v1/webhooks/{id}/deliveries/{delivery}/redeliver
            admin      GET    /v1/log-level
            admin      PUT    /v1/log-level
            admin      GET    /v1/keys
            admin      POST   /v1/keys
            admin      DELETE /v1/keys/{id}
            admin      GET    /v1/audit
            worker     POST   /v1/tick
            """;
    /** The roles that include each role; worker is separate, and admin includes all. */
    private static final Map<String, List<String>> MAY = Map.of(
            "viewer", List.of("viewer", "submitter", "operator", "admin"),
            "submitter", List.of("submitter", "operator", "admin"),
            "operator", List.of("operator", "admin"),
            "admin", List.of("admin"),
            "worker", List.of("worker", "admin"));

    private static final RequestRates.Rate ENOUGH = new RequestRates.Rate(100_000, 100_000);

    private final Longhaul longhaul = Longhaul.builder().memory().start();
    private final LonghaulServer server =
            LonghaulServer.start(longhaul, Doors.AT_ONCE.withRates(new RequestRates(ENOUGH, ENOUGH, ENOUGH)));
    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
    }

    @Test
    void every_route_has_the_role_that_the_contract_gives_it() {
        var found = new LinkedHashMap<String, String>();
        for (Route route : server.routes()) {
            Role role = route.role();
            found.put(route.toString(), role == null ? PUBLIC : role.text());
        }
        assertThat(found).containsExactlyInAnyOrderEntriesOf(contract());
    }

    @Test
    void every_route_admits_exactly_the_roles_that_include_its_own() throws Exception {
        Map<String, String> secrets = secrets();
        Map<String, String> contract = contract();
        var table = new StringBuilder("%-40s %-10s".formatted("route", "needs"));
        secrets.keySet().forEach(who -> table.append(" %-9s".formatted(who)));
        var wrong = new ArrayList<String>();
        for (Route route : server.routes()) {
            String needed = contract.get(route.toString());
            table.append("%n%-40s %-10s".formatted(route, needed));
            for (Map.Entry<String, String> who : secrets.entrySet()) {
                int status = status(route, who.getValue());
                table.append(" %-9s".formatted(status));
                if (!asExpected(needed, who.getKey(), status)) {
                    wrong.add(route + " needs " + needed + ", " + who.getKey() + " got " + status);
                }
            }
        }
        System.out.println(table);
        assertThat(wrong).isEmpty();
    }

    private static boolean asExpected(@Nullable String needed, String who, int status) {
        if (PUBLIC.equals(needed)
                || MAY.getOrDefault(String.valueOf(needed), List.of()).contains(who)) {
            // 404 and 400 are right for an unknown id and an empty body.
            return status != 401 && status != 403 && status != 405 && status < 500;
        }
        boolean key = MAY.containsKey(who);
        return status == (key ? 403 : 401);
    }

    private static Map<String, String> contract() {
        var roles = new LinkedHashMap<String, String>();
        CONTRACT.lines().map(line -> line.split(" +")).forEach(line -> roles.put(line[1] + " " + line[2], line[0]));
        return roles;
    }

    private Map<String, String> secrets() {
        AccessStore store = longhaul.store().access();
        var secrets = new LinkedHashMap<String, String>();
        secrets.put("no key", "");
        secrets.put("wrong", Keys.PREFIX + Token.random());
        Keys.Created revoked = Keys.create(store, "revoked", Role.ADMIN, "test");
        Keys.revoke(store, revoked.key().id(), "test");
        secrets.put("revoked", revoked.secret());
        for (Role role : Role.values()) {
            secrets.put(
                    role.text(), Keys.create(store, role.text(), role, "test").secret());
        }
        return secrets;
    }

    private int status(Route route, String secret) throws Exception {
        String path = route.path()
                .replace("{id}", UUID.randomUUID().toString())
                .replace("{delivery}", UUID.randomUUID().toString())
                .replace("{key}", "nothing@1")
                .replace("{name}", "default")
                .replace("{file}", "swagger-ui.css")
                .replace("{version}", "any")
                .replace("{*file}", "app.js");
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
        if (!secret.isEmpty()) {
            request.header("Authorization", "Bearer " + secret);
        }
        String method = route.method().name();
        if (method.equals("GET") || method.equals("DELETE")) {
            request.method(method, HttpRequest.BodyPublishers.noBody());
        } else {
            request.method(method, HttpRequest.BodyPublishers.ofString("{}"));
            request.header("Content-Type", "application/json");
        }
        // As a stream, because some responses never end.
        HttpResponse<InputStream> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        answer.body().close();
        return answer.statusCode();
    }
}
