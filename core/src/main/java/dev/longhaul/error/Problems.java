package dev.longhaul.error;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Collects everything that is wrong with one request, so that its author learns of all of it in one answer. */
public final class Problems {
    private List<FieldError> found = List.of();

    /** Notes a problem with {@code field} unless {@code holds}. */
    public Problems require(boolean holds, String field, @Nullable Object value, String expected) {
        return holds ? this : add(List.of(new FieldError(field, String.valueOf(value), expected)));
    }

    /** Notes what somebody else has found. */
    public Problems add(List<FieldError> more) {
        if (!more.isEmpty()) {
            found = new ArrayList<>(found);
            found.addAll(more);
        }
        return this;
    }

    /** What {@code maker} makes; null, and its problems noted, when it refuses to. */
    public <T> @Nullable T made(Supplier<T> maker) {
        try {
            return maker.get();
        } catch (LonghaulException e) {
            if (e.code() != ErrorCode.INVALID_ARGUMENT || e.errors().isEmpty()) {
                throw e;
            }
            add(e.errors());
            return null;
        }
    }

    /** Throws what was noted as one {@link ErrorCode#INVALID_ARGUMENT}; does nothing when all is well. */
    public void throwIfAny() {
        if (!found.isEmpty()) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, found);
        }
    }
}
