package dev.longhaul.process;

import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.sitter.SitterMain;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
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
 * The worker's side of the {@link SitterMain}: started with the first tree, told of every one before its processes start, and
 * started anew should it die. While the worker lives, it tells the sitter again and again how long each tree may live.
 */
final class Sitter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sitter.class);
    private static final long TELL_MILLIS = 500;
    private static final int MOST_FORGOTTEN = 4000;
    private static final String DIED = "no process should be run: the one that would end it with this worker has died";

    private final Map<String, Sat> trees = new LinkedHashMap<>();
    /** What the sitter has not been told yet to forget. */
    private final StringBuilder forgotten = new StringBuilder();

    private @Nullable Process process;
    private @Nullable Thread teller;
    private boolean closed;
    private volatile @Nullable String problem;
    private final String java;

    Sitter() {
        this(JavaCommand.executable());
    }

    /** With another Java. */
    Sitter(String java) {
        this.java = java;
    }

    /** Why it is not there; null if it is, or was when it was last looked at. */
    @Nullable
    String problem() {
        return problem;
    }

    /** A tree, and how many more nanoseconds it may live; Long.MAX_VALUE is for as long as the worker does. */
    private record Sat(ProcessTree tree, LongSupplier left) {}

    /** Returns when the sitter is bound to hear of the tree, whatever becomes of this process. */
    synchronized void watch(ProcessTree tree, LongSupplier left) {
        var sat = new Sat(tree, left);
        trees.put(tree.id(), sat);
        if (process == null || !process.isAlive()) {
            start();
        } else {
            tell(List.of(sat));
        }
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
        Thread telling;
        Process sitting;
        synchronized (this) {
            closed = true;
            telling = teller;
            sitting = process;
            notifyAll();
        }
        try {
            if (sitting != null) {
                // The end of its input: it kills what it still knows, and ends.
                sitting.getOutputStream().close();
                if (!sitting.waitFor(10, TimeUnit.SECONDS)) {
                    sitting.destroyForcibly();
                }
            }
            if (telling != null) {
                telling.join();
            }
        } catch (IOException e) {
            LOG.debug("the sitter was gone already", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts a sitter, and tells it everything that it needs to know. */
    private void start() {
        var command = new ArrayList<>(Launcher.ownSession());
        command.addAll(List.of(
                java,
                "-Xshare:auto",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx16m",
                "-Xss256k",
                "-cp",
                JavaCommand.locationOf(SitterMain.class),
                SitterMain.class.getName()));
        var builder = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        builder.environment().put("PATH", Environment.path());
        try {
            process = builder.start();
        } catch (IOException e) {
            String why = "no process can be run: the one that would end it with this worker cannot be started: "
                    + e.getMessage();
            problem = why;
            throw new IllegalStateException(why, e);
        }
        tell(List.copyOf(trees.values()));
        if (teller == null) {
            teller = new Thread(this::tellAgain, "longhaul-sitter");
            teller.setDaemon(true);
            teller.start();
        }
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
        Process sitting = process;
        if (sitting == null || lines.isEmpty()) {
            return;
        }
        try {
            OutputStream out = sitting.getOutputStream();
            out.write(lines.getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            LOG.debug("the sitter has died; another one will be started", e);
        }
    }

    private synchronized void tellAgain() {
        while (!closed) {
            try {
                tellOrStart();
                wait(TELL_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void tellOrStart() {
        Process sitting = process;
        if (sitting != null && sitting.isAlive()) {
            problem = null;
            sendForgotten();
            send(deadlines(trees.values()));
            return;
        }
        problem = DIED;
        try {
            LOG.warn("the process that ends jobs with this worker has died; starting another one");
            start();
        } catch (RuntimeException e) {
            LOG.error("no process ends the jobs of this worker should it die", e);
        }
    }
}
