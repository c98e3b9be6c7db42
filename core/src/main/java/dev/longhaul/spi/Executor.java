package dev.longhaul.spi;

import dev.longhaul.JobDefinition;

/** Where code runs: in a thread of this JVM, in a process, or wherever else an implementation puts it. */
public interface Executor {
    /** What people and logs call it. */
    String name();

    /** Called once before the first execution. */
    void initialize();

    /** Called before a definition's first execution; refuses one that it cannot run. */
    void prepare(JobDefinition<?, ?> definition);

    /**
     * Whether it ends the code of that definition for sure once it is interrupted, as a process can be killed; if not, a job may end
     * while its code still runs.
     */
    default boolean endsCode(JobDefinition<?, ?> definition) {
        return false;
    }

    /** Runs the code and waits for its end. Told to stop by its context or an interrupt, it ends the code. */
    Outcome execute(Execution execution);

    /** Whether it can run code now; if not, why not. */
    Health health();

    /** Called once after the last execution. */
    void shutdown();
}
