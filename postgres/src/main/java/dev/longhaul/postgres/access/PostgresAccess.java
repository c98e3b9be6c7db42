package dev.longhaul.postgres.access;

import dev.longhaul.access.AccessRules;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.Actor;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.AuditEntry;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Limits;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Row;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** API keys, sessions and the audit trail in the database. */
public final class PostgresAccess implements AccessStore {
    private final NamedSql addKey = NamedSql.load("access/add_api_key");
    private final NamedSql findKey = NamedSql.load("access/find_api_key");
    private final NamedSql keyByHash = NamedSql.load("access/api_key_by_hash");
    private final NamedSql anyKey = NamedSql.load("access/any_api_key");
    private final NamedSql keys = NamedSql.load("access/api_keys");
    private final NamedSql revoke = NamedSql.load("access/revoke_api_key");
    private final NamedSql used = NamedSql.load("access/api_key_used");
    private final NamedSql openSession = NamedSql.load("access/open_session");
    private final NamedSql keyBySession = NamedSql.load("access/api_key_by_session");
    private final NamedSql closeSession = NamedSql.load("access/close_session");
    private final NamedSql audit = NamedSql.load("access/audit");
    private final Database database;

    public PostgresAccess(Database database) {
        this.database = database;
    }

    @Override
    public ApiKey add(UUID id, String name, Rights rights, byte[] hash, @Nullable String by) {
        AccessRules.requireKey(name, hash);
        Audit audit = Audit.of("key.create");
        return database.transaction((connection, again) -> {
            try (Call call = addKey.on(connection)) {
                call.set("id", id)
                        .set("name", name)
                        .set("role", rights.role().text())
                        .texts("queues", rights.queues())
                        .set("hash", hash)
                        .set("by", by == null ? null : Text.storableOf(by, Limits.KEY))
                        .update();
            } catch (SQLException e) {
                if (Database.violates(e, "api_key_hash")) {
                    throw AccessRules.taken();
                }
                throw e;
            }
            try (Call call = findKey.on(connection)) {
                ApiKey key = call.set("id", id).list(PostgresAccess::key).get(0);
                audit.write(connection, id, () -> AuditDetails.of(key));
                return key;
            }
        });
    }

    @Override
    public List<Optional<ApiKey>> byHashes(List<byte[]> hashes) {
        return keysOf(hashes, keyByHash);
    }

    @Override
    public boolean anyKey() {
        return database.single(
                anyKey, call -> call.list(row -> row.flag("any_key")).get(0));
    }

    @Override
    public List<ApiKey> keys() {
        return database.single(keys, call -> call.list(PostgresAccess::key));
    }

    @Override
    public Optional<ApiKey> revoke(UUID id, String by) {
        Audit audit = Audit.of("key.revoke");
        return database.transaction((connection, again) -> {
            try (Call call = revoke.on(connection)) {
                List<ApiKey> revoked = call.set("id", id)
                        .set("by", Text.storableOf(by, Limits.KEY))
                        .list(PostgresAccess::key);
                for (ApiKey key : revoked) {
                    audit.write(connection, id, () -> AuditDetails.of(key));
                }
                return revoked.stream().findFirst();
            }
        });
    }

    @Override
    public void used(UUID id) {
        database.single(
                used,
                call -> call.set("id", id)
                        .set("within", AccessRules.USED_WITHIN)
                        .update());
    }

    @Override
    public void openSession(byte[] hash, UUID keyId, Duration life) {
        AccessRules.requireSession(hash, life);
        Audit audit = Audit.of("session.open");
        database.transaction((connection, again) -> {
            try (Call call = openSession.on(connection)) {
                int opened = call.set("hash", hash)
                        .set("keyId", keyId)
                        .set("life", life)
                        .update();
                if (opened == 0) {
                    throw AccessRules.noKey(keyId);
                }
            }
            audit.write(connection, keyId);
            return true;
        });
    }

    @Override
    public List<Optional<ApiKey>> bySessions(List<byte[]> hashes) {
        return keysOf(hashes, keyBySession);
    }

    @Override
    public void closeSession(byte[] hash) {
        Audit audit = Audit.of("session.close");
        database.transaction((connection, again) -> {
            try (Call call = closeSession.on(connection)) {
                for (UUID keyId : call.set("hash", hash).list(row -> row.uuid("key_id"))) {
                    audit.write(connection, keyId);
                }
            }
            return true;
        });
    }

    @Override
    public void record(Actor actor, String action, String subject, @Nullable String detail) {
        Audit audit = Audit.of(actor, action);
        database.single((connection, again) -> {
            audit.write(connection, actor, subject, detail);
            return true;
        });
    }

    @Override
    public List<AuditEntry> audit(@Nullable UUID before, int limit) {
        AccessRules.requirePage(limit);
        return database.single(
                audit,
                call -> call.set("before", before)
                        .set("limit", (Integer) limit)
                        .list(row -> new AuditEntry(
                                row.uuid("id"),
                                row.instant("at"),
                                row.text("actor"),
                                row.uuidOrNull("actor_key_id"),
                                row.text("action"),
                                row.text("subject"),
                                row.textOrNull("detail"))));
    }

    private List<Optional<ApiKey>> keysOf(List<byte[]> hashes, NamedSql sql) {
        return database.single((connection, again) -> {
            var found = new HashMap<ByteBuffer, ApiKey>();
            try (Call call = sql.on(connection)) {
                call.bytes("hashes", hashes).list(row -> found.put(ByteBuffer.wrap(row.bytes("hash")), key(row)));
            }
            return hashes.stream()
                    .map(hash -> Optional.ofNullable(found.get(ByteBuffer.wrap(hash))))
                    .toList();
        });
    }

    private static ApiKey key(Row row) throws SQLException {
        return new ApiKey(
                row.uuid("id"),
                row.text("name"),
                new Rights(Role.valueOf(row.text("role").toUpperCase(Locale.ROOT)), row.texts("queues")),
                row.instant("created_at"),
                row.textOrNull("created_by"),
                row.instantOrNull("last_used_at"),
                row.instantOrNull("revoked_at"));
    }
}
