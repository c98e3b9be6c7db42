package dev.longhaul.spring.autoconfigure;

import dev.longhaul.JobDefinition;
import dev.longhaul.spring.job.DeclaredJobs;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/** Makes the params and results of a context's definitions, and its annotated methods, reachable in a native image. */
final class JobHints implements BeanFactoryInitializationAotProcessor {
    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beans) {
        Set<DeclaredJobs.JobMethodOfBean> methods = DeclaredJobs.methods(beans).keySet();
        Set<Type> types = new LinkedHashSet<>();
        for (String name : beans.getBeanNamesForType(JobDefinition.class, true, false)) {
            ResolvableType type = beans.getMergedBeanDefinition(name).getResolvableType();
            for (ResolvableType generic : type.as(JobDefinition.class).getGenerics()) {
                types.add(generic.getType());
            }
        }
        methods.forEach(method -> types.addAll(method.types()));
        if (types.isEmpty() && methods.isEmpty()) {
            return null;
        }
        return (generation, code) -> {
            var hints = generation.getRuntimeHints().reflection();
            new BindingReflectionHintsRegistrar().registerReflectionHints(hints, types.toArray(Type[]::new));
            methods.forEach(method -> hints.registerMethod(method.method(), ExecutableMode.INVOKE));
        };
    }
}
