package dev.longhaul.spring.job;

import dev.longhaul.JobContext;
import dev.longhaul.spring.LonghaulConfigurationException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * The signature of a method that runs jobs.
 *
 * @param params index of the parameter with the params; -1 when there is none
 * @param context index of the parameter with the context; -1 when there is none
 */
record JobMethod(String bean, Class<?> type, Method method, int params, int context) {
    private static final String EXPECTED =
            "Declare it as `Result method(Params params)`, with a record or data class as params, and optionally a JobContext parameter."
                    + " The return type is the result, or void.";

    static JobMethod of(String bean, Class<?> type, Method method) {
        int params = -1;
        int context = -1;
        Class<?>[] types = method.getParameterTypes();
        boolean suspending = suspending(method);
        if (suspending && !ClassUtils.isPresent("kotlinx.coroutines.BuildersKt", type.getClassLoader())) {
            throw new LonghaulConfigurationException(
                    "@LonghaulJob " + name(bean, method) + ": it is a suspend function, and there are no coroutines",
                    "Add longhaul-kotlin, or kotlinx-coroutines-core, to the dependencies.");
        }
        for (int i = 0; i < types.length - (suspending ? 1 : 0); i++) {
            if (types[i] == JobContext.class && context < 0) {
                context = i;
            } else if (params < 0 && types[i] != JobContext.class && !types[i].isPrimitive()) {
                params = i;
            } else {
                throw wrong(bean, method, "parameter " + (i + 1) + " is of type " + types[i].getName());
            }
        }
        if (Modifier.isStatic(method.getModifiers()) || Modifier.isPrivate(method.getModifiers())) {
            throw wrong(bean, method, "it is " + Modifier.toString(method.getModifiers()));
        }
        Class<?> result = resultOf(method, type).resolve(Object.class);
        if (Future.class.isAssignableFrom(result)
                || CompletionStage.class.isAssignableFrom(result)
                || isPublisher(result)) {
            throw wrong(bean, method, "it returns " + result.getName() + ", so that a failure would not be noticed");
        }
        return new JobMethod(bean, type, method, params, context);
    }

    /** A publisher of Reactive Streams, which need not be on the class path. */
    private static boolean isPublisher(Class<?> type) {
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .anyMatch(one -> one.getName().equals("org.reactivestreams.Publisher"));
    }

    private static LonghaulConfigurationException wrong(String bean, Method method, String why) {
        return new LonghaulConfigurationException("@LonghaulJob " + name(bean, method) + ": " + why, EXPECTED);
    }

    Type paramsType() {
        return params < 0
                ? Void.class
                : ResolvableType.forMethodParameter(method, params, type).getType();
    }

    Type resultType() {
        ResolvableType result = resultOf(method, type);
        Class<?> raw = result.resolve(Object.class);
        if (raw == void.class || raw.getName().equals("kotlin.Unit")) {
            return Void.class;
        }
        return raw.isPrimitive() ? ClassUtils.resolvePrimitiveIfNecessary(raw) : result.getType();
    }

    /** Whether it is a suspend function of Kotlin: its last parameter is a continuation that takes the result. */
    boolean suspending() {
        return suspending(method);
    }

    private static boolean suspending(Method method) {
        return KotlinDetector.isSuspendingFunction(method);
    }

    private static ResolvableType resultOf(Method method, Class<?> type) {
        if (!suspending(method)) {
            return ResolvableType.forMethodReturnType(method, type);
        }
        Type taken = ResolvableType.forMethodParameter(method, method.getParameterCount() - 1, type)
                .getGeneric()
                .getType();
        return ResolvableType.forType(taken instanceof WildcardType wildcard ? wildcard.getLowerBounds()[0] : taken);
    }

    /** The arguments of a call. */
    @Nullable
    Object[] arguments(@Nullable Object given, JobContext jobContext) {
        var arguments = new Object[method.getParameterCount()];
        if (params >= 0) {
            arguments[params] = given;
        }
        if (context >= 0) {
            arguments[context] = jobContext;
        }
        return arguments;
    }

    /** Bean and method, for messages. */
    String name() {
        return name(bean, method);
    }

    static String name(String bean, Method method) {
        return "bean '" + bean + "', method " + ClassUtils.getQualifiedMethodName(method);
    }
}
