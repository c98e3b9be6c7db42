package dev.longhaul.worker;

/** Where code runs: in a thread of this JVM ({@link ThreadExecutor}), or wherever else an implementation puts it. */
public interface Executor {
    /** What people and logs call it. */
    String name();

    /** Called once before the first execution. */
    void initialize();

    /** Runs the code and waits for its end. Told to stop by its context or an interrupt, it ends the code. */
    Outcome execute(Execution execution);

    /** Whether it can run code now; if not, why not. */
    Health health();

    /** Called once after the last execution. */
    void shutdown();
}
