package dev.longhaul.error;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects everything that is wrong with one request, so that its author learns of all of it in one answer. */
public final class Problems {
    private List<FieldError> found = List.of();

    /** Notes a problem with {@code field} unless {@code holds}. */
    public Problems require(boolean holds, String field, @Nullable Object value, String expected) {
        if (!holds) {
            found = new ArrayList<>(found);
            found.add(new FieldError(field, String.valueOf(value), expected));
        }
        return this;
    }

    /** Throws what was noted as one {@link ErrorCode#INVALID_ARGUMENT}; does nothing when all is well. */
    public void throwIfAny() {
        if (!found.isEmpty()) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, found);
        }
    }
}
