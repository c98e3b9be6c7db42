package dev.longhaul.api.rest;

import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.ContentType;
import dev.longhaul.api.http.Failures;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.http.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** Serves the API description: OpenAPI at {@code /openapi.json}, and a page at {@code /docs}. */
public final class DocsRoutes {
    /**
     * Allows resources of this server only, and no inline scripts. Allows inline styles, because Swagger UI sets them.
     */
    static final String PAGE_POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
            + " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final String OWN = "/dev/longhaul/api/";
    private static final Map<String, String> FILES = Map.of(
            "swagger-ui-bundle.js", ContentType.JAVASCRIPT,
            "swagger-ui.css", ContentType.CSS,
            "favicon-32x32.png", ContentType.PNG);

    private static final String VERSION = "/META-INF/maven/org.webjars/swagger-ui/pom.properties";

    /** Returns the route of the description, and the routes of the page if Swagger UI is on the class path. */
    public List<Route> routes() {
        Route description = Route.get("/openapi.json", null, call -> resource(OWN + "openapi.json", ContentType.JSON));
        if (DocsRoutes.class.getResource(VERSION) == null) {
            return List.of(description);
        }
        String webjar = "/META-INF/resources/webjars/swagger-ui/" + version() + "/";
        return List.of(
                description,
                Route.get("/docs", null, call -> resource(OWN + "docs.html", ContentType.HTML)),
                Route.get("/docs/start.js", null, call -> resource(OWN + "docs.js", ContentType.JAVASCRIPT)),
                Route.get("/docs/{file}", null, call -> file(call, webjar)));
    }

    private static Response file(Call call, String webjar) {
        String name = call.path("file");
        String type = FILES.get(name);
        if (type == null) {
            return Problem.of(Failures.noSuchPath("/docs/" + name));
        }
        return resource(webjar + name, type);
    }

    private static Response resource(String name, String type) {
        return Response.of(Status.OK, type, bytes(name)).with("content-security-policy", PAGE_POLICY);
    }

    private static byte[] bytes(String name) {
        try (InputStream in = DocsRoutes.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("resource not found: " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String version() {
        var properties = new Properties();
        try (InputStream in = DocsRoutes.class.getResourceAsStream(VERSION)) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "");
    }
}
