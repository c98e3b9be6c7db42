package dev.longhaul;

/**
 * What a jar or a directory of classes brings to {@code longhaul server --jobs}: its definitions. Found by {@link
 * java.util.ServiceLoader}, so its class has a public constructor without arguments and is named in {@code
 * META-INF/services/dev.longhaul.JobDefinitions}.
 */
public interface JobDefinitions {
    /** Asked once; every definition has a {@code key@version} of its own. */
    Iterable<JobDefinition<?, ?>> definitions();
}
