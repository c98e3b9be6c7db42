package dev.longhaul.process.supervise;

import dev.longhaul.process.ProcessFigures;
import dev.longhaul.process.sitter.KillMethod;
import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.sitter.Processes;
import dev.longhaul.process.sitter.Signals;
import dev.longhaul.process.sitter.TreeKiller;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A started process and all its descendants. Closing it kills all of them. */
public final class SupervisedProcess implements AutoCloseable {
    private final Process process;
    private final ProcessTree tree;
    private final Cgroups.@Nullable Group group;
    private final MemoryWatch.@Nullable Watched memory;
    private final Keeper keeper;
    private @Nullable CompletableFuture<Void> exited;
    private volatile long beganAt = System.nanoTime();
    /** Whether all its processes have exited. */
    private volatile boolean ended;

    private final AtomicBoolean closed = new AtomicBoolean();

    SupervisedProcess(
            Process process,
            ProcessTree tree,
            Cgroups.@Nullable Group group,
            MemoryWatch.@Nullable Watched memory,
            Keeper keeper) {
        this.process = process;
        this.tree = tree;
        this.group = group;
        this.memory = memory;
        this.keeper = keeper;
    }

    /** Receives notifications about the lifecycle of a process. */
    interface Keeper {
        /** The remaining time of the process has changed. */
        void renewed(SupervisedProcess process);

        void ended(SupervisedProcess process);
    }

    /** Marks the start of the run in a process that was idle until now. The duration of the run counts from here. */
    public void begin() {
        beganAt = System.nanoTime();
        renewed();
    }

    /** Call when the remaining time has changed. */
    private void renewed() {
        keeper.renewed(this);
    }

    ProcessTree tree() {
        return tree;
    }

    /** Returns the private directory of the run, which may differ from its working directory. */
    public Path directory() {
        return tree.directory();
    }

    public long pid() {
        return process.pid();
    }

    OutputStream stdin() {
        return process.getOutputStream();
    }

    public InputStream stdout() {
        return process.getInputStream();
    }

    public InputStream stderr() {
        return process.getErrorStream();
    }

    /** Sends TERM. */
    public void terminate() {
        if (!process.isAlive()) {
            return;
        }
        if (tree.method() == KillMethod.PID_NAMESPACE) {
            // TERM is not sent to the outermost process: when it exits, the kernel kills the whole namespace.
            var inner = Processes.now().ofNamespace(pid());
            inner.remove(pid());
            if (inner.size() > 1) {
                Signals.send("TERM", inner);
                // A stopped process handles TERM only after it continues.
                Signals.send("CONT", inner);
            } else {
                // Only the waiting shell is left, which ignores signals: the command has not started yet, or has
                // exited. So kill it.
                kill();
            }
        } else {
            Signals.terminateGroup(pid());
        }
    }

    /** Kills all processes immediately. */
    public void kill() {
        if (process.isAlive()) {
            ProcessFigures.isKilled();
        }
        TreeKiller.kill(tree);
    }

    /** Kills all processes of the run if the kernel's OOM killer has killed one of them. */
    void killIfOutOfMemory() {
        if (group != null && group.outOfMemory()) {
            kill();
        }
    }

    /** Waits until the process exits, and kills the descendants that it left running. */
    public ProcessEnd await() throws InterruptedException {
        int exitCode = process.waitFor();
        var duration = Duration.ofNanos(System.nanoTime() - beganAt);
        ended = TreeKiller.kill(tree);
        boolean outOfMemory = (group != null && group.outOfMemory()) || (memory != null && memory.exceeded());
        return new ProcessEnd(
                exitCode,
                ProcessEnd.signalIn(exitCode),
                outOfMemory,
                duration,
                peakMemory(),
                group == null ? null : group.cpuTime());
    }

    /** Returns the resource usage so far, as JSON. */
    String usageJson() {
        return "{"
                + String.join(
                        ",",
                        ProcessEnd.usage(
                                Duration.ofNanos(System.nanoTime() - beganAt),
                                peakMemory(),
                                group == null ? null : group.cpuTime()))
                + "}";
    }

    private @Nullable Long peakMemory() {
        if (memory != null) {
            // The memory was not polled yet.
            return memory.peak() == 0 ? null : memory.peak();
        }
        return group == null ? null : group.peakMemory();
    }

    boolean endsWithin(long time, TimeUnit unit) throws InterruptedException {
        return process.waitFor(time, unit);
    }

    /** Calls the action once the process has exited. */
    public void onExit(Runnable action) {
        exited = process.onExit().thenRun(action);
    }

    public boolean alive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        if (process.isAlive() || !ended) {
            TreeKiller.kill(tree);
        }
        if (memory != null) {
            memory.close();
        }
        if (exited != null) {
            exited.cancel(false);
        }
        keeper.ended(this);
    }
}
