package dev.longhaul.spring.job;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.json.TypeRef;
import dev.longhaul.spring.LonghaulConfigurationException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Provides the definitions of annotated methods that run in processes of their own. A child process has no application
 * context: its environment names the method, and it creates the bean with the constructor without arguments.
 */
public final class Isolated implements JobDefinitions {
    private static final String METHOD = "LONGHAUL_SPRING_METHOD";
    private static final String DEFINITION = "LONGHAUL_SPRING_DEFINITION";

    /**
     * Those of the open contexts of this process, which asks only for their names; a child has one definition, from its
     * environment. Contexts may have the same ones.
     */
    private static final Set<JobDefinition<?, ?>> DECLARED = ConcurrentHashMap.newKeySet();

    /** The isolation of a method, in a process that can find it. */
    static Isolation.InProcess process(JobMethod method, String key, int version) {
        constructor(method);
        String text = method.method().getDeclaringClass().getName() + "#"
                + method.method().getName();
        return Isolation.process()
                .environment(METHOD, method.type().getName() + "|" + text)
                .environment(DEFINITION, new DefinitionRef(key, version).toString());
    }

    /** Makes the definitions of a context known; returns those that run in processes. */
    static List<JobDefinition<?, ?>> declare(Collection<? extends JobDefinition<?, ?>> definitions) {
        List<JobDefinition<?, ?>> isolated = definitions.stream()
                .<JobDefinition<?, ?>>map(one -> one)
                .filter(one -> one.isolation() instanceof Isolation.InProcess own
                        && own.environment().containsKey(METHOD))
                .toList();
        DECLARED.addAll(isolated);
        return isolated;
    }

    /** Forgets the definitions of a context that is closed. */
    static void forget(Collection<JobDefinition<?, ?>> definitions) {
        definitions.forEach(DECLARED::remove);
    }

    @Override
    public List<JobDefinition<?, ?>> definitions() {
        String method = System.getenv(METHOD);
        String ref = System.getenv(DEFINITION);
        return method == null || ref == null ? declared() : List.of(load(method, ref));
    }

    private static List<JobDefinition<?, ?>> declared() {
        Map<DefinitionRef, JobDefinition<?, ?>> byRef = new HashMap<>();
        DECLARED.forEach(one -> byRef.put(one.ref(), one));
        return List.copyOf(byRef.values());
    }

    private static JobDefinition<?, ?> load(String named, String ref) {
        try {
            String[] parts = named.split("[|#]", -1);
            Class<?> type = Class.forName(parts[0]);
            Class<?> declaring = Class.forName(parts[1]);
            Method method = Arrays.stream(declaring.getDeclaredMethods())
                    .filter(one -> one.getName().equals(parts[2]) && !one.isBridge())
                    .findFirst()
                    .orElseThrow(() -> new NoSuchMethodException(named));
            JobMethod signature = JobMethod.of(type.getName(), type, method);
            method.setAccessible(true);
            Object bean = constructor(signature).newInstance();
            return definition(signature, ref, bean);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("could not load the method " + named, e);
        }
    }

    private static JobDefinition<?, ?> definition(JobMethod signature, String ref, Object bean) {
        int at = ref.lastIndexOf('@');
        return JobDefinition.of(
                        ref.substring(0, at),
                        TypeRef.ofType(signature.paramsType()),
                        TypeRef.ofType(signature.resultType()))
                .version(Integer.parseInt(ref.substring(at + 1)))
                .handler(new BeanHandler<>(signature, signature.method(), () -> bean));
    }

    private static Constructor<?> constructor(JobMethod method) {
        Class<?> type = method.type();
        Constructor<?> constructor;
        try {
            constructor = type.getDeclaredConstructor();
        } catch (NoSuchMethodException e) {
            throw needsContext(method, "it has no constructor without arguments", e);
        }
        boolean injected = Stream.concat(
                        Arrays.stream(type.getDeclaredFields()), Arrays.stream(type.getDeclaredMethods()))
                .anyMatch(one -> AnnotatedElementUtils.isAnnotated(one, Autowired.class)
                        || AnnotatedElementUtils.isAnnotated(one, Value.class));
        if (injected) {
            throw needsContext(method, "it has injected fields or methods", null);
        }
        if (overloaded(method)) {
            throw needsContext(method, "it has several methods of that name", null);
        }
        constructor.setAccessible(true);
        return constructor;
    }

    private static boolean overloaded(JobMethod method) {
        Set<Method> own = Set.of(method.method().getDeclaringClass().getDeclaredMethods());
        return own.stream()
                        .filter(one -> one.getName().equals(method.method().getName()) && !one.isBridge())
                        .count()
                > 1;
    }

    private static LonghaulConfigurationException needsContext(
            JobMethod method, String why, @Nullable Throwable cause) {
        return new LonghaulConfigurationException(
                "@LonghaulJob " + method.name() + ": isolation process: the child process creates "
                        + method.type().getName() + " without the application context, but " + why,
                "Move the method to a class of its own with a constructor without arguments, or use isolation = \"thread\".",
                cause);
    }
}
