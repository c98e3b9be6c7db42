package dev.longhaul.api.http;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads query parameters one by one. As in {@link Fields}, {@link #done} throws all errors at once. */
public final class Query {
    private final Request request;
    private final Set<String> known = new LinkedHashSet<>();
    private final List<FieldError> problems = new ArrayList<>();

    Query(Request request) {
        this.request = request;
    }

    public @Nullable String text(String name) {
        known.add(name);
        List<String> all = request.queryValues(name);
        if (all.size() > 1) {
            problem(name, all.size() + " times", "once");
        }
        return all.isEmpty() || all.get(0).isEmpty() ? null : all.get(0);
    }

    public int number(String name, int usual, int min, int max) {
        String text = text(name);
        if (text == null) {
            return usual;
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The value is reported as invalid below.
        }
        problem(name, text, min + " to " + max);
        return usual;
    }

    public boolean flag(String name) {
        String text = text(name);
        if (text == null || text.equals("false")) {
            return false;
        }
        if (!text.equals("true")) {
            problem(name, text, "true or false");
        }
        return true;
    }

    public @Nullable Instant time(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        try {
            // An unescaped plus sign is decoded as a space.
            return OffsetDateTime.parse(text.replace(' ', '+')).toInstant();
        } catch (DateTimeException e) {
            problem(name, text, "an RFC 3339 time with its offset, such as 2030-01-31T09:00:00Z");
            return null;
        }
    }

    /** Returns the values of a comma-separated list; empty if the parameter is missing. */
    public List<String> list(String name) {
        String text = text(name);
        return text == null ? List.of() : List.of(text.split(",", -1));
    }

    /**
     * Returns the parameters whose names start with {@code prefix}, without the prefix.
     *
     * @param shown the name of these parameters in error messages, such as {@code label.KEY}
     */
    public Map<String, String> startingWith(String prefix, String shown) {
        known.add(shown);
        var found = new LinkedHashMap<String, String>();
        for (String name : request.queryNames()) {
            if (name.startsWith(prefix)) {
                String value = text(name);
                found.put(name.substring(prefix.length()), value == null ? "" : value);
            }
        }
        return found;
    }

    public void problem(String name, String value, String expected) {
        problems.add(new FieldError(name, Problem.brief(value), expected));
    }

    /** Throws all errors, if there are any. */
    public void done() {
        List<FieldError> all = problems();
        if (!all.isEmpty()) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, all);
        }
    }

    /** Returns the result of a use case. Throws all errors of the parameters and of the use case. */
    public <T> T done(Supplier<T> made) {
        return Fields.made(problems(), made);
    }

    private List<FieldError> problems() {
        var all = new ArrayList<>(problems);
        String expected = known.isEmpty() ? "no parameters" : "one of " + String.join(", ", known);
        request.queryNames().stream()
                .filter(name -> !known.contains(name))
                .forEach(name -> all.add(new FieldError(Problem.brief(name), "unknown parameter", expected)));
        return all;
    }
}
