package dev.longhaul.error;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The one exception of Longhaul's API: a stable code, and for bad input every problem at once. */
public final class LonghaulException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ErrorCode code;
    private final transient List<FieldError> errors;

    public LonghaulException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public LonghaulException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.errors = List.of();
    }

    public LonghaulException(ErrorCode code, List<FieldError> errors) {
        super(errors.stream().map(FieldError::toString).collect(Collectors.joining("; ")));
        this.code = code;
        this.errors = List.copyOf(errors);
    }

    public ErrorCode code() {
        return code;
    }

    public List<FieldError> errors() {
        return errors;
    }
}
