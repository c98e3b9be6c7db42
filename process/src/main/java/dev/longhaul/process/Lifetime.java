package dev.longhaul.process;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** How many nanoseconds something may live, which changes with what it is used for; as long as the worker while it is not. */
final class Lifetime implements LongSupplier {
    private volatile @Nullable LongSupplier user;

    void isThatOf(@Nullable LongSupplier other) {
        user = other;
    }

    @Override
    public long getAsLong() {
        LongSupplier current = user;
        return current == null ? Long.MAX_VALUE : current.getAsLong();
    }
}
