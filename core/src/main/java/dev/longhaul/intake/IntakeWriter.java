package dev.longhaul.intake;

import dev.longhaul.access.Actor;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.IntakeLog.Entry;
import dev.longhaul.intake.IntakeProgress.Alias;
import dev.longhaul.intake.IntakeProgress.Stored;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the records of a log: first the new jobs of a batch, then its changes in order, then how far it got. If the
 * store is unavailable, or a pass fails, it repeats the same batch; storing a record twice has the effect of storing it
 * once. A record that the store rejects is parked, and does not keep the other records of its batch from being stored.
 */
public final class IntakeWriter implements IntakeLog.Assignment, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IntakeWriter.class);
    private static final int BATCH = 500;
    private static final Duration POLL = Duration.ofMillis(500);
    /**
     * How often a batch is repeated after an unexpected failure, before the failure counts as a rejection of one of its
     * records.
     */
    private static final int TRIES = 5;

    private static final long CLOSE_MILLIS = 5000;

    private final String name = "writer-" + UUID.randomUUID();
    private final IntakeProgress progress;
    private final JobStore jobs;
    private final IntakeLog log;
    private volatile boolean ending;
    private @Nullable BackgroundLoop loop;

    // The batch that is being stored; used by the loop's thread.
    private final List<Entry> batch = new ArrayList<>();
    private final Set<IntakePosition> settled = new HashSet<>();
    private int failures;

    /**
     * @param store the store itself, not an {@link IntakeStore}
     * @param log opens the log for this writer, which it closes
     */
    IntakeWriter(Store store, Function<IntakeLog.Assignment, IntakeLog> log) {
        this.progress = store.capability(IntakeProgress.class)
                .orElseThrow(() -> new IllegalArgumentException("store: " + store + " (expected: one with an intake)"));
        this.jobs = store.jobs();
        this.log = log.apply(this);
    }

    /**
     * Starts a writer.
     *
     * @param store the store itself, not an {@link IntakeStore}
     * @param log opens the log for this writer, which closes it
     */
    public static IntakeWriter start(Store store, Function<IntakeLog.Assignment, IntakeLog> log) {
        var writer = new IntakeWriter(store, log);
        writer.loop = BackgroundLoop.vital("intake-writer", writer::runOnce, writer.log::close);
        return writer;
    }

    /** Stores the next batch, or tries again to store the current one; returns false once the writer is closed. */
    boolean runOnce() {
        if (ending) {
            return false;
        }
        if (batch.isEmpty()) {
            failures = 0;
            settled.clear();
            batch.addAll(log.poll(POLL));
        } else {
            log.keepAlive();
        }
        try {
            store();
        } catch (RuntimeException | StackOverflowError e) {
            if (!(e instanceof LonghaulException known) || known.code() != ErrorCode.UNAVAILABLE) {
                failures++;
            }
            throw e;
        }
        return true;
    }

    private void store() {
        if (batch.isEmpty()) {
            return;
        }
        List<Entry> creates = batch.stream()
                .filter(entry -> entry.record() instanceof IntakeRecord.Create && !isSettled(entry))
                .toList();
        for (int from = 0; from < creates.size(); from += BATCH) {
            insert(creates.subList(from, Math.min(from + BATCH, creates.size())));
        }
        for (Entry entry : batch) {
            if (entry.record() == null && !isSettled(entry)) {
                park(entry, "not a record that this version understands");
            } else if (entry.record() instanceof IntakeRecord.Change change && !isSettled(entry)) {
                change(entry, change);
            }
        }
        recordProgress();
        batch.clear();
    }

    // New jobs

    private void insert(List<Entry> creates) {
        List<JobSpec> specs = creates.stream().map(IntakeWriter::spec).toList();
        List<JobId> stored;
        try {
            stored = progress.insert(specs);
        } catch (RuntimeException | StackOverflowError e) {
            if (!rejects(e)) {
                throw e;
            }
            if (creates.size() == 1) {
                park(creates.get(0), reason(e));
            } else {
                int half = creates.size() / 2;
                insert(creates.subList(0, half));
                insert(creates.subList(half, creates.size()));
            }
            return;
        }
        var aliases = new ArrayList<Alias>();
        for (int i = 0; i < specs.size(); i++) {
            JobId id = specs.get(i).id();
            if (!id.equals(stored.get(i))) {
                aliases.add(new Alias(id, stored.get(i)));
            }
        }
        progress.alias(aliases);
        creates.forEach(this::settle);
    }

    /** The spec to store: a delay counts from when the job was accepted. */
    private static JobSpec spec(Entry entry) {
        if (!(entry.record() instanceof IntakeRecord.Create create)) {
            throw new IllegalArgumentException("not a new job: " + entry.position());
        }
        JobSpec spec = create.spec();
        return spec.toBuilder()
                .runTime(fixed(spec.runTime(), entry.appendedAt()))
                .build();
    }

    private static RunAt fixed(RunAt runTime, Instant acceptedAt) {
        return runTime.after() == null ? runTime : RunAt.at(runTime.resolve(acceptedAt));
    }

    // Changes

    private void change(Entry entry, IntakeRecord.Change change) {
        JobCommand command = fixed(change.command(), entry.appendedAt());
        try {
            execute(command, change.actor());
        } catch (RuntimeException | StackOverflowError e) {
            if (!rejects(e)) {
                throw e;
            }
            park(entry, reason(e));
            return;
        }
        settle(entry);
    }

    private void execute(JobCommand command, @Nullable Actor actor) {
        try {
            executeFor(actor, command);
        } catch (LonghaulException e) {
            Optional<JobId> first = e.code() == ErrorCode.NOT_FOUND ? progress.aliasOf(command.id()) : Optional.empty();
            executeFor(actor, command.of(first.orElseThrow(() -> e)));
        }
    }

    private void executeFor(@Nullable Actor actor, JobCommand command) {
        if (actor == null) {
            jobs.execute(command);
        } else {
            actor.run(() -> jobs.execute(command));
        }
    }

    private static JobCommand fixed(JobCommand command, Instant acceptedAt) {
        if (!(command instanceof JobCommand.Edit change)) {
            return command;
        }
        JobEdit edit = change.edit();
        RunAt runTime = edit.runTime();
        if (runTime == null || runTime.after() == null) {
            return command;
        }
        var fixed = new JobEdit(
                edit.name(),
                fixed(runTime, acceptedAt),
                edit.priority(),
                edit.params(),
                edit.labels(),
                edit.maxAttempts(),
                edit.secrets());
        return JobCommand.edit(command.id(), command.by(), fixed);
    }

    // Rejected records

    /** Whether the store will never accept the record. */
    private boolean rejects(Throwable e) {
        if (e instanceof LonghaulException known && known.code() != ErrorCode.INTERNAL) {
            return known.code() != ErrorCode.UNAVAILABLE;
        }
        return failures >= TRIES;
    }

    private void park(Entry entry, String reason) {
        IntakeRecord record = entry.record();
        LOG.warn(
                "record {}/{} of job {} parked: {}",
                entry.position().partition(),
                entry.position().offset(),
                record == null ? "unknown" : record.id(),
                reason);
        log.park(entry, reason);
        settle(entry);
    }

    private static String reason(Throwable e) {
        return e instanceof LonghaulException known
                ? known.code().wireName() + ": " + known.getMessage()
                : String.valueOf(e);
    }

    private void settle(Entry entry) {
        settled.add(entry.position());
    }

    private boolean isSettled(Entry entry) {
        return settled.contains(entry.position());
    }

    // Progress

    private void recordProgress() {
        var ends = new TreeMap<Integer, Stored>();
        for (Entry entry : batch) {
            int partition = entry.position().partition();
            ends.put(partition, new Stored(partition, entry.position().offset() + 1, entry.appendedAt()));
        }
        List<Stored> mine = List.copyOf(ends.values());
        if (!progress.stored(name, mine)) {
            mine = mine.stream().filter(one -> stillMine(one)).toList();
        }
        var nextOffsets = new HashMap<Integer, Long>();
        mine.forEach(one -> nextOffsets.put(one.partition(), one.nextOffset()));
        log.commit(nextOffsets);
    }

    private boolean stillMine(Stored one) {
        boolean mine = progress.stored(name, List.of(one));
        if (!mine) {
            LOG.info("another writer has taken partition {} over", one.partition());
        }
        return mine;
    }

    @Override
    public Map<Integer, Long> assigned(Set<Integer> partitions) {
        lost(partitions);
        return progress.takeOver(name, partitions);
    }

    @Override
    public void lost(Set<Integer> partitions) {
        batch.removeIf(entry -> partitions.contains(entry.position().partition()));
    }

    /** Ends the writer after its current batch. The next writer stores the remaining records. */
    @Override
    public void close() {
        ending = true;
        BackgroundLoop running = loop;
        if (running == null) {
            log.close();
        } else {
            running.close(CLOSE_MILLIS);
        }
    }
}
