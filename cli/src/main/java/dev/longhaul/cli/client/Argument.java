package dev.longhaul.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

/**
 * An argument of a command: an option or a positional argument. A positional argument replaces the placeholder of its
 * name in the path. If {@link #field} is not set, the command itself interprets the argument.
 *
 * @param <T> the type of its value
 */
public final class Argument<T> {
    private final String name;
    private final Class<?> type;
    private final String label;
    private final String[] description;
    private @Nullable BiConsumer<ObjectNode, T> field;
    private boolean required;
    private boolean split;
    private boolean valueOptional;
    private @Nullable String fallback;

    private Argument(String name, Class<?> type, String label, String... description) {
        this.name = name;
        this.type = type;
        this.label = label;
        this.description = description;
    }

    /** Creates a positional argument. */
    public static Argument<String> positional(String label, String description) {
        return new Argument<String>(label, String.class, label, description).required();
    }

    /** Creates a positional argument with one or more values. */
    public static Argument<List<String>> positionals(String label, String description) {
        return new Argument<List<String>>(label, List.class, label, description).required();
    }

    public static Argument<String> text(String option, String label, String... description) {
        return new Argument<>(option, String.class, label, description);
    }

    public static Argument<Integer> number(String option, String label, String description) {
        return new Argument<>(option, Integer.class, label, description);
    }

    /** Creates an option for a duration, which is sent in whole seconds. */
    public static Argument<Duration> span(String option, String description) {
        return new Argument<>(option, Duration.class, "SPAN", description);
    }

    /** Creates a repeatable option. */
    public static Argument<List<String>> texts(String option, String label, String description) {
        return new Argument<>(option, List.class, label, description);
    }

    /** Creates a repeatable option for labels. */
    public static Argument<Map<String, @Nullable String>> labels(String option, String description) {
        return new Argument<>(option, Map.class, "KEY=VALUE", description);
    }

    /** Creates an option without a value. Several names are separated by spaces. */
    public static Argument<Boolean> flag(String names, String description) {
        return new Argument<>(names, boolean.class, "", description);
    }

    /** Creates an option whose value is true or false. */
    public static Argument<Boolean> choice(String option, String description) {
        return new Argument<>(option, Boolean.class, "true|false", description);
    }

    /**
     * Sets the field of the request's body, or of its query if it has no body, that gets the value. {@code a.b} is
     * field b of object a.
     */
    public Argument<T> field(String path) {
        int dot = path.indexOf('.');
        return puts((request, value) -> {
            ObjectNode object = dot < 0 ? request : request.withObject("/" + path.substring(0, dot));
            object.set(path.substring(dot + 1), json(value));
        });
    }

    /** Sets a function that adds the value to the request. */
    public Argument<T> puts(BiConsumer<ObjectNode, T> how) {
        field = how;
        return this;
    }

    public Argument<T> required() {
        required = true;
        return this;
    }

    /** Makes the value of a duration option optional; the option without a value gets this one. */
    public Argument<T> orElse(String value) {
        fallback = value;
        return this;
    }

    /** Makes a positional argument optional. */
    public Argument<T> optional() {
        required = false;
        return this;
    }

    /** Accepts several values separated by commas. */
    public Argument<T> separatedByCommas() {
        split = true;
        return this;
    }

    /** Accepts labels without a value; their value is then null. */
    public Argument<T> valueOptional() {
        valueOptional = true;
        return this;
    }

    boolean isNamed(String one) {
        return Arrays.asList(name.split(" ")).contains(one);
    }

    /** Returns whether the argument sets a field of the request. */
    boolean fills() {
        return field != null;
    }

    boolean isPositional() {
        return !name.startsWith("-");
    }

    /** Returns the argument for the parser; the index applies to positional arguments. */
    ArgSpec spec(int index) {
        return isPositional() ? positionalSpec(index) : optionSpec();
    }

    private ArgSpec positionalSpec(int index) {
        boolean many = type == List.class;
        return PositionalParamSpec.builder()
                .type(type)
                .auxiliaryTypes(String.class)
                .index(many ? index + "..*" : Integer.toString(index))
                .arity((required ? "1" : "0") + (many ? "..*" : required ? "" : "..1"))
                .required(required)
                .paramLabel(label)
                .description(description)
                .build();
    }

    private ArgSpec optionSpec() {
        OptionSpec.Builder option = OptionSpec.builder(name.split(" "))
                .type(type)
                .required(required)
                .splitRegex(split ? "," : "")
                .paramLabel(label)
                .description(description);
        if (type == Duration.class) {
            option.converters(new DurationOption());
            if (fallback != null) {
                option.arity("0..1").fallbackValue(fallback);
            }
        } else if (type == List.class) {
            option.auxiliaryTypes(String.class);
        } else if (type == Map.class) {
            option.auxiliaryTypes(String.class, String.class);
        } else if (type == Boolean.class) {
            option.arity("1");
        }
        if (valueOptional) {
            option.mapFallbackValue(Option.NULL_VALUE);
        }
        return option.build();
    }

    /** Adds the argument's value to a request. */
    @SuppressWarnings("unchecked") // the parser created it with the declared type
    void fill(ObjectNode request, Object value) {
        if (field != null) {
            field.accept(request, (T) value);
        }
    }

    /**
     * Converts a value to JSON without Jackson's serializers, which take longer to load than the rest of the request.
     */
    private static JsonNode json(Object value) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        if (value instanceof Duration span) {
            return json.numberNode(span.plusMillis(999).toSeconds()); // rounded up: never sooner than requested
        }
        if (value instanceof Integer number) {
            return json.numberNode(number);
        }
        if (value instanceof Boolean flag) {
            return json.booleanNode(flag);
        }
        if (value instanceof List<?> texts) {
            return Json.texts(texts.stream().map(String::valueOf).toList());
        }
        if (value instanceof Map<?, ?> map) {
            ObjectNode object = json.objectNode();
            map.forEach((key, text) -> object.put(String.valueOf(key), text == null ? null : text.toString()));
            return object;
        }
        return json.textNode(value.toString());
    }
}
