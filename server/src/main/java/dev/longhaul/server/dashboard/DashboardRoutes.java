package dev.longhaul.server.dashboard;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import dev.longhaul.server.access.Access;
import dev.longhaul.server.http.Call;
import dev.longhaul.server.http.Failures;
import dev.longhaul.server.http.Problem;
import dev.longhaul.server.http.Route;
import java.util.List;

/** Serves the dashboard: one page at {@code /}, and its files under URLs that change with their content. */
public final class DashboardRoutes {
    private static final String IMMUTABLE = "public, max-age=31536000, immutable";
    /** The page may be cached, but is revalidated every time, because it contains the URLs of the files. */
    private static final String REVALIDATE = "no-cache";

    private final DashboardFiles files = new DashboardFiles();
    /**
     * Allows scripts and styles from this server only, and the import map as the only inline script. Trusted types allow
     * only Lit's templates to create markup.
     */
    private final String policy =
            "default-src 'none'; script-src 'self' '" + files.importMapHash() + "'; style-src 'self';"
                    + " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none';"
                    + " require-trusted-types-for 'script'; trusted-types lit-html";

    private final Access access;

    public DashboardRoutes(Access access) {
        this.access = access;
    }

    public List<Route> routes() {
        return List.of(Route.get("/", null, this::page), Route.get("/ui/{version}/{*file}", null, this::file));
    }

    private HttpResponse page(Call call) {
        String token = call.query().text("token");
        return token == null ? response(call, files.page(), REVALIDATE) : withoutToken(call, token);
    }

    /**
     * Exchanges the token for a cookie and redirects, so that the token is neither in the history nor in a Referer
     * header.
     */
    private HttpResponse withoutToken(Call call, String token) {
        var headers = ResponseHeaders.builder(HttpStatus.SEE_OTHER).set(HttpHeaderNames.LOCATION, "/");
        String cookie = access.localCookie(call.context(), token);
        if (cookie != null) {
            headers.set(HttpHeaderNames.SET_COOKIE, cookie);
        }
        return HttpResponse.of(headers.build());
    }

    private HttpResponse file(Call call) {
        DashboardFiles.Served file = files.find(call.path("version"), call.path("file"));
        return file == null ? Problem.of(Failures.noSuchPath(call.context().path())) : response(call, file, IMMUTABLE);
    }

    private HttpResponse response(Call call, DashboardFiles.Served file, String caching) {
        var headers = ResponseHeaders.builder(HttpStatus.OK)
                .set(HttpHeaderNames.CONTENT_SECURITY_POLICY, policy)
                .set(HttpHeaderNames.CACHE_CONTROL, caching)
                .set(HttpHeaderNames.ETAG, file.tag())
                .set(HttpHeaderNames.VARY, "accept-encoding");
        if (file.tag().equals(call.headers().get(HttpHeaderNames.IF_NONE_MATCH))) {
            return HttpResponse.of(headers.status(HttpStatus.NOT_MODIFIED).build());
        }
        headers.contentType(file.type());
        if (call.headers().get(HttpHeaderNames.ACCEPT_ENCODING, "").contains("gzip")) {
            headers.set(HttpHeaderNames.CONTENT_ENCODING, "gzip");
            return HttpResponse.of(headers.build(), file.zipped());
        }
        return HttpResponse.of(headers.build(), file.plain());
    }
}
