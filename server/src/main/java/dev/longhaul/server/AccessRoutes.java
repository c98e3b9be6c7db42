package dev.longhaul.server;

import dev.longhaul.access.AccessStore;
import java.util.List;

/** Keys, sessions and the audit trail. */
final class AccessRoutes {
    AccessRoutes(AccessStore store, Access access) {}

    List<Route> routes() {
        return List.of();
    }
}
