package dev.longhaul.cli.client.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.cli.client.Json;
import dev.longhaul.cli.client.ServerOptions;
import dev.longhaul.cli.client.database.OpenDatabase;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.server.access.Keys;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads and writes API keys in a database without a server, with the JSON of {@code /v1/keys}. */
final class KeyDatabase implements AutoCloseable {
    private static final String ACTOR = "command-line";

    private final OpenDatabase database;
    private final PostgresStore store;

    KeyDatabase(OpenDatabase database, boolean migrate) {
        this.database = database;
        try {
            this.store = database.store(migrate);
        } catch (RuntimeException e) {
            database.close();
            throw e;
        }
    }

    JsonNode list() {
        ObjectNode root = Json.object();
        var keys = root.putArray("keys");
        store.access().keys().forEach(key -> keys.add(json(key)));
        return root;
    }

    JsonNode create(String name, String role, List<String> queues) {
        Keys.Created created = Keys.create(store.access(), name, new Rights(role(role), queues), ACTOR);
        return json(created.key()).put("secret", created.secret());
    }

    JsonNode revoke(String id) {
        try {
            return json(Keys.revoke(store.access(), UUID.fromString(id), ACTOR));
        } catch (IllegalArgumentException e) {
            throw ServerOptions.bad("id", id, "a key id, as shown by longhaul keys list");
        }
    }

    private static Role role(String text) {
        for (Role role : Role.values()) {
            if (role.text().equals(text)) {
                return role;
            }
        }
        throw ServerOptions.bad(
                "role",
                text,
                "one of "
                        + String.join(
                                ", ",
                                Arrays.stream(Role.values()).map(Role::text).toList()));
    }

    private static ObjectNode json(ApiKey key) {
        ObjectNode json = Json.object()
                .put("id", key.id().toString())
                .put("name", key.name())
                .put("role", key.role().text())
                .put("createdAt", key.createdAt().toString());
        if (key.rights().bound()) {
            json.set("queues", Json.texts(key.rights().queues()));
        }
        put(json, "createdBy", key.createdBy());
        put(json, "lastUsedAt", text(key.lastUsedAt()));
        put(json, "revokedAt", text(key.revokedAt()));
        return json;
    }

    private static void put(ObjectNode json, String name, @Nullable String value) {
        if (value != null) {
            json.put(name, value);
        }
    }

    private static @Nullable String text(@Nullable Instant at) {
        return at == null ? null : at.toString();
    }

    @Override
    public void close() {
        store.close();
        database.close();
    }
}
