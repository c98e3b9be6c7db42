package dev.longhaul;

import org.jspecify.annotations.Nullable;

/** Thrown by job code when retrying is pointless: the job fails with code {@code given_up}. */
public final class GiveUpException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public GiveUpException(String reason, @Nullable Throwable cause) {
        super(reason, cause);
    }
}
