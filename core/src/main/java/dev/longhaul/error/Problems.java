package dev.longhaul.error;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Collects all problems of one request, so that one response reports them together. */
public final class Problems {
    private List<FieldError> found = List.of();
    private Set<ErrorCode> codes = Set.of();

    /** Adds a problem with {@code field} unless {@code holds}. */
    public Problems require(boolean holds, String field, @Nullable Object value, String expected) {
        return holds ? this : add(List.of(new FieldError(field, String.valueOf(value), expected)));
    }

    /** Adds problems found elsewhere. */
    public Problems add(List<FieldError> more) {
        return add(ErrorCode.INVALID_ARGUMENT, more);
    }

    /**
     * Returns the value that {@code maker} creates. If {@code maker} rejects its input, adds its problems and returns
     * null.
     */
    public <T> @Nullable T made(Supplier<T> maker) {
        try {
            return maker.get();
        } catch (LonghaulException e) {
            // Not a problem of one field: the store is unavailable, for example, or the request is too large to check.
            if (e.errors().isEmpty() || e.code() == ErrorCode.TOO_LARGE) {
                throw e;
            }
            add(e.code(), e.errors());
            return null;
        }
    }

    private Problems add(ErrorCode code, List<FieldError> more) {
        if (!more.isEmpty()) {
            found = new ArrayList<>(found);
            found.addAll(more);
            codes = codes.isEmpty() ? EnumSet.of(code) : codes;
            codes.add(code);
        }
        return this;
    }

    /**
     * Throws the collected problems, as {@link ErrorCode#INVALID_ARGUMENT} unless all of them share another code; does
     * nothing if there are none.
     */
    public void throwIfAny() {
        if (!found.isEmpty()) {
            throw new LonghaulException(
                    codes.size() == 1 ? codes.iterator().next() : ErrorCode.INVALID_ARGUMENT, found);
        }
    }
}
