package dev.longhaul.json;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Translates Jackson's exceptions to our errors. Jackson's own messages quote the text at the error, which may contain
 * a secret, so none of them is passed on when text is read.
 */
final class JsonFailures {
    private static final String READ = Codec.READ;

    private JsonFailures() {}

    static LonghaulException unwritable(Class<?> type, String reason) {
        return new LonghaulException(ErrorCode.INVALID_ARGUMENT, type + ": " + reason);
    }

    static LonghaulException unwritable(Class<?> type, JsonProcessingException e) {
        return new LonghaulException(ErrorCode.INVALID_ARGUMENT, type + ": " + reason(type, e), e);
    }

    /** Where and why text is not JSON, without quoting it. */
    static FieldError notJson(String field, JsonProcessingException e) {
        JsonLocation at = e.getLocation();
        String where = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
        if (e instanceof NothingToRead) {
            return new FieldError(field, "no text", "JSON");
        }
        if (e instanceof StreamConstraintsException) {
            return new FieldError(
                    field,
                    "JSON beyond its limits" + where,
                    "at most " + Json.DEEPEST + " levels, numbers of at most 1000 digits");
        }
        if (e instanceof JsonEOFException) {
            return new FieldError(field, "JSON that ends too early" + where, "JSON");
        }
        boolean doubled =
                e instanceof JsonParseException && e.getOriginalMessage().startsWith("Duplicate");
        return doubled
                ? new FieldError(field, "the same key twice" + where, "each key once")
                : new FieldError(field, "not JSON" + where, "JSON");
    }

    static LonghaulException unreadable(
            Class<?> type, String json, @Nullable JsonSchema schema, JsonProcessingException e, boolean strict) {
        List<FieldError> problems = (schema == null ? JsonSchema.ANYTHING : schema).misfits(READ, json, strict);
        if (!problems.isEmpty()) {
            return new LonghaulException(ErrorCode.INVALID_ARGUMENT, problems);
        }
        FieldError problem =
                e instanceof JsonMappingException mapping ? unfit(type, json, schema, mapping) : notJson(READ, e);
        // The text fits the type; a constructor's own check rejected the value.
        boolean rejected = e instanceof ValueInstantiationException && e.getCause() != null;
        return new LonghaulException(
                rejected ? ErrorCode.FAILED_PRECONDITION : ErrorCode.INVALID_ARGUMENT, List.of(problem));
    }

    private static FieldError unfit(Class<?> type, String json, @Nullable JsonSchema schema, JsonMappingException e) {
        List<Object> path = path(e);
        String value = schema == null || e instanceof UnrecognizedPropertyException
                ? JsonSchema.HIDDEN
                : schema.shown(json, path);
        return new FieldError(JsonPath.of(READ, path), value, expected(type, schema, e));
    }

    private static String expected(Class<?> type, @Nullable JsonSchema schema, JsonMappingException e) {
        if (e instanceof UnrecognizedPropertyException unknown) {
            return SchemaProblems.noSuchField(unknown.getKnownPropertyIds().stream()
                    .map(String::valueOf)
                    .sorted()
                    .toList());
        }
        if (e instanceof ValueInstantiationException construction && e.getCause() != null) {
            // The constructor's message may quote a secret.
            String reason = schema == null || schema.holdsSecrets()
                    ? null
                    : e.getCause().getMessage();
            return reason == null ? "a valid " + name(construction.getType().getRawClass()) : reason;
        }
        if (e instanceof InvalidDefinitionException) {
            return "a type that JSON can be read into; " + name(type) + " cannot: make it a record";
        }
        if (e instanceof ExactValues.Unfit) {
            return e.getOriginalMessage();
        }
        if (e instanceof MismatchedInputException mismatch) {
            Class<?> target = mismatch.getTargetType() == null ? type : mismatch.getTargetType();
            return name(target);
        }
        return name(type);
    }

    private static String reason(Class<?> type, JsonProcessingException e) {
        String where = "";
        if (e instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
            List<Object> path = path(mapping);
            where = JsonPath.of("", path.subList(0, Math.min(path.size(), 8))) + " ";
        }
        Throwable cause = e.getCause() == null ? e : e.getCause();
        if (cause instanceof ExactValues.NotFinite notFinite) {
            return where + notFinite.getOriginalMessage();
        }
        if (cause instanceof StreamConstraintsException) {
            return "nests deeper than " + Json.DEEPEST + " levels, most likely because it refers to itself ("
                    + where.trim() + "…)";
        }
        if (e instanceof InvalidDefinitionException definition) {
            if (e.getOriginalMessage().contains("no properties discovered")) {
                Class<?> empty = definition.getType() == null
                        ? type
                        : definition.getType().getRawClass();
                return where + (empty == type ? "" : "is " + empty + ", which ")
                        + "has no properties to write; make it a record, or give it getters";
            }
            if (e.getOriginalMessage().contains("self-reference")) {
                return where + "refers to itself, which JSON cannot show";
            }
        }
        return where + "cannot be written: "
                + (cause instanceof JsonProcessingException ours ? ours.getOriginalMessage() : cause);
    }

    private static List<Object> path(JsonMappingException e) {
        List<Object> path = new ArrayList<>();
        for (JsonMappingException.Reference step : e.getPath()) {
            path.add(step.getFieldName() == null ? (Object) step.getIndex() : step.getFieldName());
        }
        return path;
    }

    private static String name(Class<?> type) {
        return type.getSimpleName();
    }

    /** Thrown for empty text. */
    static final class NothingToRead extends JsonProcessingException {
        private static final long serialVersionUID = 1;

        NothingToRead() {
            super("nothing to read");
        }
    }
}
