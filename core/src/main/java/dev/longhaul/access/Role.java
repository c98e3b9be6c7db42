package dev.longhaul.access;

import java.util.Locale;

/**
 * The permissions of a caller. Each of the first four roles includes the permissions of the roles before it; {@code
 * WORKER} is separate.
 */
public enum Role {
    VIEWER,
    SUBMITTER,
    OPERATOR,
    ADMIN,
    WORKER;

    /** Whether this role includes the permissions of {@code needed}. */
    public boolean covers(Role needed) {
        return this == needed || (this != WORKER && needed != WORKER && compareTo(needed) >= 0) || this == ADMIN;
    }

    /** The name in JSON and on the command line. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
