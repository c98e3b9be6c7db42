package dev.longhaul.process.java;

import dev.longhaul.process.ProcessFigures;
import dev.longhaul.process.child.ChildMain;
import dev.longhaul.process.supervise.JavaCommand;
import dev.longhaul.process.supervise.Launch;
import dev.longhaul.process.supervise.SupervisedProcess;
import dev.longhaul.process.supervise.Supervisor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of idle JVMs of one kind. Each JVM executes one run; taking one starts its replacement. The pool keeps as many
 * JVMs as were taken within the last 2 s, and discards those whose class path has changed since they started. If JVMs
 * exit before they are ready, the pool starts idle JVMs with a backoff; a run that finds no idle JVM still starts its
 * own.
 */
public final class ChildPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChildPool.class);
    /**
     * The period over which taken JVMs are counted. Each run that starts in this period needs an idle JVM, because a
     * replacement is not ready sooner.
     */
    private static final long WINDOW = TimeUnit.SECONDS.toNanos(2);

    /** How long a surplus JVM may stay idle. */
    private static final long SURPLUS_IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long SHORTEST_PAUSE = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(1);

    /** Delays the archive so that it does not compete with the start of the server. */
    private static final long ARCHIVE_DELAY_MILLIS = 4000;

    private final ChildKind kind;
    private final Supervisor supervisor;
    private final ChildSocket socket;
    private final int most;
    private final Deque<Idle> idle = new ArrayDeque<>();
    private final Deque<Long> taken = new ArrayDeque<>();
    private volatile ClassArchive archive;
    /** The class version that the archive was created from. */
    private String version;

    /** The pause before the next idle JVM is started; 0 if the last started JVM became ready. */
    private long pause;

    private long pausedUntil = System.nanoTime();
    private int starting;
    private boolean closed;

    /** An idle JVM, the class version that it was started with, and the start of its idle time. */
    private record Idle(Child child, String version, long since) {}

    /**
     * Creates an empty pool.
     *
     * @param most maximum number of idle JVMs
     */
    ChildPool(ChildKind kind, Supervisor supervisor, ChildSocket socket, int most) {
        this.kind = kind;
        this.supervisor = supervisor;
        this.socket = socket;
        this.most = most;
        this.archive = newArchive();
        this.version = kind.version();
        ProcessFigures.opened(this);
    }

    private ClassArchive newArchive() {
        return new ClassArchive(kind, supervisor, socket.newFile("classes"));
    }

    /** Takes a JVM that is ready or starting. The caller closes it, and calls {@link #fillSoon} once it is busy. */
    Child take() throws IOException {
        String current = kind.version();
        renewArchive(current);
        Child child;
        synchronized (this) {
            taken.add(System.nanoTime());
            child = next(current);
        }
        return child == null ? start() : child;
    }

    void fillSoon() {
        background("longhaul-child-pool", this::fill);
    }

    private static void background(String name, Runnable work) {
        var thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private @Nullable Child next(String current) {
        for (Idle waiting = idle.poll(); waiting != null; waiting = idle.poll()) {
            Child child = waiting.child;
            if (child.process().alive() && waiting.version.equals(current)) {
                return child;
            }
            background("longhaul-child-end", child::close);
        }
        return null;
    }

    private void renewArchive(String current) {
        ClassArchive old;
        synchronized (this) {
            if (version.equals(current) || closed) {
                return;
            }
            version = current;
            old = archive;
            archive = newArchive();
        }
        LOG.info("classes of {} have changed; new runs use the new classes", kind.provider());
        old.remove();
        background("longhaul-class-archive", archive::make);
    }

    /** Closes surplus JVMs that were idle too long, and replaces JVMs with outdated classes. Called periodically. */
    void tend(long now) {
        String current = kind.version();
        renewArchive(current);
        var ending = new ArrayList<Child>();
        synchronized (this) {
            int surplus = idle.size() - target(now);
            for (var waiting = idle.iterator(); waiting.hasNext(); ) {
                Idle one = waiting.next();
                boolean old = !one.version.equals(current);
                if (old || (surplus > 0 && now - one.since > SURPLUS_IDLE_NANOS)) {
                    surplus--;
                    waiting.remove();
                    ending.add(one.child);
                }
            }
        }
        ending.forEach(Child::close);
        if (!ending.isEmpty()) {
            fill();
        }
    }

    public synchronized int waiting() {
        return idle.size();
    }

    synchronized List<Long> pids() {
        return idle.stream().map(one -> one.child.process().pid()).toList();
    }

    /** Starts the first JVM and schedules the class archive. Fails if the process user cannot read the classes. */
    void prepare() {
        supervisor.confinement().user().requireReadable(kind.files());
        fill();
        background("longhaul-class-archive", this::makeArchiveLater);
    }

    private void makeArchiveLater() {
        try {
            Thread.sleep(ARCHIVE_DELAY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        if (!isClosed()) {
            archive.make();
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Starts missing JVMs. Does not hold the lock meanwhile, so that a run that takes an idle JVM does not wait. */
    void fill() {
        while (startsOne()) {
            String with = kind.version();
            Child child = null;
            try {
                child = start();
            } catch (IOException e) {
                LOG.warn("could not start an idle JVM ({}); the next run starts its own", e.getMessage());
                return;
            } finally {
                started(child, with);
            }
        }
    }

    private synchronized boolean startsOne() {
        long now = System.nanoTime();
        boolean missing = !closed && pausedUntil - now <= 0 && idle.size() + starting < target(now);
        starting += missing ? 1 : 0;
        return missing;
    }

    private int target(long now) {
        while (!taken.isEmpty() && now - taken.getFirst() > WINDOW) {
            taken.removeFirst();
        }
        return Math.min(most, Math.max(1, taken.size()));
    }

    private synchronized void started(@Nullable Child child, String with) {
        starting--;
        if (child != null && closed) {
            child.close();
        } else if (child != null && child.process().alive()) {
            idle.add(new Idle(child, with, System.nanoTime()));
        }
    }

    private Child start() throws IOException {
        var started = new Child(socket, this::process, this::exitedEarly);
        var unused = started.ready().thenRun(this::resume);
        return started;
    }

    private SupervisedProcess process(Child child) throws IOException {
        Path secret = socket.expect(child);
        try {
            return supervisor.start(directory ->
                    new Launch(command(directory, secret), kind.environment(), null, kind.limits(), child::nanosLeft));
        } catch (IOException | RuntimeException e) {
            socket.forget(child);
            throw e;
        }
    }

    private synchronized void resume() {
        pause = 0;
    }

    /**
     * Handles a JVM that exited before it was ready: starts the backoff, and logs the reason unless a run reports it.
     */
    private void exitedEarly(Child child) {
        long seconds;
        synchronized (this) {
            idle.removeIf(waiting -> waiting.child == child);
            long now = System.nanoTime();
            if (pausedUntil - now <= 0) {
                pause = Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, 2 * pause));
                pausedUntil = now + pause;
            }
            seconds = TimeUnit.NANOSECONDS.toSeconds(pausedUntil - now);
        }
        if (!child.isAssigned()) {
            LOG.warn(
                    "an idle JVM of {} exited before it was ready ({}); no other one is started for {} s",
                    kind.provider(),
                    child.reasonOfExit(),
                    seconds);
            child.close();
        }
    }

    private List<String> command(Path directory, Path secret) {
        var command = new ArrayList<>(List.of(JavaCommand.executable()));
        command.addAll(kind.jvmOptions());
        command.addAll(archive.options());
        command.addAll(List.of(
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                kind.classPath(),
                ChildMain.class.getName(),
                socket.address().toString(),
                secret.toString(),
                kind.provider()));
        return command;
    }

    @Override
    public synchronized void close() {
        closed = true;
        ProcessFigures.closed(this);
        idle.forEach(waiting -> waiting.child.close());
        idle.clear();
    }
}
