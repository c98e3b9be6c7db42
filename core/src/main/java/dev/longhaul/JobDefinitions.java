package dev.longhaul;

/**
 * The definitions of a jar or a directory of classes, loaded by {@code longhaul server --jobs}. Found by
 * {@link java.util.ServiceLoader}: the class has a public constructor without arguments and is named in
 * {@code META-INF/services/dev.longhaul.JobDefinitions}.
 */
public interface JobDefinitions {
    /** The definitions, each with a unique {@code key@version}. Called once. */
    Iterable<JobDefinition<?, ?>> definitions();
}
