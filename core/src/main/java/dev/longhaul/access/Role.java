package dev.longhaul.access;

import java.util.Locale;

/** What a caller may do. Each of the first four may do what those before it may; a worker stands apart. */
public enum Role {
    VIEWER,
    SUBMITTER,
    OPERATOR,
    ADMIN,
    WORKER;

    /** Whether a caller of this role may do what {@code needed} is asked for. */
    public boolean covers(Role needed) {
        return this == needed || (this != WORKER && needed != WORKER && compareTo(needed) >= 0) || this == ADMIN;
    }

    /** As in JSON and on the command line. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
