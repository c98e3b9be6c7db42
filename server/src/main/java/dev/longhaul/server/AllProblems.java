package dev.longhaul.server;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Tells everything that is wrong with a request in one answer: what its form has against it and what a use case says of its
 * values. The use case's names become those of the API here, and nowhere else.
 */
final class AllProblems {
    private static final Map<String, String> SECONDS =
            Map.of("timeout", "timeoutSeconds", "delay", "delaySeconds", "grace", "graceSeconds");

    private AllProblems() {}

    /**
     * Does what was asked for. If the form is wrong already nothing is done; {@code check} then finds out what else is wrong.
     *
     * @param form what is wrong with the form
     */
    static <T> T orDo(List<FieldError> form, Runnable check, Supplier<T> deed) {
        try {
            if (form.isEmpty()) {
                return deed.get();
            }
            check.run();
        } catch (LonghaulException e) {
            var all = new ArrayList<>(form);
            all.addAll(more(form, e));
            throw new LonghaulException(form.isEmpty() ? e.code() : ErrorCode.INVALID_ARGUMENT, all);
        }
        throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, form);
    }

    /** What a use case has found that was not told yet; a failure that is not about fields is thrown on. */
    static List<FieldError> more(List<FieldError> told, LonghaulException failure) {
        if (failure.errors().isEmpty()) {
            throw failure;
        }
        return failure.errors().stream()
                .map(AllProblems::asNamedHere)
                .filter(error -> told.stream().noneMatch(one -> covers(one.field(), error.field())))
                .toList();
    }

    /** Whether a problem with a field, such as that it is missing, stands for those with what should be in it. */
    private static boolean covers(String told, String field) {
        return field.equals(told) || field.startsWith(told + ".");
    }

    private static FieldError asNamedHere(FieldError error) {
        // In a batch, after the place of the job: jobs[3].timeout
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
