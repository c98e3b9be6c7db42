package dev.longhaul.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Longhaul;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Route;
import dev.longhaul.server.rpc.RpcRoles;
import dev.longhaul.testing.PrintedPage;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Prints docs/reference/rest.md from the routes and RPC methods; {@code -Dlonghaul.docs=write} rewrites the page. */
class RoutesDocTest {
    @Test
    void the_page_lists_every_route_with_its_role() throws IOException {
        PrintedPage.check("reference/rest.md", "server", printed());
    }

    private static String printed() {
        try (var longhaul = Longhaul.builder().memory().start();
                var server = LonghaulServer.start(longhaul, Doors.AT_ONCE)) {
            return """
                    # REST routes, RPC methods and roles

                    Printed from the code by `RoutesDocTest`; do not edit. A running server describes parameters, bodies and responses at
                    `/openapi.json` and shows them at `/docs`.

                    ## Roles

                    | role | may |
                    |---|---|
                    | public | call without a key: health checks, the pages of the dashboard, login |
                    | viewer | read jobs, runs, logs, events, definitions, queues, schedules, statistics |
                    | submitter | do what a viewer may; start, cancel, edit, hold, release and run jobs now |
                    | operator | do what a submitter may; retry jobs, act on many jobs, pause queues, manage schedules, definitions and webhooks, \
                    read workers and `/metrics`, see params and stacks (`view=full`) |
                    | admin | everything, including keys, the audit trail and log levels |
                    | worker | take and report jobs over RPC, register definitions, tick; nothing else |

                    Each role includes the roles above it, except worker, which stands alone. A worker's key may be bound to queues. What each role
                    sees of a job: [security and roles](../guides/security.md).

                    ## REST

                    | route | role | |
                    |---|---|---|
                    %s

                    ## RPC

                    | method | role |
                    |---|---|
                    %s

                    `grpc.health.v1.Health` and server reflection are public. How to use the methods: \
                    [workers in other languages](../guides/workers-in-other-languages.md).
                    """.formatted(rest(server.routes()), rpc());
        }
    }

    private static String rest(List<Route> routes) {
        return routes.stream()
                .filter(route -> summary(route) != null)
                .sorted(Comparator.comparing(Route::path)
                        .thenComparing(route -> route.method().name()))
                .map(route -> "| `%s` | %s | %s |".formatted(route, role(route.role()), summary(route)))
                .collect(Collectors.joining("\n"));
    }

    private static String rpc() {
        Map<String, Role> methods = new TreeMap<>(RpcRoles.ALL.required());
        return methods.entrySet().stream()
                .map(method -> "| `%s` | %s |".formatted(method.getKey(), role(method.getValue())))
                .collect(Collectors.joining("\n"));
    }

    private static String role(@Nullable Role role) {
        return role == null ? "public" : role.text();
    }

    /** What the OpenAPI document says; null for pages for people, which it leaves out. */
    private static @Nullable String summary(Route route) {
        JsonNode operation = OpenApi.DOCUMENT
                .path("paths")
                .path(route.path())
                .path(route.method().name().toLowerCase(Locale.ROOT));
        return operation.isMissingNode()
                ? null
                : operation.path("summary").asText().replace("|", "\\|");
    }
}
