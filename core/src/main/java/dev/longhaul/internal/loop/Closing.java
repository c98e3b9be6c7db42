package dev.longhaul.internal.loop;

import org.jspecify.annotations.Nullable;

/** Closes several parts in order. A part that fails does not keep the remaining parts from being closed. */
public final class Closing {
    private @Nullable Throwable failure;

    /** Closes a part; an exception is kept for {@link #throwIfAny}. */
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

    /** Throws the first failure; the failures of later parts are suppressed exceptions of it. */
    public void throwIfAny() {
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
    }
}
