package dev.longhaul.postgres.access;

import dev.longhaul.access.Actor;
import dev.longhaul.access.AuditDetail;
import dev.longhaul.access.AuditEntry;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.NamedSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An audit entry that a command writes in its own transaction. Created before the transaction starts, so that a retried
 * transaction writes the same entry, not a second one. Writes nothing unless the command runs on behalf of an {@link
 * Actor}.
 */
public final class Audit {
    private static final NamedSql ADD = NamedSql.load("access/add_audit_entry");
    private static final Uuid7 IDS = new Uuid7(System::currentTimeMillis);

    private final UUID id = IDS.next();
    private final @Nullable Actor actor;
    private final String action;

    private Audit(@Nullable Actor actor, String action) {
        this.actor = actor;
        this.action = action;
    }

    /** Creates an entry for the current {@link Actor}. */
    public static Audit of(String action) {
        return new Audit(Actor.current(), action);
    }

    static Audit of(Actor actor, String action) {
        return new Audit(actor, action);
    }

    /** Whether an entry must be written. */
    public boolean wanted() {
        return actor != null;
    }

    public void write(Connection connection, Object subject) throws SQLException {
        write(connection, subject, AuditDetail::new);
    }

    public void write(Connection connection, Object subject, Supplier<AuditDetail> detail) throws SQLException {
        if (actor != null) {
            write(connection, actor, subject.toString(), detail.get().json());
        }
    }

    void write(Connection connection, Actor by, String subject, @Nullable String detail) throws SQLException {
        ADD.run(connection, call -> bind(call, by, subject, detail).update());
    }

    /**
     * Sets the parameters of a statement that writes the entry itself; {@code auditId} is null when there is no entry.
     */
    public Call bind(Call call, Object subject, Supplier<AuditDetail> detail) throws SQLException {
        if (actor != null) {
            return bind(call, actor, subject.toString(), detail.get().json());
        }
        return call.set("auditId", (UUID) null)
                .set("actor", (String) null)
                .set("actorKeyId", (UUID) null)
                .set("action", action)
                .set("subject", subject.toString())
                .set("detail", (String) null);
    }

    private Call bind(Call call, Actor by, String subject, @Nullable String detail) throws SQLException {
        var entry = new AuditEntry(id, Instant.EPOCH, by.name(), by.keyId(), action, subject, detail);
        return call.set("auditId", entry.id())
                .set("actor", entry.actor())
                .set("actorKeyId", entry.actorKeyId())
                .set("action", entry.action())
                .set("subject", entry.subject())
                .set("detail", entry.detail());
    }
}
