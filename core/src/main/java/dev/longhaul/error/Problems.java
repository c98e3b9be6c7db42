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
        return holds ? this : add(List.of(new FieldError(field, String.valueOf(value), expected)));
    }

    /** Notes what somebody else has found. */
    public Problems add(List<FieldError> more) {
        return add(ErrorCode.INVALID_ARGUMENT, more);
    }

    /** What {@code maker} makes; null, and its problems noted, when it refuses to. */
    public <T> @Nullable T made(Supplier<T> maker) {
        try {
            return maker.get();
        } catch (LonghaulException e) {
            // Nothing about the request, for the store is out of reach, say; or it is too large to be looked at.
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
