package dev.longhaul.process.java;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.ServiceLoader;

/** Finds the provider of a definition. A child JVM loads the definition by the name of that class. */
final class Provided {
    private Provided() {}

    /** Returns the name of the class that provides the definition. */
    static String by(JobDefinition<?, ?> definition) {
        ClassLoader loader = definition.handler().getClass().getClassLoader();
        for (JobDefinitions provider : ServiceLoader.load(JobDefinitions.class, loader)) {
            for (JobDefinition<?, ?> known : provider.definitions()) {
                if (known.ref().equals(definition.ref())) {
                    return provider.getClass().getName();
                }
            }
        }
        throw new LonghaulException(
                ErrorCode.INVALID_ARGUMENT,
                "isolation of " + definition.ref() + ": process (expected: a definition provided by a "
                        + JobDefinitions.class.getName()
                        + " listed in META-INF/services, from which the child process"
                        + " loads it; or isolation thread)");
    }
}
