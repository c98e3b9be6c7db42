package dev.longhaul.json;

import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Classes written in Kotlin. Jackson's module for Kotlin reads them and knows which properties may be null or have
 * defaults. It is used where the application has it; this module does not depend on it.
 */
final class KotlinTypes {
    private static final String MODULE = "com.fasterxml.jackson.module.kotlin.KotlinModule";
    private static final String MARK = "kotlin.Metadata";

    private KotlinTypes() {}

    /** Jackson's module for Kotlin, if it is on the class path. */
    static List<Module> modules() {
        Class<?> type;
        try {
            type = Class.forName(MODULE, true, KotlinTypes.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return List.of();
        }
        try {
            return List.of((Module) type.getConstructor().newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    MODULE + ": cannot be created; use the version of jackson-module-kotlin that longhaul-kotlin"
                            + " depends on",
                    e);
        }
    }

    static boolean contain(Class<?> type) {
        return Stream.of(type.getAnnotations())
                .anyMatch(annotation -> annotation.annotationType().getName().equals(MARK));
    }

    /** Whether the property of a Kotlin class may be null, as far as its getter says. */
    static boolean nullable(Class<?> owner, @Nullable BeanPropertyDefinition written) {
        return written != null
                && contain(owner)
                && Boolean.FALSE.equals(written.getMetadata().getRequired());
    }

    /** Whether JSON of the class has only fields of the class: it has no subclasses and no computed properties. */
    static boolean closed(Class<?> type, Collection<BeanPropertyDefinition> written) {
        List<String> fields =
                Stream.of(type.getDeclaredFields()).map(Field::getName).toList();
        return contain(type)
                && Modifier.isFinal(type.getModifiers())
                && written.stream().allMatch(property -> fields.contains(property.getInternalName()));
    }
}
