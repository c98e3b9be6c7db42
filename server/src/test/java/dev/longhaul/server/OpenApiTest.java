package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.InputFormat;
import dev.longhaul.Longhaul;
import dev.longhaul.access.Role;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OpenApiTest {
    /** Pages for people, not part of the API. */
    private static final Set<String> PAGES =
            Set.of("GET /docs", "GET /docs/start.js", "GET /docs/{file}", "GET /", "GET /ui/{version}/{*file}");

    private final Longhaul longhaul = Longhaul.builder().memory().start();
    private final LonghaulServer server = LonghaulServer.start(longhaul, Doors.AT_ONCE);
    private final Api api = new Api(server.port());

    @AfterEach
    void close() {
        server.close();
        longhaul.close();
    }

    @Test
    void describes_every_route_with_its_role_and_no_other() {
        Map<String, String> real = new TreeMap<>();
        server.routes().forEach(route -> {
            Role role = route.role();
            real.put(route.toString(), role == null ? "public" : role.text());
        });
        real.keySet().removeAll(PAGES);
        assertThat(OpenApi.operations()).isEqualTo(real);
    }

    @Test
    void has_examples_that_fit_its_schemas() {
        int examples = 0;
        for (JsonNode parent : OpenApi.DOCUMENT.findParents("example")) {
            String example = OpenApi.required(parent.get("example")).toString();
            assertThat(OpenApi.compiled(OpenApi.required(parent.get("schema"))).validate(example, InputFormat.JSON))
                    .as(example)
                    .isEmpty();
            examples++;
        }
        assertThat(examples).isGreaterThan(20);
    }

    @Test
    void is_served_and_shown() {
        assertThat(api.get("/openapi.json").json()).isEqualTo(OpenApi.DOCUMENT);
        assertThat(api.get("/docs").body()).contains("docs/start.js");
        assertThat(api.get("/docs/swagger-ui-bundle.js").body()).contains("SwaggerUIBundle");
        assertThat(api.get("/docs/swagger-ui.css").status()).isEqualTo(200);
        assertThat(api.get("/docs/package.json").status()).isEqualTo(404);
    }
}
