package dev.longhaul.server.rest;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import dev.longhaul.access.AccessRules;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.Actor;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.AuditEntry;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Limits;
import dev.longhaul.server.access.Access;
import dev.longhaul.server.access.Keys;
import dev.longhaul.server.access.LocalToken;
import dev.longhaul.server.access.SessionCookie;
import dev.longhaul.server.access.Token;
import dev.longhaul.server.http.Answer;
import dev.longhaul.server.http.Call;
import dev.longhaul.server.http.Caller;
import dev.longhaul.server.http.Fields;
import dev.longhaul.server.http.Problem;
import dev.longhaul.server.http.Query;
import dev.longhaul.server.http.Route;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keys, sessions and the audit trail. */
public final class AccessRoutes {
    private static final int USUAL_PAGE = 50;

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
                Route.get("/v1/audit", Role.ADMIN, this::audit),
                Route.get("/v1/session", Role.VIEWER, this::session),
                Route.post("/v1/session", null, this::open),
                Route.delete("/v1/session", Role.VIEWER, this::close));
    }

    private HttpResponse keys(Call call) {
        call.query().done();
        return Answer.ok(out ->
                out.object(() -> out.list("keys", store.keys(), key -> out.object(() -> write(out, key)))));
    }

    private HttpResponse create(Call call) {
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
                HttpStatus.CREATED,
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

    private HttpResponse revoke(Call call) {
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

    private HttpResponse audit(Call call) {
        Query query = call.query();
        int limit = query.number("limit", USUAL_PAGE, 1, Limits.PAGE);
        String cursor = query.text("cursor");
        UUID before = cursor == null ? null : uuid(cursor);
        if (cursor != null && before == null) {
            query.problem("cursor", cursor, "the nextCursor of an earlier page");
        }
        query.done();
        List<AuditEntry> entries = store.audit(before, limit);
        UUID last =
                entries.size() < limit ? null : entries.get(entries.size() - 1).id();
        boolean more = last != null && !store.audit(last, 1).isEmpty();
        return Answer.ok(out -> out.object(() -> {
            out.list("entries", entries, entry -> out.object(() -> write(out, entry)));
            out.nextCursor(more ? last : null);
        }));
    }

    private static void write(Answer out, AuditEntry entry) {
        out.text("id", entry.id().toString());
        out.time("at", entry.at());
        out.text("actor", entry.actor());
        UUID keyId = entry.actorKeyId();
        out.text("actorKeyId", keyId == null ? null : keyId.toString());
        out.text("action", entry.action());
        out.text("subject", entry.subject());
        out.json("detail", entry.detail());
    }

    private HttpResponse session(Call call) {
        call.query().done();
        LocalToken token = call.caller().equals(Caller.LOCAL) ? access.localToken() : null;
        return Answer.ok(out -> out.object(() -> {
            writeFields(out, call.caller());
            out.text("headerFile", token == null ? null : token.headerFile().toString());
        }));
    }

    private HttpResponse open(Call call) {
        Fields body = call.body();
        String secret = body.requiredText("key");
        body.done();
        String localCookie = access.localCookie(call.context(), secret);
        if (localCookie != null) {
            call.context().setAdditionalResponseHeader(HttpHeaderNames.SET_COOKIE, localCookie);
            return Answer.ok(out -> write(out, Caller.LOCAL));
        }
        ApiKey key = access.byBearer(call.context(), secret);
        if (!key.role().covers(Role.VIEWER)) {
            throw new LonghaulException(
                    ErrorCode.PERMISSION_DENIED,
                    "a session requires at least the viewer role; this key's role is "
                            + key.role().text());
        }
        String token = Token.random();
        Actor.of(key).run(() -> store.openSession(Token.hash(token), key.id(), SessionCookie.LIFE));
        call.context()
                .setAdditionalResponseHeader(
                        HttpHeaderNames.SET_COOKIE, SessionCookie.set(token, access.secure(call.context())));
        return Answer.ok(out -> write(out, Caller.of(key)));
    }

    private HttpResponse close(Call call) {
        call.optionalBody().done();
        String token = SessionCookie.token(call.headers());
        if (token != null) {
            store.closeSession(Token.hash(token));
            access.forget();
        }
        boolean secure = access.secure(call.context());
        return HttpResponse.of(ResponseHeaders.builder(HttpStatus.NO_CONTENT)
                .add(HttpHeaderNames.SET_COOKIE, SessionCookie.clear(secure))
                .add(HttpHeaderNames.SET_COOKIE, SessionCookie.clearLocal(call.context(), secure))
                .build());
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
