package dev.longhaul.embedded;

import org.jspecify.annotations.Nullable;

/** Thrown when the server cannot be started or stopped. The message is one line that says what to do. */
public class EmbeddedPostgresException extends RuntimeException {
    EmbeddedPostgresException(String message) {
        this(message, null);
    }

    EmbeddedPostgresException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
