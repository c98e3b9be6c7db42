package dev.longhaul.process.supervise;

import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.sitter.SitterMain;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker's side of the {@link SitterMain}: starts it with the first tree, reports every tree before its processes start, and
 * replaces a sitter that has died or does not read. While the worker lives, it reports twice a second how long each tree may live.
 */
public final class Sitter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sitter.class);
    private static final long TELL_MILLIS = 500;
    private static final long CLOSE_MILLIS = 5000;
    private static final int MOST_FORGOTTEN = 4000;
    private static final String DIED = "the sitter has died; processes are not started without it";
    private static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(1);
    /** A sitter that has lived so long is not one that dies at its start. */
    private static final long PROVEN = TimeUnit.SECONDS.toNanos(10);

    private final Map<String, Sat> trees = new LinkedHashMap<>();
    /** What the sitter has not been told yet to forget. */
    private final StringBuilder forgotten = new StringBuilder();

    private @Nullable SitterPipe pipe;
    private long startedAt;
    private long pause = TimeUnit.MILLISECONDS.toNanos(TELL_MILLIS);
    private @Nullable BackgroundLoop loop;
    private boolean closed;
    private volatile @Nullable String problem;
    private final String java;
    private final long patience;

    Sitter() {
        this(JavaCommand.executable(), Duration.ofSeconds(5));
    }

    /**
     * With another Java.
     *
     * @param patience how long the sitter may take to read what it is sent, before it counts as dead
     */
    public Sitter(String java, Duration patience) {
        this.java = java;
        this.patience = patience.toNanos();
    }

    /** The process id of the sitter; 0 while there is none. */
    synchronized long pid() {
        return pipe == null ? 0 : pipe.sitter().pid();
    }

    /** Why it is not there; null if it is, or was when it was last looked at. */
    @Nullable
    public String problem() {
        return problem;
    }

    /** A tree, and how many more nanoseconds it may live; Long.MAX_VALUE is for as long as the worker does. */
    private record Sat(ProcessTree tree, LongSupplier left) {}

    /** Returns when the sitter is bound to hear of the tree, whatever becomes of this process. */
    public void watch(ProcessTree tree, LongSupplier left) {
        try {
            if (!report(new Sat(tree, left)).flush(patience) && !replace().flush(patience)) {
                problem = DIED;
                throw new IllegalStateException(DIED);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted before the sitter knew of the process", e);
        }
    }

    private synchronized SitterPipe report(Sat sat) {
        trees.put(sat.tree.id(), sat);
        SitterPipe sitting = pipe;
        if (sitting == null || !sitting.usable(patience)) {
            return replace();
        }
        tell(List.of(sat));
        return sitting;
    }

    /** Starts a sitter that knows all trees, instead of one that has died or does not read. */
    private synchronized SitterPipe replace() {
        SitterPipe old = pipe;
        if (old != null) {
            if (old.sitter().isAlive()) {
                LOG.warn("the sitter (process {}) does not read; replacing it", pid());
            }
            old.abandon();
        }
        return start();
    }

    /** Tells how long the tree may live now, which has changed. */
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
        // The number of a process may be used again, the name of a cgroup is not.
        if (tree.cgroups().isEmpty() || forgotten.length() > MOST_FORGOTTEN) {
            sendForgotten();
        }
    }

    @Override
    public void close() {
        BackgroundLoop telling;
        SitterPipe sitting;
        synchronized (this) {
            closed = true;
            telling = loop;
            sitting = pipe;
            notifyAll();
        }
        try {
            if (sitting != null) {
                sitting.close();
                if (!sitting.flush(patience) || !sitting.sitter().waitFor(10, TimeUnit.SECONDS)) {
                    sitting.abandon();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (telling != null) {
            telling.close(CLOSE_MILLIS);
        }
    }

    /** Starts a sitter, and tells it everything that it needs to know. */
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
                JavaCommand.locationOf(SitterMain.class),
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
        tell(List.copyOf(trees.values()));
        if (loop == null) {
            loop = BackgroundLoop.vital("sitter", this::tellAgain);
        }
        return started;
    }

    private void tell(List<Sat> some) {
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
            // What may live for ever may have had a deadline before.
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

    @SuppressWarnings("WaitNotInLoop") // After a spurious wake-up the sitter is told once more.
    private synchronized boolean tellAgain() throws InterruptedException {
        if (!closed) {
            tellOrStart();
            wait(TELL_MILLIS);
        }
        return !closed;
    }

    private void tellOrStart() {
        SitterPipe sitting = pipe;
        long age = System.nanoTime() - startedAt;
        if (sitting != null && sitting.usable(patience)) {
            problem = null;
            if (age > PROVEN) {
                pause = TimeUnit.MILLISECONDS.toNanos(TELL_MILLIS);
            }
            sendForgotten();
            send(deadlines(trees.values()));
            return;
        }
        problem = DIED;
        // One that dies at its start would else be started twice a second for ever.
        if (age < pause) {
            return;
        }
        pause = Math.min(LONGEST_PAUSE, 2 * pause);
        try {
            LOG.warn("the sitter has died or does not read; starting another one");
            replace();
        } catch (RuntimeException e) {
            LOG.error("the sitter cannot be started; retrying in {} s", TimeUnit.NANOSECONDS.toSeconds(pause), e);
            startedAt = System.nanoTime();
        }
    }
}
