package dev.longhaul.process;

import dev.longhaul.process.child.ChildMain;
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
 * it is needed. As many are kept as were taken at about the same time of late.
 */
final class ChildPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChildPool.class);
    /** Runs that begin within this time want a JVM each: none would be ready again. */
    private static final long WINDOW = TimeUnit.SECONDS.toNanos(2);

    private final ChildKind kind;
    private final Supervisor supervisor;
    private final ChildDoor door;
    private final int most;
    private final ClassArchive archive;
    private final Deque<Child> idle = new ArrayDeque<>();
    private final Deque<Long> taken = new ArrayDeque<>();
    private int starting;
    private boolean closed;

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
        this.archive = new ClassArchive(kind, supervisor, door.newFile("classes"));
    }

    /** One that is ready or about to be; the caller closes it, and calls {@link #fillSoon} once it is busy. */
    Child take() throws IOException {
        Child child;
        synchronized (this) {
            taken.add(System.nanoTime());
            child = next();
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

    private @Nullable Child next() {
        for (Child child = idle.poll(); child != null; child = idle.poll()) {
            if (child.process().alive()) {
                return child;
            }
            child.close();
        }
        return null;
    }

    /** Has one ready, and makes the next ones start faster; refuses to if whom they run as could not read their classes. */
    void prepare() {
        supervisor.confinement().user().requireReadable(kind.files());
        fill();
        background("longhaul-class-archive", archive::make);
    }

    /** Starts what is missing. Not under the lock: a run that has one to take must not wait for one that starts. */
    void fill() {
        while (startsOne()) {
            Child child = null;
            try {
                child = start();
            } catch (IOException e) {
                LOG.warn("no process is ready for the next job: {}", e.getMessage());
                return;
            } finally {
                started(child);
            }
        }
    }

    private synchronized boolean startsOne() {
        while (!taken.isEmpty() && System.nanoTime() - taken.getFirst() > WINDOW) {
            taken.removeFirst();
        }
        int wanted = Math.min(most, Math.max(1, taken.size()));
        boolean missing = !closed && idle.size() + starting < wanted;
        starting += missing ? 1 : 0;
        return missing;
    }

    private synchronized void started(@Nullable Child child) {
        starting--;
        if (child != null && closed) {
            child.close();
        } else if (child != null) {
            idle.add(child);
        }
    }

    private Child start() throws IOException {
        return new Child(door, child -> {
            Path secret = door.expect(child);
            var command = new ArrayList<>(List.of(JavaCommand.executable()));
            command.addAll(kind.jvmOptions());
            command.addAll(archive.options());
            command.addAll(List.of(
                    "-cp",
                    kind.classPath(),
                    ChildMain.class.getName(),
                    door.address().toString(),
                    secret.toString(),
                    kind.provider()));
            try {
                return supervisor.start(new Launch(command, kind.environment(), null, kind.limits(), child::nanosLeft));
            } catch (IOException | RuntimeException e) {
                door.forget(child);
                throw e;
            }
        });
    }

    @Override
    public synchronized void close() {
        closed = true;
        idle.forEach(Child::close);
        idle.clear();
    }
}
