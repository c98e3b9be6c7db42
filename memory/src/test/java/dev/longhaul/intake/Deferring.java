package dev.longhaul.intake;

import dev.longhaul.contract.InterceptedStore;
import dev.longhaul.contract.InterceptedStore.Interception;
import dev.longhaul.contract.intake.MemoryIntake;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.memory.MovableClock;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.Store;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store that a test makes unavailable, with an intake of four partitions and its writers. */
final class Deferring implements AutoCloseable {
    static final DefinitionRef REPORT = new DefinitionRef("report", 1);

    final MovableClock clock = new MovableClock();
    final MemoryStore store = new MemoryStore(clock);
    final MemoryIntake intake = new MemoryIntake(4, clock);
    private final List<IntakeWriter> writers = new ArrayList<>();
    private volatile boolean available = true;
    volatile @Nullable Interception fault;

    /** The store with its failures. */
    final Store failing = InterceptedStore.of(store, (method, arguments, call) -> {
        if (!available) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "database unavailable");
        }
        Interception wrapped = fault;
        return wrapped == null ? call.goOn() : wrapped.on(method, arguments, call);
    });

    final IntakeStore server = new IntakeStore(failing, intake, IntakeMode.UNAVAILABLE);

    void storeIsAvailable(boolean isAvailable) {
        available = isAvailable;
    }

    IntakeWriter writer() {
        var writer = new IntakeWriter(failing, intake::join);
        writers.add(writer);
        return writer;
    }

    /** Runs a new writer until everything that was appended is stored or parked. */
    void drain() {
        try (var writer = writer()) {
            while (!drained()) {
                writer.runOnce();
            }
        }
    }

    boolean drained() {
        var stored = store.capability(IntakeProgress.class).orElseThrow().progress();
        return intake.ends().entrySet().stream()
                .allMatch(end -> end.getValue() == 0
                        || stored.stream()
                                .anyMatch(
                                        one -> one.partition() == end.getKey() && one.nextOffset() >= end.getValue()));
    }

    static JobSpec.Builder aJob() {
        return JobSpec.of(REPORT, "{}").id(JobId.next());
    }

    /** A job with an id in that partition. */
    JobSpec.Builder aJobIn(int partition) {
        JobId id = JobId.next();
        while (intake.partitionOf(id) != partition) {
            id = JobId.next();
        }
        return JobSpec.of(REPORT, "{}").id(id);
    }

    Inserted insert(JobSpec spec) {
        return server.jobs().insert(List.of(spec)).get(0);
    }

    void append(JobSpec... specs) {
        intake.append(List.of(specs).stream()
                .<IntakeRecord>map(spec -> new IntakeRecord.Create(spec, null))
                .toList());
    }

    void append(JobCommand command) {
        intake.append(List.of(new IntakeRecord.Change(command, null)));
    }

    static JobCommand rename(JobId id, String name) {
        return JobCommand.edit(id, "anna", new JobEdit(name, null, null, null, null, null));
    }

    Job look(JobId id) {
        return store.jobs().find(id).orElseThrow();
    }

    @Override
    public void close() {
        available = true;
        fault = null;
        writers.forEach(IntakeWriter::close);
        server.close();
    }
}
