package dev.longhaul.process.supervise;

import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.sitter.SitterMain;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker's side of {@link SitterMain}. Starts the sitter with the first process tree, reports every tree before its
 * processes start, renews the deadline of each tree twice a second, and replaces a sitter that has died or does not read.
 */
public final class Sitter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sitter.class);
    private static final long REPORT_MILLIS = 500;
    private static final long CLOSE_MILLIS = 5000;
    private static final int MOST_FORGOTTEN = 4000;
    private static final String DIED = "the sitter has died; processes are not started without it";
    private static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(1);
    /** Minimum run time after which a sitter counts as started successfully. */
    private static final long PROVEN = TimeUnit.SECONDS.toNanos(10);

    private final Map<String, Sat> trees = new LinkedHashMap<>();
    /** Lines that remove trees, not yet sent to the sitter. */
    private final StringBuilder forgotten = new StringBuilder();

    private @Nullable SitterPipe pipe;
    private long startedAt;
    private long pause = TimeUnit.MILLISECONDS.toNanos(REPORT_MILLIS);
    private @Nullable BackgroundLoop loop;
    private boolean closed;
    private volatile @Nullable String problem;
    private final String java;
    private final Supplier<Path> classes;
    private final long timeout;

    /**
     * Creates a sitter that runs with the Java of this process.
     *
     * @param classes the jar or directory of {@link SitterMain}, requested at each start
     */
    Sitter(Supplier<Path> classes) {
        this(JavaCommand.executable(), classes, Duration.ofSeconds(5));
    }

    /**
     * Creates a sitter that runs with the given Java executable.
     *
     * @param timeout how long the sitter may take to read a message before it is replaced
     */
    public Sitter(String java, Duration timeout) {
        this(java, () -> ClassPlace.of(SitterMain.class).file(), timeout);
    }

    private Sitter(String java, Supplier<Path> classes, Duration timeout) {
        this.java = java;
        this.classes = classes;
        this.timeout = timeout.toNanos();
    }

    /** Returns the process id of the sitter; 0 while there is none. */
    synchronized long pid() {
        return pipe == null ? 0 : pipe.sitter().pid();
    }

    /** Returns why the sitter is not running; null if it was running at the last check. */
    @Nullable
    public String problem() {
        return problem;
    }

    /** A process tree and its remaining nanoseconds; Long.MAX_VALUE means that it may live until the worker ends. */
    private record Sat(ProcessTree tree, LongSupplier left) {}

    /**
     * Reports a tree. Returns when the message is in the sitter's pipe, so that the sitter gets it even if this process
     * dies.
     */
    public void watch(ProcessTree tree, LongSupplier left) {
        try {
            if (!report(new Sat(tree, left)).flush(timeout) && !replace().flush(timeout)) {
                problem = DIED;
                throw new IllegalStateException(DIED);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while registering a process with the sitter", e);
        }
    }

    private synchronized SitterPipe report(Sat sat) {
        trees.put(sat.tree.id(), sat);
        SitterPipe sitting = pipe;
        if (sitting == null || !sitting.usable(timeout)) {
            return replace();
        }
        sendTrees(List.of(sat));
        return sitting;
    }

    /** Starts a new sitter with all trees, in place of one that has died or does not read. */
    private synchronized SitterPipe replace() {
        SitterPipe old = pipe;
        if (old != null) {
            if (old.sitter().isAlive()) {
                LOG.warn("the sitter (pid {}) does not read its input; starting another one", pid());
            }
            old.abandon();
        }
        return start();
    }

    /** Sends the new deadline of a tree. */
    synchronized void renew(ProcessTree tree) {
        Sat sat = trees.get(tree.id());
        if (sat != null) {
            send(deadlines(List.of(sat)));
        }
    }

    synchronized void forget(ProcessTree tree) {
        if (trees.remove(tree.id()) == null) {
            return;
        }
        forgotten.append("- ").append(tree.id()).append('\n');
        // Pids may be reused, so this removal is sent now. Names of cgroups are unique, so their removals can wait.
        if (tree.cgroups().isEmpty() || forgotten.length() > MOST_FORGOTTEN) {
            sendForgotten();
        }
    }

    @Override
    public void close() {
        BackgroundLoop reporting;
        SitterPipe sitting;
        synchronized (this) {
            closed = true;
            reporting = loop;
            sitting = pipe;
            notifyAll();
        }
        try {
            if (sitting != null) {
                sitting.close();
                if (!sitting.flush(timeout) || !sitting.sitter().waitFor(10, TimeUnit.SECONDS)) {
                    sitting.abandon();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (reporting != null) {
            reporting.close(CLOSE_MILLIS);
        }
    }

    /** Starts a sitter and sends it all trees. */
    private SitterPipe start() {
        var command = new ArrayList<>(Launcher.ownSession());
        command.addAll(List.of(
                java,
                "-Xshare:auto",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx16m",
                "-Xss256k",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                classes.get().toString(),
                SitterMain.class.getName()));
        var builder = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        builder.environment().put("PATH", Environment.path());
        SitterPipe started;
        try {
            started = new SitterPipe(builder.start());
        } catch (IOException e) {
            String why = "the sitter cannot be started; processes are not started without it: " + e.getMessage();
            problem = why;
            throw new IllegalStateException(why, e);
        }
        pipe = started;
        startedAt = System.nanoTime();
        sendTrees(List.copyOf(trees.values()));
        if (loop == null) {
            loop = BackgroundLoop.vital("sitter", this::reportAgain);
        }
        return started;
    }

    private void sendTrees(List<Sat> some) {
        var lines = new StringBuilder();
        for (Sat sat : some) {
            lines.append("+ ").append(sat.tree.text()).append('\n');
        }
        lines.append(deadlines(some));
        send(lines.toString());
    }

    private static String deadlines(Iterable<Sat> some) {
        var lines = new StringBuilder();
        for (Sat sat : some) {
            long left = sat.left.getAsLong();
            // The deadline is also sent for trees that have none, because they may have had one before.
            lines.append("until ")
                    .append(sat.tree.id())
                    .append(' ')
                    .append(left == Long.MAX_VALUE ? SitterMain.WORKER_ENDS : TimeUnit.NANOSECONDS.toMillis(left))
                    .append('\n');
        }
        return lines.toString();
    }

    private void sendForgotten() {
        String lines = forgotten.toString();
        forgotten.setLength(0);
        send(lines);
    }

    private void send(String lines) {
        if (pipe != null) {
            pipe.send(lines);
        }
    }

    @SuppressWarnings("WaitNotInLoop") // A spurious wake-up only sends the deadlines once more.
    private synchronized boolean reportAgain() throws InterruptedException {
        if (!closed) {
            reportOrStart();
            wait(REPORT_MILLIS);
        }
        return !closed;
    }

    private void reportOrStart() {
        SitterPipe sitting = pipe;
        long age = System.nanoTime() - startedAt;
        if (sitting != null && sitting.usable(timeout)) {
            problem = null;
            if (age > PROVEN) {
                pause = TimeUnit.MILLISECONDS.toNanos(REPORT_MILLIS);
            }
            sendForgotten();
            send(deadlines(trees.values()));
            return;
        }
        problem = DIED;
        // Waits longer before each restart, so that a sitter that fails at its start is not restarted twice a second.
        if (age < pause) {
            return;
        }
        pause = Math.min(LONGEST_PAUSE, 2 * pause);
        try {
            LOG.warn("the sitter has died or does not read its input; starting another one");
            replace();
        } catch (RuntimeException e) {
            LOG.error("the sitter cannot be started; retrying in {} s", TimeUnit.NANOSECONDS.toSeconds(pause), e);
            startedAt = System.nanoTime();
        }
    }
}
