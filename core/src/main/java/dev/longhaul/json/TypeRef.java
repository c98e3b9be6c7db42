package dev.longhaul.json;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A Java type with its type arguments, which a {@code Class} cannot hold. Written as an empty subclass:
 * {@code new TypeRef<List<Order>>() {}}.
 */
public abstract class TypeRef<T extends @Nullable Object> {
    private final Type type;

    public TypeRef() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType given)) {
            throw new IllegalStateException("TypeRef: no type argument (expected: new TypeRef<List<Order>>() {})");
        }
        this.type = given.getActualTypeArguments()[0];
    }

    private TypeRef(Type type) {
        this.type = type;
    }

    /** The type of a class without type arguments. */
    public static <T extends @Nullable Object> TypeRef<T> of(Class<T> type) {
        return new Given<>(type);
    }

    /** A type known only at runtime, such as that of a parameter found by reflection. */
    public static TypeRef<?> ofType(Type type) {
        return new Given<>(type);
    }

    public Type type() {
        return type;
    }

    @Override
    public String toString() {
        return type.getTypeName();
    }

    private static final class Given<T extends @Nullable Object> extends TypeRef<T> {
        Given(Type type) {
            super(type);
        }
    }
}
