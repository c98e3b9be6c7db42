package dev.longhaul.api.access;

import dev.longhaul.access.AccessStore;
import dev.longhaul.access.AuditEntry;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Query;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.job.Limits;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Serves the audit trail. */
public final class AuditRoutes {
    private static final int USUAL_PAGE = 50;

    private final AccessStore store;

    public AuditRoutes(AccessStore store) {
        this.store = store;
    }

    public List<Route> routes() {
        return List.of(Route.get("/v1/audit", Role.ADMIN, this::audit));
    }

    private Response audit(Call call) {
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

    private static @Nullable UUID uuid(String text) {
        try {
            UUID id = UUID.fromString(text);
            return id.toString().equals(text) ? id : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
