package dev.longhaul.error;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Collects everything that is wrong with one request, so that its author learns of all of it in one answer. */
public final class Problems {
    private List<FieldError> found = List.of();
    private Set<ErrorCode> codes = Set.of();

    /** Notes a problem with {@code field} unless {@code holds}. */
    public Problems require(boolean holds, String field, @Nullable Object value, String expected) {
        if (!holds) {
            add(ErrorCode.INVALID_ARGUMENT, List.of(new FieldError(field, String.valueOf(value), expected)));
        }
        return this;
    }

    /** What {@code part} makes of its share of the request; null if it has problems with it, which are noted. */
    public <T> @Nullable T gather(Supplier<T> part) {
        try {
            return part.get();
        } catch (LonghaulException e) {
            if (e.errors().isEmpty()) {
                throw e; // Nothing about the request: the store is out of reach, say.
            }
            add(e.code(), e.errors());
            return null;
        }
    }

    private void add(ErrorCode code, List<FieldError> errors) {
        found = new ArrayList<>(found);
        found.addAll(errors);
        codes = codes.isEmpty() ? EnumSet.of(code) : codes;
        codes.add(code);
    }

    /**
     * Throws what was noted, as {@link ErrorCode#INVALID_ARGUMENT} unless all of it has another code in common; does nothing when
     * all is well.
     */
    public void throwIfAny() {
        if (!found.isEmpty()) {
            throw new LonghaulException(
                    codes.size() == 1 ? codes.iterator().next() : ErrorCode.INVALID_ARGUMENT, found);
        }
    }
}
