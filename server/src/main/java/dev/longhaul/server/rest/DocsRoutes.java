package dev.longhaul.server.rest;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import dev.longhaul.server.http.Call;
import dev.longhaul.server.http.Failures;
import dev.longhaul.server.http.Problem;
import dev.longhaul.server.http.Route;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** Serves the API description: OpenAPI at {@code /openapi.json}, and a page at {@code /docs}. */
public final class DocsRoutes {
    /** Allows resources of this server only and no inline script; inline styles, because Swagger UI sets them. */
    static final String PAGE_POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
            + " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final String OWN = "/dev/longhaul/server/";
    private static final Map<String, MediaType> FILES = Map.of(
            "swagger-ui-bundle.js", MediaType.JAVASCRIPT_UTF_8,
            "swagger-ui.css", MediaType.CSS_UTF_8,
            "favicon-32x32.png", MediaType.PNG);

    private final String webjar = "/META-INF/resources/webjars/swagger-ui/" + version() + "/";

    public List<Route> routes() {
        return List.of(
                Route.get("/openapi.json", null, call -> resource(OWN + "openapi.json", MediaType.JSON_UTF_8)),
                Route.get("/docs", null, call -> resource(OWN + "docs.html", MediaType.HTML_UTF_8)),
                Route.get("/docs/start.js", null, call -> resource(OWN + "docs.js", MediaType.JAVASCRIPT_UTF_8)),
                Route.get("/docs/{file}", null, this::file));
    }

    private HttpResponse file(Call call) {
        String name = call.path("file");
        MediaType type = FILES.get(name);
        if (type == null) {
            return Problem.of(Failures.noSuchPath("/docs/" + name));
        }
        return resource(webjar + name, type);
    }

    private static HttpResponse resource(String name, MediaType type) {
        var headers = ResponseHeaders.builder(HttpStatus.OK)
                .contentType(type)
                .set(HttpHeaderNames.CONTENT_SECURITY_POLICY, PAGE_POLICY)
                .build();
        return HttpResponse.of(headers, HttpData.wrap(bytes(name)));
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
        try (InputStream in =
                DocsRoutes.class.getResourceAsStream("/META-INF/maven/org.webjars/swagger-ui/pom.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "");
    }
}
