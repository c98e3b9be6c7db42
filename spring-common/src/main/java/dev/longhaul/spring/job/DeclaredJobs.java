package dev.longhaul.spring.job;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import dev.longhaul.Registry;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.spring.LonghaulConfigurationException;
import dev.longhaul.spring.LonghaulJob;
import dev.longhaul.spring.LonghaulSchedule;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The definitions of a context: beans of type {@link JobDefinition} and {@link JobDefinitions}, and annotated methods, whose
 * beans are found by their types and not created.
 */
public final class DeclaredJobs implements AutoCloseable {
    private final ConfigurableListableBeanFactory beans;
    private final boolean virtualThreads;
    private List<JobDefinition<?, ?>> isolated = List.of();

    /** A definition, and where it is declared, for messages. */
    private record Declared(JobDefinition<?, ?> definition, String origin) {}

    /** @param virtualThreads whether definitions that run in threads use virtual ones */
    public DeclaredJobs(ConfigurableListableBeanFactory beans, boolean virtualThreads) {
        this.beans = beans;
        this.virtualThreads = virtualThreads;
    }

    /** Registers all definitions; fails with the place of the first one that is wrong. */
    public void registerIn(Registry registry) {
        Map<DefinitionRef, Declared> byRef = new LinkedHashMap<>();
        for (Declared declared : all()) {
            DefinitionRef ref = declared.definition().ref();
            Declared other = byRef.putIfAbsent(ref, declared);
            if (other != null) {
                throw new LonghaulConfigurationException(
                        "definition " + ref + " is declared twice: by " + other.origin() + " and by "
                                + declared.origin(),
                        "Give one of them another key, or changed code a new version.");
            }
        }
        isolated = Isolated.declare(
                byRef.values().stream().map(Declared::definition).toList());
        for (Declared declared : byRef.values()) {
            JobDefinition<?, ?> definition = declared.definition();
            checked(declared.origin(), () -> {
                registry.register(virtualThreads ? definition.withVirtualThreads() : definition);
                return definition;
            });
        }
    }

    /** Called when the context closes. */
    @Override
    public void close() {
        Isolated.forget(isolated);
    }

    private List<Declared> all() {
        var all = new ArrayList<Declared>();
        beans.getBeansOfType(JobDefinition.class)
                .forEach((name, definition) -> all.add(new Declared(definition, "bean '" + name + "'")));
        beans.getBeansOfType(JobDefinitions.class)
                .forEach((name, several) -> several.definitions()
                        .forEach(definition -> all.add(new Declared(definition, "bean '" + name + "'"))));
        methods(beans).forEach((method, job) -> all.add(annotated(method, job)));
        return all;
    }

    /** The annotated methods of all beans; for some of them the bean is a scoped proxy. */
    public static Map<JobMethodOfBean, LonghaulJob> methods(ConfigurableListableBeanFactory beans) {
        Map<JobMethodOfBean, LonghaulJob> methods = new LinkedHashMap<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : typeOf(beans, name);
            if (type == null
                    || !AnnotationUtils.isCandidateClass(type, List.of(LonghaulJob.class, LonghaulSchedule.class))) {
                continue;
            }
            Map<Method, LonghaulJob> found =
                    MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<LonghaulJob>)
                            method -> AnnotatedElementUtils.findMergedAnnotation(method, LonghaulJob.class));
            requireNoLoneSchedule(name, type, found);
            found.forEach((method, job) -> methods.put(new JobMethodOfBean(name, type, method), job));
        }
        return methods;
    }

    private static @Nullable Class<?> typeOf(ConfigurableListableBeanFactory beans, String name) {
        if (beans.getBeanDefinition(name).isAbstract()) {
            return null;
        }
        try {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
            // Not the subclass that Spring generates for a @Configuration class: no child process can load it.
            return type == null ? null : ClassUtils.getUserClass(type);
        } catch (Exception | LinkageError e) {
            // A bean whose type cannot be determined, such as a lazy one of a missing class, has no jobs.
            return null;
        }
    }

    private static void requireNoLoneSchedule(String name, Class<?> type, Map<Method, LonghaulJob> found) {
        MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<LonghaulSchedule>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, LonghaulSchedule.class))
                .keySet()
                .stream()
                .filter(method -> !found.containsKey(method))
                .findFirst()
                .ifPresent(method -> {
                    throw new LonghaulConfigurationException(
                            "@LonghaulSchedule " + JobMethod.name(name, method) + ": the method is not a job",
                            "Add @LonghaulJob with a key to the method.");
                });
    }

    private Declared annotated(JobMethodOfBean found, LonghaulJob job) {
        JobMethod method = JobMethod.of(found.bean(), found.type(), found.method());
        String origin = "@LonghaulJob " + method.name();
        LonghaulSchedule schedule = AnnotatedElementUtils.findMergedAnnotation(found.method(), LonghaulSchedule.class);
        var annotated = new AnnotatedJob(method, job, schedule, text -> resolved(text, origin));
        Method callable = callable(method, origin);
        var handler = new BeanHandler<>(method, callable, () -> beans.getBean(method.bean()));
        return new Declared(checked(origin, () -> annotated.definition(handler)), origin);
    }

    private String resolved(String text, String origin) {
        try {
            return String.valueOf(beans.resolveEmbeddedValue(text));
        } catch (IllegalArgumentException e) {
            throw new LonghaulConfigurationException(
                    origin + ": " + e.getMessage(), "Set the property, or give a default: ${name:default}.", e);
        }
    }

    /** The method on the class of the bean's proxy. */
    private Method callable(JobMethod method, String origin) {
        Class<?> exposed = beans.getType(method.bean());
        try {
            Method callable =
                    AopUtils.selectInvocableMethod(method.method(), exposed == null ? method.type() : exposed);
            ReflectionUtils.makeAccessible(callable);
            return callable;
        } catch (IllegalStateException e) {
            throw new LonghaulConfigurationException(
                    origin + ": the bean's proxy does not have the method",
                    "Declare the method in the interface of the bean, or use class-based proxies"
                            + " (spring.aop.proxy-target-class=true).",
                    e);
        }
    }

    private static JobDefinition<?, ?> checked(String origin, Supplier<JobDefinition<?, ?>> step) {
        try {
            return step.get();
        } catch (LonghaulException | IllegalArgumentException e) {
            throw new LonghaulConfigurationException(
                    origin + ": " + e.getMessage(), "Change the declaration to what is expected.", e);
        }
    }

    /** A method with {@link LonghaulJob}, which has not been checked yet. */
    public record JobMethodOfBean(String bean, Class<?> type, Method method) {
        /** The types of its params and its result. */
        public List<Type> types() {
            JobMethod checked = JobMethod.of(bean, type, method);
            return List.of(checked.paramsType(), checked.resultType());
        }
    }
}
