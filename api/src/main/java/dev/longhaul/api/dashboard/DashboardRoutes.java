package dev.longhaul.api.dashboard;

import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Failures;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.http.Status;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Serves the dashboard: one page at {@code /}, and its files under URLs that change with their content. */
public final class DashboardRoutes {
    private static final String IMMUTABLE = "public, max-age=31536000, immutable";
    /** Browsers may cache the page but must revalidate it every time, because it contains the URLs of the files. */
    private static final String REVALIDATE = "no-cache";

    private final DashboardFiles files;
    /**
     * The content security policy. It allows scripts and styles from this server only, and the import map as the only
     * inline script. Trusted types allow only Lit's templates to create markup.
     */
    private final String policy;

    private final @Nullable LocalLogin login;

    /** Logs a browser in with a token in the address of the page. */
    public interface LocalLogin {
        /** Returns the cookie for a browser that sent the token; null if the token is wrong or not in use. */
        @Nullable
        String cookie(Call call, String token);
    }

    /** @param login null if the embedding application logs users in */
    public DashboardRoutes(@Nullable LocalLogin login) {
        this.login = login;
        this.files = new DashboardFiles(login == null ? "application" : "key");
        this.policy = "default-src 'none'; script-src 'self' '" + files.importMapHash() + "'; style-src 'self';"
                + " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none';"
                + " require-trusted-types-for 'script'; trusted-types lit-html";
    }

    public List<Route> routes() {
        return List.of(Route.get("/", null, this::page), Route.get("/ui/{version}/{*file}", null, this::file));
    }

    private Response page(Call call) {
        String token = call.query().text("token");
        return token == null ? response(call, files.page(), REVALIDATE) : withoutToken(call, token);
    }

    /**
     * Exchanges the token for a cookie and redirects, so that the token appears neither in the history nor in a Referer
     * header.
     */
    private Response withoutToken(Call call, String token) {
        return Response.of(Status.SEE_OTHER)
                .with("location", call.url("/"))
                .withOptional("set-cookie", login == null ? null : login.cookie(call, token));
    }

    private Response file(Call call) {
        DashboardFiles.Served file = files.find(call.path("version"), call.path("file"));
        return file == null ? Problem.of(Failures.noSuchPath(call.request().path())) : response(call, file, IMMUTABLE);
    }

    private Response response(Call call, DashboardFiles.Served file, String caching) {
        boolean known = file.tag.equals(call.header("if-none-match"));
        String encodings = call.header("accept-encoding");
        boolean zipped = encodings != null && encodings.contains("gzip");
        Response.Complete content = known
                ? Response.of(Status.NOT_MODIFIED)
                : Response.of(Status.OK, file.type, zipped ? file.zipped : file.plain)
                        .withOptional("content-encoding", zipped ? "gzip" : null);
        return content.with("content-security-policy", policy)
                .with("cache-control", caching)
                .with("etag", file.tag)
                .with("vary", "accept-encoding");
    }
}
