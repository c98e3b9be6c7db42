package dev.longhaul.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.Error;
import com.networknt.schema.path.NodePath;
import dev.longhaul.error.FieldError;
import dev.longhaul.internal.text.Text;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The validator's findings as field errors. Its own messages quote the value, so they are never used. */
final class SchemaProblems {
    private static final int MOST = 50;
    private static final int MOST_NAMES = 20;
    private static final int LONGEST = 201;
    private static final Map<String, String> EXAMPLES = Map.of(
            "date-time", "2026-01-31T10:00:00Z",
            "date", "2026-01-31",
            "time", "10:00:00Z",
            "date-time-local", "2026-01-31T10:00:00",
            "time-local", "10:00:00",
            "duration", "PT1H30M",
            "uuid", "0190f5e4-7f3a-7cc1-9d2e-3b1f6a7c8d9e",
            "uri", "https://example.org/a");

    private final JsonNode root;
    private final SecretPlaces secrets;

    SchemaProblems(JsonNode root, SecretPlaces secrets) {
        this.root = root;
        this.secrets = secrets;
    }

    List<FieldError> of(String field, JsonNode value, List<Error> errors) {
        return of(field, value, errors, true);
    }

    /**
     * The problems that prevent reading text of another version: unknown fields only when {@code strict}, and never
     * their values, which the other version may have declared secret.
     */
    List<FieldError> misfits(String field, JsonNode value, List<Error> errors, boolean strict) {
        List<Error> kept = errors.stream()
                .filter(error -> strict || !ofUnknownField(error))
                .toList();
        return of(field, value, kept, false);
    }

    private static boolean ofUnknownField(Error error) {
        return "additionalProperties".equals(error.getKeyword()) || "unevaluatedProperties".equals(error.getKeyword());
    }

    private List<FieldError> of(String field, JsonNode value, List<Error> errors, boolean quoteUnknown) {
        Map<List<Object>, List<Error>> byPlace = new LinkedHashMap<>();
        for (Error error : relevant(errors)) {
            byPlace.computeIfAbsent(place(error), place -> new ArrayList<>()).add(error);
        }
        List<FieldError> problems = new ArrayList<>();
        byPlace.forEach((place, found) -> {
            if (problems.size() < MOST) {
                JsonNode shown = secrets.shown(value, place);
                boolean hidden = !quoteUnknown && found.stream().anyMatch(SchemaProblems::ofUnknownField);
                String text = shown == null ? "missing" : hidden ? JsonSchema.HIDDEN : brief(shown);
                expectations(found)
                        .forEach(expected -> problems.add(new FieldError(JsonPath.of(field, place), text, expected)));
            }
        });
        return problems.size() > MOST ? List.copyOf(problems.subList(0, MOST)) : problems;
    }

    /** A value as short JSON. */
    static String brief(JsonNode value) {
        return value.isTextual() && value.textValue().equals(JsonSchema.HIDDEN)
                ? JsonSchema.HIDDEN
                : Text.storableOf(value.toString(), LONGEST);
    }

    static String noSuchField(List<String> known) {
        return known.isEmpty() ? "no field at all" : "no such field (known: " + listed(known) + ")";
    }

    /** One phrase for all possible types, or one phrase per error. */
    private Set<String> expectations(List<Error> errors) {
        Set<String> kinds = errors.stream()
                .filter(error -> "type".equals(error.getKeyword()))
                .flatMap(error -> kinds(error.getSchemaNode()).stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (!kinds.isEmpty()) {
            return Set.of(String.join(" or ", kinds));
        }
        return errors.stream().map(this::expected).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static List<String> kinds(JsonNode type) {
        return type.isArray() ? strings(type) : List.of(type.asText());
    }

    private String expected(Error error) {
        JsonNode rule = error.getSchemaNode();
        String keyword = String.valueOf(error.getKeyword());
        return switch (keyword) {
            case "required" -> "required";
            case "dependentRequired" -> "required beside " + error.getProperty();
            case "false" -> "nothing";
            case "additionalProperties", "unevaluatedProperties" -> noSuchField(known(error));
            case "enum" -> "one of " + listed(strings(rule));
            case "const" -> "exactly " + words(rule);
            case "minimum" -> ">= " + words(rule);
            case "maximum" -> "<= " + words(rule);
            case "exclusiveMinimum" -> "> " + words(rule);
            case "exclusiveMaximum" -> "< " + words(rule);
            case "multipleOf" -> "a multiple of " + words(rule);
            case "minLength" -> "at least " + counted(rule, "character");
            case "maxLength" -> "at most " + counted(rule, "character");
            case "minItems" -> "at least " + counted(rule, "item");
            case "maxItems" -> "at most " + counted(rule, "item");
            case "minProperties" -> "at least " + counted(rule, "field");
            case "maxProperties" -> "at most " + counted(rule, "field");
            case "uniqueItems" -> "unique items";
            case "contains", "minContains", "maxContains" -> "as many matching items as the schema requires";
            case "items", "unevaluatedItems" -> "no more items";
            case "format" ->
                EXAMPLES.containsKey(words(rule)) ? words(rule) + " such as " + EXAMPLES.get(words(rule)) : words(rule);
            case "oneOf" -> "exactly one of the alternatives of the schema";
            case "not" -> "a value that the schema does not exclude";
            default -> rule == null || rule.isContainerNode() ? "an allowed value" : keyword + " " + words(rule);
        };
    }

    /** Returns the field names that are allowed by the rule that rejected a field. */
    private List<String> known(Error error) {
        JsonNode schema = root;
        NodePath rule = error.getSchemaLocation().getFragment();
        for (int i = 0; i < rule.getNameCount() - 1; i++) {
            Object step = rule.getElement(i);
            schema = step instanceof Integer index ? schema.path(index) : schema.path(step.toString());
        }
        List<String> names = new ArrayList<>();
        schema.path("properties").fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Returns the place of an error: for a missing or unknown field, the field itself and not the object around it. */
    private static List<Object> place(Error error) {
        List<Object> place = elements(error.getInstanceLocation());
        if ("dependentRequired".equals(error.getKeyword())) {
            place.add(error.getArguments()[0]);
        } else if (error.getProperty() != null) {
            place.add(error.getProperty());
        } else if (error.getIndex() != null) {
            place.add(error.getIndex());
        }
        return place;
    }

    /**
     * Drops errors about the type of a value if another alternative failed for a better reason. For example, an invalid
     * object where an object or null is allowed gets only the errors of the object.
     */
    private static List<Error> relevant(List<Error> errors) {
        Set<List<Object>> cameClose = new HashSet<>();
        Set<List<Object>> explained = new HashSet<>();
        Set<List<Object>> tooMany = new HashSet<>();
        for (Error error : errors) {
            List<Object> alternatives = alternatives(error);
            if (alternatives != null) {
                explained.add(alternatives);
                if (!wrongKind(error, alternatives)) {
                    cameClose.add(alternatives);
                }
            }
            if ("oneOf.indexes".equals(error.getMessageKey())) {
                tooMany.add(elements(error.getEvaluationPath()));
            }
        }
        explained.removeAll(tooMany);
        return errors.stream()
                .filter(error -> !explained.contains(elements(error.getEvaluationPath())))
                .filter(error -> {
                    List<Object> alternatives = alternatives(error);
                    return alternatives == null
                            || (!tooMany.contains(alternatives)
                                    && !(cameClose.contains(alternatives) && wrongKind(error, alternatives)));
                })
                .toList();
    }

    /** The path to the innermost {@code anyOf} or {@code oneOf} around the rule that failed. */
    private static @Nullable List<Object> alternatives(Error error) {
        List<Object> path = elements(error.getEvaluationPath());
        for (int i = path.size() - 2; i >= 0; i--) {
            boolean branches = path.get(i).equals("anyOf") || path.get(i).equals("oneOf");
            if (branches && path.get(i + 1) instanceof Integer) {
                return path.subList(0, i + 1);
            }
        }
        return null;
    }

    private static boolean wrongKind(Error error, List<Object> alternatives) {
        List<Object> path = elements(error.getEvaluationPath());
        return "type".equals(error.getKeyword())
                && path.subList(alternatives.size() + 1, path.size() - 1).stream()
                        .allMatch("$ref"::equals);
    }

    private static List<Object> elements(NodePath path) {
        List<Object> elements = new ArrayList<>();
        for (int i = 0; i < path.getNameCount(); i++) {
            elements.add(path.getElement(i));
        }
        return elements;
    }

    private static String counted(JsonNode count, String what) {
        return words(count) + " " + what + (count.asInt() == 1 ? "" : "s");
    }

    private static String words(@Nullable JsonNode node) {
        return node == null ? "" : node.isTextual() ? node.textValue() : Text.storableOf(node.toString(), LONGEST);
    }

    private static List<String> strings(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(SchemaProblems::words)
                .toList();
    }

    private static String listed(List<String> words) {
        return words.stream().limit(MOST_NAMES).collect(Collectors.joining(", "))
                + (words.size() > MOST_NAMES ? ", …" : "");
    }
}
