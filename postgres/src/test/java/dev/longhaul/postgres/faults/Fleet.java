package dev.longhaul.postgres.faults;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Workers in separate processes; a killed worker is replaced by a new one with a new id. */
final class Fleet implements AutoCloseable {
    private final String url;
    private final Path directory;
    private final int slots;
    private final List<WorkerProcess> starting = new ArrayList<>();
    private final List<WorkerProcess> working = new ArrayList<>();
    private final List<WorkerProcess> dead = new ArrayList<>();

    Fleet(String url, Path directory, int size, int slots) {
        this.url = url;
        this.directory = directory;
        this.slots = slots;
        for (int i = 0; i < size; i++) {
            startOne();
        }
    }

    private void startOne() {
        int number = starting.size() + working.size() + dead.size();
        starting.add(WorkerProcess.start("worker-" + number, url, directory, slots));
    }

    /** The worker that was not selected for the longest time. */
    WorkerProcess next() {
        while (working.isEmpty() || starting.size() > 1) {
            WorkerProcess one = starting.remove(0);
            one.await("ready");
            working.add(one);
        }
        WorkerProcess one = working.remove(0);
        working.add(one);
        return one;
    }

    void kill(WorkerProcess victim) {
        victim.kill();
        working.remove(victim);
        dead.add(victim);
        startOne();
    }

    /** Throws when a worker has exited by itself. */
    void checkAlive() {
        for (WorkerProcess one : working) {
            if (!one.alive()) {
                throw new IllegalStateException(one.id() + " has exited by itself; see its output");
            }
        }
    }

    /** Ends all workers and returns all ledgers, including those of killed workers. */
    List<Entry> dismiss() {
        close();
        var entries = new ArrayList<Entry>();
        for (List<WorkerProcess> some : List.of(starting, working, dead)) {
            some.forEach(one -> entries.addAll(one.entries()));
        }
        return entries;
    }

    @Override
    public void close() {
        starting.forEach(WorkerProcess::close);
        working.forEach(WorkerProcess::close);
    }
}
