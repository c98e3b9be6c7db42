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

/** A started process with everything that it starts itself. Closing it leaves nothing of that behind. */
public final class SupervisedProcess implements AutoCloseable {
    private final Process process;
    private final ProcessTree tree;
    private final Cgroups.@Nullable Group group;
    private final MemoryWatch.@Nullable Watched memory;
    private final Keeper keeper;
    private @Nullable CompletableFuture<Void> exited;
    private volatile long beganAt = System.nanoTime();
    /** Whether nothing of it is left. */
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

    /** Who must know what becomes of it. */
    interface Keeper {
        /** How long it may live has changed. */
        void renewed(SupervisedProcess process);

        void ended(SupervisedProcess process);
    }

    /** It begins with what counts only now: it has waited for that. */
    public void begin() {
        beganAt = System.nanoTime();
        renewed();
    }

    /** To be called when it may live shorter or longer than it was said. */
    private void renewed() {
        keeper.renewed(this);
    }

    ProcessTree tree() {
        return tree;
    }

    /** Its own, whatever directory it runs in. */
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

    /** Asks it to end. */
    public void terminate() {
        if (!process.isAlive()) {
            return;
        }
        if (tree.method() == KillMethod.PID_NAMESPACE) {
            // Not the outermost, whose end would be everybody's at once.
            var inner = Processes.now().ofNamespace(pid());
            inner.remove(pid());
            if (inner.size() > 1) {
                Signals.send("TERM", inner);
                // One that is stopped would hear of it only when it goes on.
                Signals.send("CONT", inner);
            } else {
                // Only the one that waits for the command, and hears no signals: it has not begun, or has ended.
                kill();
            }
        } else {
            Signals.terminateGroup(pid());
        }
    }

    /** Ends all of it now. */
    public void kill() {
        if (process.isAlive()) {
            ProcessFigures.isKilled();
        }
        TreeKiller.kill(tree);
    }

    /** Ends the others when the kernel has killed one of them. */
    void killIfOutOfMemory() {
        if (group != null && group.outOfMemory()) {
            kill();
        }
    }

    /** Waits until the process has ended, and ends what it has left running. */
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

    /** What there is to say about it while it runs, as JSON. */
    String soFar() {
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
            // Nobody has looked yet.
            return memory.peak() == 0 ? null : memory.peak();
        }
        return group == null ? null : group.peakMemory();
    }

    boolean endsWithin(long time, TimeUnit unit) throws InterruptedException {
        return process.waitFor(time, unit);
    }

    /** Calls the action once it has ended. */
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
