package dev.longhaul.server.rest;

import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.access.AccessRules;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.Actor;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.http.Status;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.server.access.Access;
import dev.longhaul.server.access.Keys;
import dev.longhaul.server.access.LocalToken;
import dev.longhaul.server.access.SessionCookie;
import dev.longhaul.server.access.Token;
import dev.longhaul.server.http.ArmeriaRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Routes for API keys and sessions. */
public final class AccessRoutes {
    private static final String SET_COOKIE = "set-cookie";

    private final AccessStore store;
    private final Access access;

    public AccessRoutes(AccessStore store, Access access) {
        this.store = store;
        this.access = access;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/keys", Role.ADMIN, this::keys),
                Route.post("/v1/keys", Role.ADMIN, this::create),
                Route.delete("/v1/keys/{id}", Role.ADMIN, this::revoke),
                Route.get("/v1/session", Role.VIEWER, this::session),
                Route.post("/v1/session", null, this::open),
                Route.delete("/v1/session", Role.VIEWER, this::close));
    }

    private Response keys(Call call) {
        call.query().done();
        return Answer.ok(out ->
                out.object(() -> out.list("keys", store.keys(), key -> out.object(() -> write(out, key)))));
    }

    private Response create(Call call) {
        Fields body = call.body();
        String name = body.requiredText("name");
        Role role = role(body, body.requiredText("role"));
        List<String> queues = body.textList("queues", Rights.MOST_QUEUES);
        body.check(() -> AccessRules.requireName(name));
        Rights rights = body.made(() -> new Rights(role, queues == null ? List.of() : queues));
        body.done();
        Keys.Created created = Keys.create(
                store, name, Objects.requireNonNull(rights), call.caller().name());
        access.forget();
        return Answer.of(
                Status.CREATED,
                out -> out.object(() -> {
                    write(out, created.key());
                    out.text("secret", created.secret());
                }));
    }

    private static Role role(Fields body, String text) {
        for (Role role : Role.values()) {
            if (role.text().equals(text)) {
                return role;
            }
        }
        if (!text.isEmpty()) {
            String all = String.join(
                    ", ", Arrays.stream(Role.values()).map(Role::text).toList());
            body.problem("role", Problem.brief(text), "one of " + all);
        }
        return Role.VIEWER;
    }

    private Response revoke(Call call) {
        call.optionalBody().done();
        UUID id = uuid(call.path("id"));
        if (id == null) {
            throw new LonghaulException(
                    ErrorCode.NOT_FOUND, "API key " + Problem.brief(call.path("id")) + " not found");
        }
        ApiKey key = Keys.revoke(store, id, call.caller().name());
        access.forget();
        return Answer.ok(out -> out.object(() -> write(out, key)));
    }

    private static void write(Answer out, ApiKey key) {
        out.text("id", key.id().toString());
        out.text("name", key.name());
        out.text("role", key.role().text());
        if (key.rights().bound()) {
            out.texts("queues", key.rights().queues());
        }
        out.time("createdAt", key.createdAt());
        out.text("createdBy", key.createdBy());
        out.time("lastUsedAt", key.lastUsedAt());
        out.time("revokedAt", key.revokedAt());
    }

    private Response session(Call call) {
        call.query().done();
        LocalToken token = call.caller().equals(Caller.LOCAL) ? access.localToken() : null;
        return Answer.ok(out -> out.object(() -> {
            writeFields(out, call.caller());
            out.text("headerFile", token == null ? null : token.headerFile().toString());
        }));
    }

    private Response open(Call call) {
        Fields body = call.body();
        String secret = body.requiredText("key");
        body.done();
        ServiceRequestContext context = ArmeriaRequest.context(call);
        String localCookie = access.localCookie(context, secret);
        if (localCookie != null) {
            return Answer.ok(out -> write(out, Caller.LOCAL)).with(SET_COOKIE, localCookie);
        }
        ApiKey key = access.byBearer(context, secret);
        if (!key.role().covers(Role.VIEWER)) {
            throw new LonghaulException(
                    ErrorCode.PERMISSION_DENIED,
                    "a session requires at least the viewer role; this key's role is "
                            + key.role().text());
        }
        String token = Token.random();
        Actor.of(key).run(() -> store.openSession(Token.hash(token), key.id(), SessionCookie.LIFE));
        return Answer.ok(out -> write(out, Caller.of(key)))
                .with(SET_COOKIE, SessionCookie.set(token, access.secure(context)));
    }

    private Response close(Call call) {
        call.optionalBody().done();
        ServiceRequestContext context = ArmeriaRequest.context(call);
        String token = SessionCookie.token(context.request().headers());
        if (token != null) {
            store.closeSession(Token.hash(token));
            access.forget();
        }
        boolean secure = access.secure(context);
        return Response.of(Status.NO_CONTENT)
                .with(SET_COOKIE, SessionCookie.clear(secure))
                .with(SET_COOKIE, SessionCookie.clearLocal(context, secure));
    }

    private static void write(Answer out, Caller caller) {
        out.object(() -> writeFields(out, caller));
    }

    private static void writeFields(Answer out, Caller caller) {
        out.text("name", caller.name());
        out.text("role", caller.role().text());
    }

    private static @Nullable UUID uuid(String text) {
        try {
            UUID id = UUID.fromString(text);
            return id.toString().equals(text) ? id : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
