package dev.longhaul.spring.job;

import dev.longhaul.JobContext;
import dev.longhaul.spring.LonghaulConfigurationException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
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
            "Declare it as `Result method(Params params)`, with a record as params, and optionally a JobContext parameter."
                    + " The return type is the result, or void.";

    static JobMethod of(String bean, Class<?> type, Method method) {
        int params = -1;
        int context = -1;
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
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
        Class<?> result = method.getReturnType();
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
        Class<?> result = method.getReturnType();
        if (result == void.class || result.getName().equals("kotlin.Unit")) {
            return Void.class;
        }
        return result.isPrimitive()
                ? ClassUtils.resolvePrimitiveIfNecessary(result)
                : ResolvableType.forMethodReturnType(method, type).getType();
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
