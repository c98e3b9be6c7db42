package dev.longhaul.process.java;

import dev.longhaul.process.ProcessFigures;
import dev.longhaul.process.child.ChildMain;
import dev.longhaul.process.supervise.JavaCommand;
import dev.longhaul.process.supervise.Launch;
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
 * JVMs of one kind that wait for a run. Each is used once; the next one starts as soon as one is taken, so that it is ready when
 * it is needed. As many are kept as were taken at about the same time of late, and none that has older classes than there are.
 */
public final class ChildPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChildPool.class);
    /** Runs that begin within this time want a JVM each: none would be ready again. */
    private static final long WINDOW = TimeUnit.SECONDS.toNanos(2);

    /** How long one more than is wanted may wait. */
    private static final long PATIENCE = TimeUnit.MINUTES.toNanos(1);

    /** A server that has just started has better things to do than to make its children start faster. */
    private static final long ARCHIVE_LATER_MILLIS = 4000;

    private final ChildKind kind;
    private final Supervisor supervisor;
    private final ChildDoor door;
    private final int most;
    private final Deque<Idle> idle = new ArrayDeque<>();
    private final Deque<Long> taken = new ArrayDeque<>();
    private volatile ClassArchive archive;
    /** That of the classes that the archive is of. */
    private String version;

    private int starting;
    private boolean closed;

    /** A JVM that waits, with the classes of that version, since that time. */
    private record Idle(Child child, String version, long since) {}

    /**
     * Makes an empty one.
     *
     * @param most how many may wait at once
     */
    ChildPool(ChildKind kind, Supervisor supervisor, ChildDoor door, int most) {
        this.kind = kind;
        this.supervisor = supervisor;
        this.door = door;
        this.most = most;
        this.archive = newArchive();
        this.version = kind.version();
        ProcessFigures.opened(this);
    }

    private ClassArchive newArchive() {
        return new ClassArchive(kind, supervisor, door.newFile("classes"));
    }

    /** One that is ready or about to be; the caller closes it, and calls {@link #fillSoon} once it is busy. */
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
        LOG.info("the classes of {} have changed; new processes have the new ones", kind.provider());
        old.remove();
        background("longhaul-class-archive", archive::make);
    }

    /** To be called now and then: ends those that have waited long though fewer are wanted, and replaces old ones. */
    void tend(long now) {
        String current = kind.version();
        renewArchive(current);
        var ending = new ArrayList<Child>();
        synchronized (this) {
            int surplus = idle.size() - wanted(now);
            for (var waiting = idle.iterator(); waiting.hasNext(); ) {
                Idle one = waiting.next();
                boolean old = !one.version.equals(current);
                if (old || (surplus > 0 && now - one.since > PATIENCE)) {
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

    /** Has one ready, and makes the next ones start faster; refuses to if whom they run as could not read their classes. */
    void prepare() {
        supervisor.confinement().user().requireReadable(kind.files());
        fill();
        background("longhaul-class-archive", this::makeArchiveLater);
    }

    private void makeArchiveLater() {
        try {
            Thread.sleep(ARCHIVE_LATER_MILLIS);
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

    /** Starts what is missing. Not under the lock: a run that has one to take must not wait for one that starts. */
    void fill() {
        while (startsOne()) {
            String with = kind.version();
            Child child = null;
            try {
                child = start();
            } catch (IOException e) {
                LOG.warn("no process is ready for the next job: {}", e.getMessage());
                return;
            } finally {
                started(child, with);
            }
        }
    }

    private synchronized boolean startsOne() {
        boolean missing = !closed && idle.size() + starting < wanted(System.nanoTime());
        starting += missing ? 1 : 0;
        return missing;
    }

    private int wanted(long now) {
        while (!taken.isEmpty() && now - taken.getFirst() > WINDOW) {
            taken.removeFirst();
        }
        return Math.min(most, Math.max(1, taken.size()));
    }

    private synchronized void started(@Nullable Child child, String with) {
        starting--;
        if (child != null && closed) {
            child.close();
        } else if (child != null) {
            idle.add(new Idle(child, with, System.nanoTime()));
        }
    }

    private Child start() throws IOException {
        return new Child(door, child -> {
            Path secret = door.expect(child);
            try {
                return supervisor.start(directory -> new Launch(
                        command(directory, secret), kind.environment(), null, kind.limits(), child::nanosLeft));
            } catch (IOException | RuntimeException e) {
                door.forget(child);
                throw e;
            }
        });
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
                door.address().toString(),
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
