package dev.longhaul.api.http;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Adds the errors that a use case finds to those of the request's fields, so that one response lists all of them.
 * Translates field names of use cases to those of the API.
 */
final class UseCaseProblems {
    private static final Map<String, String> SECONDS =
            Map.of("timeout", "timeoutSeconds", "delay", "delaySeconds", "grace", "graceSeconds");

    private UseCaseProblems() {}

    /** Returns the failure of a use case, with the errors of the request's fields before its own. */
    static LonghaulException after(List<FieldError> form, LonghaulException failure) {
        var all = new ArrayList<>(form);
        all.addAll(notIn(form, failure));
        return new LonghaulException(form.isEmpty() ? failure.code() : ErrorCode.INVALID_ARGUMENT, all);
    }

    /** Returns the errors that only the use case found. Rethrows a failure that is not about fields. */
    static List<FieldError> notIn(List<FieldError> form, LonghaulException failure) {
        if (failure.errors().isEmpty()) {
            throw failure;
        }
        return failure.errors().stream()
                .map(UseCaseProblems::asNamedHere)
                .filter(error -> form.stream().noneMatch(one -> covers(one.field(), error.field())))
                .toList();
    }

    /**
     * Returns whether an error of a field hides the errors of its nested fields, for example because the object is
     * missing.
     */
    private static boolean covers(String found, String field) {
        return field.equals(found) || field.startsWith(found + ".");
    }

    private static FieldError asNamedHere(FieldError error) {
        // In a batch, the field begins with the index: jobs[3].timeout
        int start = error.field().startsWith("jobs[") ? error.field().indexOf('.') + 1 : 0;
        String place = error.field().substring(0, start);
        String name = error.field().substring(start);
        String seconds = SECONDS.get(name);
        if (seconds != null) {
            return new FieldError(place + seconds, seconds(error.value()), error.expected());
        }
        return switch (name) {
            case "namePrefix" -> new FieldError(place + "name", error.value(), error.expected());
            case "runAt" ->
                new FieldError(error.field(), error.value(), error.expected().replace("or delay,", "or delaySeconds,"));
            default -> error;
        };
    }

    private static String seconds(String duration) {
        try {
            return String.valueOf(Duration.parse(duration).toSeconds());
        } catch (DateTimeException e) {
            return duration;
        }
    }
}
