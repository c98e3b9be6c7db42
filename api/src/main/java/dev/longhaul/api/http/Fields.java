package dev.longhaul.api.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Duration;
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

/**
 * Reads the fields of a JSON object one by one. Collects the errors of invalid fields and of unknown fields, which are
 * those that were not read; {@link #done} throws all errors at once. Copies values that are stored as JSON unchanged
 * from the text.
 */
public final class Fields {
    /** Maximum depth: the depth of stored JSON, plus the object and the list around it. */
    private static final int DEEPEST = 66;

    /** Maximum number of fields of one object. Params are not parsed here and may have more. */
    private static final int MOST_FIELDS = 1000;

    private static final String TIME = "an RFC 3339 time with its offset, such as 2030-01-31T09:00:00Z";

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final Map<String, Value> values;
    private final String place;
    private final @Nullable FieldError whole;
    private final Set<String> known = new LinkedHashSet<>();
    private final List<FieldError> problems = new ArrayList<>();
    private final List<Fields> inner = new ArrayList<>();

    private record Value(JsonToken token, String raw, String text) {}

    private Fields(Map<String, Value> values, String place) {
        this(values, place, null);
    }

    /** @param whole the error of the object as a whole, which replaces the errors of its fields; null if it has none */
    private Fields(Map<String, Value> values, String place, @Nullable FieldError whole) {
        this.values = values;
        this.place = place;
        this.whole = whole;
    }

    static Fields none() {
        return new Fields(Map.of(), "");
    }

    /** @param place prefix of field names in errors, such as {@code jobs[3].}; empty for the whole body */
    static Fields parse(String json, String place) {
        try (JsonParser parser = JSON.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                String found = parser.currentToken() == null ? "nothing" : Problem.brief(json.strip());
                throw bad(place.isEmpty() ? "body" : place.substring(0, place.length() - 1), found, "a JSON object");
            }
            var values = new LinkedHashMap<String, Value>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                if (values.size() == MOST_FIELDS) {
                    throw bad(
                            place.isEmpty() ? "body" : place.substring(0, place.length() - 1),
                            "more than " + MOST_FIELDS + " fields",
                            "at most " + MOST_FIELDS);
                }
                parser.nextToken();
                values.put(name, value(parser, json));
            }
            if (parser.nextToken() != null) {
                throw bad("body", "text after its end", "one JSON object");
            }
            return new Fields(values, place);
        } catch (JsonProcessingException e) {
            throw bad("body", Problem.brief(ErrorText.of(e.getOriginalMessage())), "valid JSON");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Value value(JsonParser parser, String json) throws IOException {
        JsonToken token = parser.currentToken();
        int start = (int) parser.currentTokenLocation().getCharOffset();
        String text = "";
        if (token.isStructStart()) {
            parser.skipChildren();
        } else {
            text = parser.getText();
        }
        int end = (int) parser.currentLocation().getCharOffset();
        return new Value(token, json.substring(start, end).strip(), text);
    }

    public static LonghaulException bad(String field, String value, String expected) {
        return new LonghaulException(ErrorCode.INVALID_ARGUMENT, List.of(new FieldError(field, value, expected)));
    }

    public boolean has(String name) {
        known.add(name);
        return values.containsKey(name);
    }

    public @Nullable String text(String name) {
        Value value = given(name);
        if (value == null) {
            return null;
        }
        if (value.token != JsonToken.VALUE_STRING) {
            wrong(name, value, "text");
            return null;
        }
        return value.text;
    }

    public String requiredText(String name) {
        String text = text(name);
        if (text == null && given(name) == null) {
            problem(name, "missing", "text");
        }
        return text == null ? "" : text;
    }

    public @Nullable Integer integer(String name) {
        Value value = given(name);
        if (value == null) {
            return null;
        }
        if (value.token == JsonToken.VALUE_NUMBER_INT) {
            try {
                return Integer.valueOf(value.text);
            } catch (NumberFormatException e) {
                // The value is reported as invalid below.
            }
        }
        wrong(name, value, "a whole number");
        return null;
    }

    public @Nullable Duration seconds(String name) {
        Integer seconds = integer(name);
        return seconds == null ? null : Duration.ofSeconds(seconds);
    }

    public boolean flag(String name) {
        return Boolean.TRUE.equals(choice(name));
    }

    public @Nullable Boolean choice(String name) {
        Value value = given(name);
        if (value == null || value.token == JsonToken.VALUE_TRUE || value.token == JsonToken.VALUE_FALSE) {
            return value == null ? null : value.token == JsonToken.VALUE_TRUE;
        }
        wrong(name, value, "true or false");
        return null;
    }

    public @Nullable Instant time(String name) {
        String text = text(name);
        return text == null ? null : time(name, text);
    }

    public Instant requiredTime(String name) {
        Instant time = time(name);
        if (time == null && given(name) == null) {
            problem(name, "missing", TIME);
        }
        return time == null ? Instant.EPOCH : time;
    }

    private @Nullable Instant time(String name, String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            problem(name, Problem.brief(text), TIME);
            return null;
        }
    }

    /** Returns a list of times. */
    public @Nullable List<Instant> times(String name, int most) {
        List<Value> items = items(name, "a list of times", most);
        if (items == null) {
            return null;
        }
        var times = new ArrayList<Instant>();
        for (int i = 0; i < items.size(); i++) {
            Value item = items.get(i);
            String one = name + "[" + i + "]";
            if (item.token == JsonToken.VALUE_STRING) {
                Instant time = time(one, item.text);
                // A placeholder for the invalid value, so that the other fields are still checked.
                times.add(time == null ? Instant.now() : time);
            } else {
                wrong(one, item, TIME);
                times.add(Instant.now());
            }
        }
        return times;
    }

    /** Returns the value as JSON text, exactly as it was sent. */
    public @Nullable String json(String name) {
        known.add(name);
        Value value = values.get(name);
        return value == null ? null : value.raw;
    }

    public @Nullable Map<String, String> texts(String name) {
        Value value = given(name);
        if (value == null) {
            return null;
        }
        if (value.token != JsonToken.START_OBJECT) {
            wrong(name, value, "an object of texts");
            return null;
        }
        Fields inner = parse(value.raw, place + name + ".");
        var texts = new LinkedHashMap<String, String>();
        for (String key : inner.values.keySet()) {
            String text = inner.text(key);
            if (text != null) {
                texts.put(key, text);
            } else if (inner.given(key) == null) {
                inner.problem(key, "null", "text");
            }
        }
        problems.addAll(inner.problems);
        return texts;
    }

    /** Returns a list of texts. */
    public @Nullable List<String> textList(String name, int most) {
        List<Value> items = items(name, "a list of texts", most);
        if (items == null) {
            return null;
        }
        var texts = new ArrayList<String>();
        for (int i = 0; i < items.size(); i++) {
            Value item = items.get(i);
            if (item.token == JsonToken.VALUE_STRING) {
                texts.add(item.text);
            } else {
                wrong(name + "[" + i + "]", item, "text");
            }
        }
        return texts;
    }

    /** Returns a list of objects; the errors of their fields contain the index. */
    public List<Fields> objects(String name, int most) {
        List<Value> items = items(name, "a list of objects", most);
        if (items == null) {
            if (given(name) == null) {
                problem(name, "missing", "a list of objects");
            }
            return List.of();
        }
        var objects = new ArrayList<Fields>();
        items.forEach(item -> objects.add(item(item, place + name + "[" + objects.size() + "]")));
        inner.addAll(objects);
        return objects;
    }

    private @Nullable List<Value> items(String name, String expected, int most) {
        Value value = given(name);
        if (value == null) {
            return null;
        }
        if (value.token != JsonToken.START_ARRAY) {
            wrong(name, value, expected);
            return null;
        }
        var items = new ArrayList<Value>();
        try (JsonParser parser = JSON.createParser(value.raw)) {
            parser.nextToken();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (items.size() == most) {
                    // Thrown immediately: checking every item of an oversized list is not worth the work.
                    throw bad(place + name, "more than " + most, "at most " + most);
                }
                items.add(value(parser, value.raw));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return items;
    }

    /** Returns the fields of a nested object; null if it is missing. */
    public @Nullable Fields object(String name) {
        Value value = given(name);
        if (value == null) {
            return null;
        }
        Fields object = item(value, place + name);
        inner.add(object);
        return object;
    }

    private static Fields item(Value value, String place) {
        if (value.token == JsonToken.START_OBJECT) {
            return parse(value.raw, place + ".");
        }
        return new Fields(Map.of(), place + ".", new FieldError(place, Problem.brief(value.raw), "a JSON object"));
    }

    /** Adds an error of a field. */
    public void problem(String name, String value, String expected) {
        problems.add(new FieldError(place + name, value, expected));
    }

    /** Creates a value from fields. If {@code value} throws errors, adds them and returns null. */
    public <T> @Nullable T made(Supplier<T> value) {
        try {
            return value.get();
        } catch (LonghaulException e) {
            UseCaseProblems.notIn(problems, e)
                    .forEach(error -> problem(error.field(), error.value(), error.expected()));
            return null;
        }
    }

    /** Runs {@code rule} and adds the errors that it throws. */
    public void check(Runnable rule) {
        made(() -> {
            rule.run();
            return rule;
        });
    }

    /** Returns all errors, including those of unknown fields and of nested objects. */
    List<FieldError> problems() {
        if (whole != null) {
            return List.of(whole);
        }
        var all = new ArrayList<>(problems);
        inner.forEach(one -> all.addAll(one.problems()));
        values.keySet().stream()
                .filter(name -> !known.contains(name))
                .forEach(name -> all.add(new FieldError(
                        place + Problem.brief(name), "unknown field", "one of " + String.join(", ", known))));
        return all;
    }

    /** Throws all errors, if there are any. */
    public void done() {
        List<FieldError> all = problems();
        if (!all.isEmpty()) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, all);
        }
    }

    /**
     * Returns the result of a use case that changes nothing. Throws all errors of the request's fields and of the use
     * case.
     */
    public <T> T done(Supplier<T> made) {
        return made(problems(), made);
    }

    /**
     * Executes the use case and returns its result. Throws all errors of the request's fields and of the use case.
     *
     * @param check throws the errors that {@code action} would throw, without changing anything; runs only if the
     * fields are invalid
     * @param action the use case; runs only if the fields are valid
     */
    public <T> T done(Supplier<?> check, Supplier<T> action) {
        List<FieldError> form = problems();
        if (!form.isEmpty()) {
            made(form, check);
        }
        return made(form, action);
    }

    /**
     * Returns the result of a use case. Throws the errors of the request's fields and those of the use case.
     *
     * @param form the errors of the request's fields
     * @param made the use case; it runs even if there are errors, and must change nothing then
     */
    static <T> T made(List<FieldError> form, Supplier<T> made) {
        T value;
        try {
            value = made.get();
        } catch (LonghaulException e) {
            throw UseCaseProblems.after(form, e);
        }
        if (!form.isEmpty()) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, form);
        }
        return value;
    }

    private @Nullable Value given(String name) {
        known.add(name);
        Value value = values.get(name);
        return value == null || value.token == JsonToken.VALUE_NULL ? null : value;
    }

    private void wrong(String name, Value value, String expected) {
        problem(name, Problem.brief(value.raw), expected);
    }
}
