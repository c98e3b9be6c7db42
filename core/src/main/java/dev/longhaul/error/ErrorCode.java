package dev.longhaul.error;

import java.util.Locale;

/** The stable codes that REST, RPC, the CLI and Java callers see; each transport maps them in one exhaustive switch. */
public enum ErrorCode {
    INVALID_ARGUMENT,
    UNKNOWN_DEFINITION,
    UNAUTHENTICATED,
    PERMISSION_DENIED,
    NOT_FOUND,
    FAILED_PRECONDITION,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    RESOURCE_EXHAUSTED,
    INTERNAL,
    UNAVAILABLE;

    /** The name on the wire, such as {@code failed_precondition}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
