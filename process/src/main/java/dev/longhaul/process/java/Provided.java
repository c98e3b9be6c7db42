package dev.longhaul.process.java;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.ServiceLoader;

/** Where another process finds a definition: an object of this one cannot go there, only a name can. */
final class Provided {
    private Provided() {}

    /** The name of the class that provides it. */
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
                "isolation of " + definition.ref() + ": process (expected: a definition that a "
                        + JobDefinitions.class.getName()
                        + " named in META-INF/services provides, so that the process can"
                        + " find it; or isolation thread)");
    }
}
