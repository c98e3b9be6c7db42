package dev.longhaul.json;

import com.fasterxml.jackson.core.TreeNode;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.invoke.MethodType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The schemas of types that are a single JSON value, and of types whose content has no schema. */
final class ScalarSchemas {
    private static final Map<Class<?>, String> FORMATS = Map.ofEntries(
            Map.entry(Instant.class, "date-time"),
            Map.entry(OffsetDateTime.class, "date-time"),
            Map.entry(ZonedDateTime.class, "date-time"),
            Map.entry(Date.class, "date-time"),
            Map.entry(LocalDate.class, "date"),
            Map.entry(LocalDateTime.class, "date-time-local"),
            Map.entry(LocalTime.class, "time-local"),
            Map.entry(Duration.class, "duration"),
            Map.entry(Period.class, "duration"),
            Map.entry(UUID.class, "uuid"));
    private static final Map<Class<?>, Class<?>> HOLDERS =
            Map.of(OptionalInt.class, int.class, OptionalLong.class, long.class, OptionalDouble.class, double.class);
    private static final Set<Class<?>> DECIMAL = Set.of(Double.class, Float.class, BigDecimal.class, Number.class);
    /** Types that are written as text, listed by class name because core does not use java.net. */
    private static final Set<String> TEXT = Set.of(
            "java.lang.String",
            "java.lang.CharSequence",
            "java.io.File",
            "java.net.InetAddress",
            "java.net.URI",
            "java.net.URL",
            "java.nio.file.Path",
            "java.time.MonthDay",
            "java.time.OffsetTime",
            "java.time.YearMonth",
            "java.time.ZoneId",
            "java.time.ZoneOffset",
            "java.util.Currency",
            "java.util.Locale",
            "java.util.TimeZone",
            "java.util.regex.Pattern");

    private ScalarSchemas() {}

    /** Whether the type is an {@code Optional} of a primitive, such as {@code OptionalInt}. */
    static boolean optional(Class<?> type) {
        return HOLDERS.containsKey(type);
    }

    /** The schema of the type; null for arrays, collections, maps and types with fields of their own. */
    static @Nullable ObjectNode of(Class<?> type) {
        if (type == void.class || type == Void.class) {
            return typed("null");
        }
        if (type.isEnum()) {
            return enumerated(type);
        }
        if (HOLDERS.containsKey(type)) {
            ObjectNode held = number(HOLDERS.get(type));
            return held == null ? null : held.set("type", pair(held.get("type").textValue()));
        }
        ObjectNode schema = text(type);
        if (schema == null) {
            schema = number(type);
        }
        return schema == null ? unsaid(type) : schema;
    }

    private static @Nullable ObjectNode text(Class<?> type) {
        if (FORMATS.containsKey(type)) {
            return typed("string").put("format", FORMATS.get(type));
        }
        if (type == char.class || type == Character.class) {
            return typed("string").put("minLength", 1).put("maxLength", 1);
        }
        if (type == byte[].class) {
            return typed("string").put("contentEncoding", "base64");
        }
        return TEXT.contains(type.getName()) ? typed("string") : null;
    }

    private static @Nullable ObjectNode number(Class<?> type) {
        Class<?> boxed = MethodType.methodType(type).wrap().returnType();
        if (boxed == Boolean.class) {
            return typed("boolean");
        }
        if (boxed == Byte.class) {
            return integer(Byte.MIN_VALUE, Byte.MAX_VALUE);
        }
        if (boxed == Short.class) {
            return integer(Short.MIN_VALUE, Short.MAX_VALUE);
        }
        if (boxed == Integer.class) {
            return integer(Integer.MIN_VALUE, Integer.MAX_VALUE);
        }
        if (boxed == Long.class) {
            return integer(Long.MIN_VALUE, Long.MAX_VALUE);
        }
        if (boxed == BigInteger.class) {
            return typed("integer");
        }
        return DECIMAL.contains(boxed) ? typed("number") : null;
    }

    /**
     * A schema that accepts any value, for JSON trees and for JDK types that are not listed here: Jackson has its own
     * formats for them.
     */
    private static @Nullable ObjectNode unsaid(Class<?> type) {
        if (ObjectNode.class.isAssignableFrom(type)) {
            return typed("object");
        }
        if (ArrayNode.class.isAssignableFrom(type)) {
            return typed("array");
        }
        boolean container = type.isArray()
                || Iterable.class.isAssignableFrom(type)
                || Map.class.isAssignableFrom(type)
                || type == Optional.class;
        boolean foreign = type.getName().startsWith("java.") && !container;
        return TreeNode.class.isAssignableFrom(type) || foreign ? JsonNodeFactory.instance.objectNode() : null;
    }

    private static ObjectNode enumerated(Class<?> type) {
        ObjectNode schema = JsonNodeFactory.instance.objectNode();
        for (Object constant : type.getEnumConstants()) {
            schema.withArrayProperty("enum").add(Json.mapper().<JsonNode>valueToTree(constant));
        }
        return schema;
    }

    private static ObjectNode integer(long min, long max) {
        return typed("integer").put("minimum", min).put("maximum", max);
    }

    private static ObjectNode typed(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type);
    }

    private static ArrayNode pair(String type) {
        return JsonNodeFactory.instance.arrayNode().add(type).add("null");
    }
}
