package dev.longhaul.faults;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.LonghaulBuilder;
import dev.longhaul.faults.Tasks.Done;
import dev.longhaul.faults.Tasks.Task;
import dev.longhaul.faults.WorkerProcess.Setup;
import dev.longhaul.job.JobId;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.testing.TestPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The setup of a fault test: an empty database, the journal in it, and a Longhaul that only enqueues jobs. */
final class Rig implements AutoCloseable {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

    final String url;
    final Journal journal;
    final Tasks tasks;
    final Longhaul longhaul;
    private final HikariDataSource pool;
    private final List<Runnable> opened = new ArrayList<>();

    Rig() {
        this(TestPostgres.get());
    }

    Rig(TestPostgres postgres) {
        this.url = postgres.newDatabase(PostgresStore::migrate);
        this.journal = new Journal(url, "test", 8);
        this.tasks = new Tasks(journal);
        this.pool = TestPostgres.pool(new PatientDataSource(url), 8);
        journal.create();
        this.longhaul = builder().enqueueOnly().start();
    }

    /** The builder of a Longhaul in this process with all tasks registered. */
    LonghaulBuilder builder() {
        return Longhaul.builder().postgres(pool).register(tasks.all().toArray(JobDefinition[]::new));
    }

    /** Starts a Longhaul that is closed together with this rig. */
    Longhaul start(LonghaulBuilder choices) {
        Longhaul started = choices.start();
        opened.add(started::close);
        return started;
    }

    /** Starts a worker in a separate process; {@link WorkerProcess#awaitReady} waits for it. */
    WorkerProcess worker(String id, Setup setup) {
        var started = WorkerProcess.start(id, setup);
        opened.add(started::close);
        return started;
    }

    JobId later(JobDefinition<Task, Done> definition, Task task) {
        return longhaul.later(definition, task);
    }

    long starts() {
        return journal.count("select count(*) from mark where starts_with(what, 'start')");
    }

    long starts(String worker) {
        return journal.count("select count(*) from mark where starts_with(what, 'start') and worker = ?", worker);
    }

    /** Jobs that have not ended. */
    long unended() {
        return journal.count("select count(*) from longhaul.live_job");
    }

    /** How many ended jobs match the condition. */
    long ended(String condition, Object... values) {
        return journal.count("select count(*) from longhaul.finished_job where " + condition, values);
    }

    /** Waits until a process is the leader; returns its id. */
    String awaitLeader() {
        await("a process is the leader", Duration.ofSeconds(30), () -> !leader().isEmpty());
        return leader();
    }

    private String leader() {
        String select = "select coalesce(max(holder), '') from longhaul.leader where term_until > clock_timestamp()";
        return journal.query(select, row -> row.getString(1)).get(0);
    }

    static void open(Path gate) {
        try {
            Files.createFile(gate);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Polls until the condition holds; fails after that time. */
    static void await(String what, Duration timeout, BooleanSupplier condition) {
        long until = System.nanoTime() + timeout.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new AssertionError("not within " + timeout + ": " + what);
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_INTERVAL.toMillis());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        opened.forEach(Runnable::run);
        longhaul.close();
        journal.close();
        pool.close();
    }
}
