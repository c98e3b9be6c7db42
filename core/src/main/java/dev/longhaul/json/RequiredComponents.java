package dev.longhaul.json;

import com.fasterxml.jackson.annotation.JacksonInject;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.RecordComponent;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes Jackson reject text in which a record's component is missing, unless the component is {@code Optional} or has
 * an annotation named {@code Nullable}: the same components are required in the record's schema.
 */
final class RequiredComponents extends NopAnnotationIntrospector {
    private static final long serialVersionUID = 1;
    private static final ObjectMapper MAPPER = mapper();

    private static ObjectMapper mapper() {
        ObjectMapper mapper = Json.mapper().copy();
        mapper.setAnnotationIntrospector(AnnotationIntrospector.pair(
                new RequiredComponents(), mapper.getDeserializationConfig().getAnnotationIntrospector()));
        return mapper;
    }

    static ObjectReader reader(JavaType type) {
        return MAPPER.readerFor(type);
    }

    @Override
    public @Nullable Boolean hasRequiredMarker(AnnotatedMember member) {
        if (!(member instanceof AnnotatedParameter parameter)
                || !parameter.getDeclaringClass().isRecord()) {
            return null;
        }
        RecordComponent[] components = parameter.getDeclaringClass().getRecordComponents();
        boolean canonical = parameter.getOwner().getParameterCount() == components.length;
        return (canonical && required(parameter, components[parameter.getIndex()])) ? true : null;
    }

    private static boolean required(AnnotatedParameter parameter, RecordComponent component) {
        boolean absentByDesign = parameter.hasAnnotation(JsonIgnore.class)
                || parameter.hasAnnotation(JacksonInject.class)
                || parameter.hasAnnotation(JsonUnwrapped.class)
                || parameter.hasAnnotation(JsonAnySetter.class);
        return !absentByDesign
                && !optional(component.getType())
                && !nullable(component, component.getAnnotatedType(), component.getAccessor());
    }

    static boolean optional(Class<?> type) {
        return type == Optional.class || ScalarSchemas.optional(type);
    }

    /** Whether one of these has an annotation named {@code Nullable}, of any package. */
    static boolean nullable(@Nullable AnnotatedElement... elements) {
        return Stream.of(elements)
                .filter(Objects::nonNull)
                .flatMap(element -> Stream.of(element.getAnnotations()))
                .map(Annotation::annotationType)
                .anyMatch(annotation -> annotation.getSimpleName().equals("Nullable"));
    }
}
