package dev.longhaul.server;

import dev.longhaul.access.Role;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who sent a request.
 *
 * @param keyId the key it came with; null for whoever is on this machine while there are no keys
 */
record Caller(String name, Role role, @Nullable UUID keyId) {
    /** Whoever is on this machine, while no key exists. */
    static final Caller LOCAL = new Caller("local", Role.ADMIN, null);

    boolean may(Role needed) {
        return role.covers(needed);
    }
}
