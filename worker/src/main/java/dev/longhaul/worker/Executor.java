package dev.longhaul.worker;

/** Where code runs. A definition names its executor; {@link ThreadExecutor} is the default. */
public interface Executor {
    /** What definitions call it by. */
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
