package dev.longhaul.internal.loop;

import org.jspecify.annotations.Nullable;

/** Closes the parts of something in their order. A part that fails keeps no other from being closed. */
public final class Closing {
    private @Nullable Throwable failure;

    /** Closes a part; what it throws is kept for {@link #throwIfAny}. */
    public Closing part(Runnable close) {
        try {
            close.run();
        } catch (RuntimeException | Error e) {
            if (failure == null) {
                failure = e;
            } else {
                failure.addSuppressed(e);
            }
        }
        return this;
    }

    /** Throws what the first part that failed has thrown, the others' failures suppressed in it. */
    public void throwIfAny() {
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
    }
}
