package dev.longhaul.spring.web;

import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import org.jspecify.annotations.Nullable;

/** Who is logged in, for the dashboard: the application's user, and the token that it requires for changes. */
final class SessionRoute {
    private SessionRoute() {}

    static Route of() {
        return Route.get(WebApi.SESSION, Role.VIEWER, SessionRoute::session);
    }

    private static Response session(Call call) {
        call.query().done();
        Csrf csrf = csrf(call);
        return Answer.ok(out -> out.object(() -> {
            out.text("name", call.caller().name());
            out.text("role", call.caller().role().text());
            out.text("login", "application");
            if (csrf != null) {
                out.object("csrf", () -> {
                    out.text("header", csrf.header());
                    out.text("token", csrf.token());
                });
            }
        }));
    }

    private static @Nullable Csrf csrf(Call call) {
        return ((WebRequest) call.request()).head().csrf().get();
    }
}
