package dev.longhaul.spi;

import dev.longhaul.JobDefinition;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

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

    /**
     * An executor whose code runs outside the worker and continues when the worker ends, as a pod does. Another worker
     * then takes the run over: the same run continues with the same claim, and no attempt is spent.
     *
     * <p>When a worker shuts down, its executions are notified by {@link Execution#onDraining} and return
     * {@link Outcome.LeftRunning}.
     */
    interface Lasting extends Executor {
        /** Sets the id of the worker whose runs this executor executes. Called once, before {@link #initialize}. */
        void workFor(String workerId);

        /**
         * The lease of its runs once their code runs outside the worker ({@link Execution#lastsFor}). It is also the
         * time that another worker has to take them over.
         */
        Duration lease();

        /**
         * Takes over running code whose worker has ended, so that no other worker can take it over. The worker then
         * executes the runs whose claims still hold, and calls {@link #discard} for all other runs. Called every few
         * seconds; returns a run again until it is executed or discarded.
         *
         * @param active whether the worker with that id still sends heartbeats
         * @param known whether this worker has the definition
         */
        List<Leftover> takeOver(Predicate<String> active, Predicate<DefinitionRef> known);

        /** Ends and removes code whose claim no longer holds. */
        void discard(Leftover leftover);

        /**
         * A run whose worker has ended.
         *
         * @param followers how many workers have executed the run, including the one that takes it over
         */
        record Leftover(Claim claim, int followers) {}
    }
}
