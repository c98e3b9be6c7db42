package dev.longhaul.process.java;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.internal.loop.Loops;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.process.child.Wire;
import dev.longhaul.process.command.CommandExecutor;
import dev.longhaul.process.supervise.Ending;
import dev.longhaul.process.supervise.Launcher;
import dev.longhaul.process.supervise.NestedJars;
import dev.longhaul.process.supervise.Output;
import dev.longhaul.process.supervise.ProcessEnd;
import dev.longhaul.process.supervise.SupervisedProcess;
import dev.longhaul.process.supervise.Supervisor;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs each handler in its own JVM. */
public final class JavaExecutor implements AutoCloseable {
    /** Exit code of a JVM with {@code -XX:+ExitOnOutOfMemoryError} whose heap is full. */
    private static final int HEAP_WAS_FULL = 3;

    private static final Duration TEND = Duration.ofSeconds(10);

    private final ScheduledExecutorService tending = Executors.newSingleThreadScheduledExecutor(work -> {
        var thread = new Thread(work, "longhaul-child-pools");
        thread.setDaemon(true);
        return thread;
    });
    private final Supervisor supervisor;
    private final ChildSocket socket;
    private final NestedJars jars;
    private final int most;
    private final Map<ChildKind, ChildPool> pools = new ConcurrentHashMap<>();
    /**
     * The pools by definition. A cache, because finding the kind of a definition calls its provider, which creates all
     * its definitions.
     */
    private final Map<DefinitionRef, ChildPool> byDefinition = new ConcurrentHashMap<>();

    private final Set<ChildPool> prepared = ConcurrentHashMap.newKeySet();

    /**
     * Creates an executor.
     *
     * @param most maximum number of idle JVMs per kind
     */
    public JavaExecutor(Supervisor supervisor, int most) throws IOException {
        this.supervisor = supervisor;
        this.socket = new ChildSocket(
                supervisor.newDirectory("children"), supervisor.confinement().user());
        this.jars = supervisor.nestedJars();
        this.most = most;
        var unused = tending.scheduleWithFixedDelay(
                Loops.guarded("child-pools", this::tend), TEND.toSeconds(), TEND.toSeconds(), TimeUnit.SECONDS);
    }

    private void tend() {
        pools.values().forEach(pool -> pool.tend(System.nanoTime()));
    }

    /** Starts a JVM for the first run of the definition. */
    public void prepare(JobDefinition<?, ?> definition) {
        ChildPool pool = pool(definition);
        if (prepared.add(pool)) {
            pool.prepare();
        }
    }

    private ChildPool pool(JobDefinition<?, ?> definition) {
        return byDefinition.computeIfAbsent(
                definition.ref(),
                ref -> pools.computeIfAbsent(
                        ChildKind.of(definition, jars), kind -> new ChildPool(kind, supervisor, socket, most)));
    }

    public Outcome execute(Execution execution) {
        ChildPool pool = pool(execution.definition());
        try (Child child = pool.take()) {
            return execute(execution, child, pool::fillSoon);
        } catch (IOException e) {
            return notStarted(execution, String.valueOf(e.getMessage()));
        }
    }

    private static Outcome notStarted(Execution execution, String why) {
        execution.report(EventType.PROCESS_ERROR, "{\"message\":" + Payload.quoted(why) + "}");
        return CommandExecutor.failed(
                execution, Failure.of(Failure.EXIT_CODE, "could not start a process: " + why), Launcher.NOT_CONFINED);
    }

    private static Outcome execute(Execution execution, Child child, Runnable onBusy) {
        SupervisedProcess process = child.process();
        child.assigned(execution);
        execution.report(EventType.PROCESS_START, "{\"pid\":" + process.pid() + "}");
        var end = new Ending(process, null, Duration.ZERO, execution);
        var talk = new ChildTalk(execution);
        // If the JVM is still starting, its output is read now: a JVM blocks when it prints and its output is not read.
        Output output = child.ready().isDone() ? null : new Output(process, execution);
        Wire wire = connected(child);
        if (wire != null) {
            talk.start(wire);
        }
        if (output == null) {
            output = new Output(process, execution);
        }
        onBusy.run();
        end.await();
        output.await();
        talk.awaitEnd();
        execution.report(EventType.PROCESS_END, end.how().json());
        Outcome reported = talk.outcome();
        if (wire == null && end.how().exitCode() == Launcher.NOT_CONFINED) {
            return notStarted(execution, "the process could not enter its cgroup");
        }
        return reported == null ? unreported(execution, end.how(), wire != null, talk.exiting()) : reported;
    }

    /** Returns the connection to the child; null if the child exited before it was ready. */
    private static @Nullable Wire connected(Child child) {
        try {
            return child.ready().get();
        } catch (ExecutionException e) {
            return null;
        } catch (InterruptedException e) {
            child.process().kill();
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /**
     * Returns the outcome of a run whose JVM has exited without reporting one.
     *
     * @param ready whether the JVM had been ready for the run
     * @param byItself whether the code has shut the JVM down
     */
    private static Outcome unreported(Execution execution, ProcessEnd end, boolean ready, boolean byItself) {
        if (end.outOfMemory()) {
            return CommandExecutor.failed(execution, CommandExecutor.outOfMemory(execution, end), end.exitCode());
        }
        if (end.exitCode() == HEAP_WAS_FULL && !byItself) {
            return CommandExecutor.failed(execution, heapFull(execution, end), end.exitCode());
        }
        Integer signal = end.signal();
        String before = ready ? "before the handler returned" : "before it was ready to run the job";
        Failure failure = signal == null
                ? Failure.of(Failure.EXIT_CODE, "the process exited with code " + end.exitCode() + " " + before)
                : Failure.of(Failure.SIGNAL, "the process was killed by signal " + signal + " " + before);
        // A JVM that was not ready had not received the job, so the crash must not count against the job.
        return ready ? new Outcome.Crashed(failure) : CommandExecutor.failed(execution, failure, end.exitCode());
    }

    /**
     * Returns the failure of a JVM with a full heap. The JVM exits before it reaches the memory limit, so the kernel
     * reports no out-of-memory kill.
     */
    private static Failure heapFull(Execution execution, ProcessEnd end) {
        Long limit = ((Isolation.InProcess) execution.definition().isolation()).memoryBytes();
        String heap = limit == null
                ? ""
                : " (" + CommandExecutor.mebibytes(ChildKind.heapBytes(limit)) + " of the memory limit of "
                        + CommandExecutor.mebibytes(limit) + ")";
        return Failure.of(Failure.OUT_OF_MEMORY, "out of memory: Java heap full" + heap + CommandExecutor.peak(end));
    }

    @Override
    public void close() {
        tending.shutdownNow();
        pools.values().forEach(ChildPool::close);
        socket.close();
    }
}
