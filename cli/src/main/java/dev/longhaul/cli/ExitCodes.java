package dev.longhaul.cli;

import dev.longhaul.error.ErrorCode;

/** Maps error codes to exit codes, as documented in {@code docs/reference/errors.md}. */
final class ExitCodes {
    private ExitCodes() {}

    static int of(ErrorCode code) {
        return switch (code) {
            case INTERNAL -> 1;
            case INVALID_ARGUMENT, UNKNOWN_DEFINITION, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE -> 2;
            case UNAUTHENTICATED, PERMISSION_DENIED -> 3;
            case NOT_FOUND -> 4;
            case FAILED_PRECONDITION -> 5;
            case RESOURCE_EXHAUSTED -> 6;
            case UNAVAILABLE -> 7;
        };
    }
}
