package dev.longhaul.spi;

import dev.longhaul.JobDefinition;

/** Runs code: in a thread of this JVM, in a process, or wherever an implementation does. */
public interface Executor {
    /** The name in settings and logs. */
    String name();

    /** Called once before the first execution. */
    void initialize();

    /** Called before a definition's first execution; rejects a definition that it cannot run. */
    void prepare(JobDefinition<?, ?> definition);

    /**
     * Whether an interrupt surely ends the code of that definition, as killing a process does; if not, a job may end
     * while its code still runs.
     */
    default boolean endsCode(JobDefinition<?, ?> definition) {
        return false;
    }

    /** Runs the code and waits for its end. Ends the code when its context or an interrupt requests that. */
    Outcome execute(Execution execution);

    /** Whether it can run code now; if not, why not. */
    Health health();

    /** Called once after the last execution. */
    void shutdown();
}
