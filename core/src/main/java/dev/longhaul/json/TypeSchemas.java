package dev.longhaul.json;

import com.fasterxml.classmate.ResolvedType;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.victools.jsonschema.generator.CustomDefinition;
import com.github.victools.jsonschema.generator.CustomDefinition.AttributeInclusion;
import com.github.victools.jsonschema.generator.CustomDefinition.DefinitionType;
import com.github.victools.jsonschema.generator.FieldScope;
import com.github.victools.jsonschema.generator.MemberScope;
import com.github.victools.jsonschema.generator.Option;
import com.github.victools.jsonschema.generator.OptionPreset;
import com.github.victools.jsonschema.generator.SchemaGenerationContext;
import com.github.victools.jsonschema.generator.SchemaGenerator;
import com.github.victools.jsonschema.generator.SchemaGeneratorConfigBuilder;
import com.github.victools.jsonschema.generator.SchemaVersion;
import com.github.victools.jsonschema.generator.TypeScope;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Generates the schema of a Java type. It describes the JSON text that {@link Json} writes for the type and can read
 * into it.
 */
final class TypeSchemas {
    private final SerializationConfig jackson = Json.mapper().getSerializationConfig();
    private final Map<Class<?>, Map<String, BeanPropertyDefinition>> properties = new HashMap<>();

    private TypeSchemas() {}

    static JsonNode of(Type type) {
        try {
            return new TypeSchemas().generator().generateSchema(type);
        } catch (RuntimeException e) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    type + ": no schema can be generated; make it a record, or give a schema",
                    e);
        }
    }

    private SchemaGenerator generator() {
        var builder = new SchemaGeneratorConfigBuilder(
                        Json.mapper(), SchemaVersion.DRAFT_2020_12, OptionPreset.PLAIN_JSON)
                .without(Option.FLATTENED_ENUMS, Option.FLATTENED_SUPPLIERS, Option.VALUES_FROM_CONSTANT_FIELDS)
                .with(Option.MAP_VALUES_AS_ADDITIONAL_PROPERTIES, Option.PLAIN_DEFINITION_KEYS);
        builder.forTypesInGeneral()
                .withCustomDefinitionProvider(this::scalar)
                .withCustomDefinitionProvider(this::valueHolder)
                .withCustomDefinitionProvider(this::alternatives)
                .withAdditionalPropertiesResolver((TypeScope scope) -> additional(scope))
                .withPropertySorter(Comparator.comparingInt(this::order));
        builder.forFields()
                .withIgnoreCheck(field -> property(field) == null)
                .withPropertyNameOverrideResolver(this::name)
                .withNullableCheck(this::nullable)
                .withRequiredCheck(this::required)
                .withWriteOnlyCheck(this::secret);
        return new SchemaGenerator(builder.build());
    }

    private @Nullable CustomDefinition scalar(ResolvedType type, SchemaGenerationContext context) {
        ObjectNode schema = ScalarSchemas.of(type.getErasedType());
        return schema == null ? null : new CustomDefinition(schema, DefinitionType.INLINE, AttributeInclusion.YES);
    }

    /** A type with {@code @JsonValue} has the schema of the value that it holds. */
    private @Nullable CustomDefinition valueHolder(ResolvedType type, SchemaGenerationContext context) {
        AnnotatedMember held = describe(type.getErasedType()).findJsonValueAccessor();
        if (held == null) {
            return null;
        }
        ResolvedType heldType = context.getTypeContext().resolve(held.getRawType());
        return new CustomDefinition(context.createDefinition(heldType), DefinitionType.INLINE, AttributeInclusion.YES);
    }

    /** A type with {@code @JsonTypeInfo} has the schemas of all its known subtypes as alternatives. */
    private @Nullable CustomDefinition alternatives(ResolvedType type, SchemaGenerationContext context) {
        Class<?> base = type.getErasedType();
        BeanDescription described = describe(base);
        if (!polymorphic(described)) {
            return null;
        }
        List<Class<?>> known = new ArrayList<>();
        Json.mapper()
                .getSubtypeResolver()
                .collectAndResolveSubtypesByClass(jackson, described.getClassInfo())
                .forEach(subtype -> known.add(subtype.getType()));
        known.removeIf(subtype -> subtype == base || !base.isAssignableFrom(subtype));
        if (known.isEmpty()) {
            return null;
        }
        ObjectNode schema = context.getGeneratorConfig().createObjectNode();
        known.forEach(subtype -> schema.withArrayProperty("anyOf")
                .add(context.createDefinitionReference(context.getTypeContext().resolve(subtype))));
        return new CustomDefinition(schema);
    }

    /**
     * Forbids additional fields in records and data classes, unless Jackson is configured to accept unknown fields for
     * the type.
     */
    private @Nullable Type additional(TypeScope scope) {
        Class<?> type = scope.getType().getErasedType();
        if (!type.isRecord() && !KotlinTypes.closed(type, describe(type).findProperties())) {
            return null;
        }
        BeanDescription described = Json.mapper().getDeserializationConfig().introspect(javaType(type));
        boolean open = polymorphic(described)
                || described.findAnySetterAccessor() != null
                || jackson.getDefaultPropertyIgnorals(type, described.getClassInfo())
                        .getIgnoreUnknown();
        return open ? null : Void.class;
    }

    private @Nullable BeanPropertyDefinition property(FieldScope field) {
        return siblings(field).get(field.getRawMember().getName());
    }

    /** Orders fields as they were declared, because forms are generated from schemas. */
    private int order(MemberScope<?, ?> field) {
        return List.copyOf(siblings(field).keySet())
                .indexOf(field.getRawMember().getName());
    }

    private Map<String, BeanPropertyDefinition> siblings(MemberScope<?, ?> field) {
        return properties.computeIfAbsent(owner(field), this::byField);
    }

    private static Class<?> owner(MemberScope<?, ?> field) {
        return field.getDeclarationDetails().getSchemaTargetType().getErasedType();
    }

    private Map<String, BeanPropertyDefinition> byField(Class<?> owner) {
        Map<String, BeanPropertyDefinition> found = new LinkedHashMap<>();
        for (BeanPropertyDefinition property : describe(owner).findProperties()) {
            found.put(property.getInternalName(), property);
        }
        return found;
    }

    private @Nullable String name(FieldScope field) {
        BeanPropertyDefinition property = property(field);
        return property == null ? null : property.getName();
    }

    private boolean secret(FieldScope field) {
        BeanPropertyDefinition property = property(field);
        return field.getRawMember().isAnnotationPresent(Secret.class)
                || (property != null
                        && property.getPrimaryMember() != null
                        && property.getPrimaryMember().hasAnnotation(Secret.class));
    }

    private boolean nullable(FieldScope field) {
        if (field.isFakeContainerItemScope()) {
            return false;
        }
        BeanPropertyDefinition property = property(field);
        if (KotlinTypes.nullable(owner(field), property)) {
            return true;
        }
        AnnotatedElement getter = property == null || property.getGetter() == null
                ? null
                : property.getGetter().getAnnotated();
        return RequiredComponents.nullable(
                field.getRawMember(), field.getRawMember().getAnnotatedType(), getter);
    }

    private boolean required(FieldScope field) {
        return !nullable(field)
                && !RequiredComponents.optional(field.getRawMember().getType())
                && !(KotlinTypes.contain(owner(field)) && hasDefault(field));
    }

    /** Whether the constructor of a Kotlin class accepts JSON without the property. */
    private boolean hasDefault(FieldScope field) {
        return Json.mapper().getDeserializationConfig().introspect(javaType(owner(field))).findProperties().stream()
                .noneMatch(read -> read.isRequired() && read.getName().equals(name(field)));
    }

    private static boolean polymorphic(BeanDescription described) {
        return described.getClassInfo().hasAnnotation(JsonTypeInfo.class);
    }

    private BeanDescription describe(Class<?> type) {
        return jackson.introspect(javaType(type));
    }

    private JavaType javaType(Class<?> type) {
        return jackson.constructType(type);
    }
}
