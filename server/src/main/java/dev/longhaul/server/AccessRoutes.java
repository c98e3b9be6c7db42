package dev.longhaul.server;

import dev.longhaul.access.AccessStore;
import java.util.List;

/** Keys, sessions and the audit trail. */
final class AccessRoutes {
    private final AccessStore store;
    private final Access access;

    AccessRoutes(AccessStore store, Access access) {
        this.store = store;
        this.access = access;
    }

    List<Route> routes() {
        return List.of();
    }
}
