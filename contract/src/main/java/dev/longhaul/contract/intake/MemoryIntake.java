package dev.longhaul.contract.intake;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.Intake;
import dev.longhaul.intake.IntakeLog;
import dev.longhaul.intake.IntakePosition;
import dev.longhaul.intake.IntakeRecord;
import dev.longhaul.job.JobId;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A log in this process, with the rules of a durable one: partitions, writers that share them, and parked entries. */
public final class MemoryIntake implements Intake {
    private static final int MOST_POLLED = 1000;

    private final List<List<IntakeLog.Entry>> partitions = new ArrayList<>();
    private final List<Reader> readers = new ArrayList<>();
    private final List<Parked> parked = new ArrayList<>();
    private final Map<Integer, Long> committed = new HashMap<>();
    private final InstantSource clock;
    private boolean available = true;

    /** An entry that a writer moved aside. */
    public record Parked(IntakeLog.Entry entry, String reason) {}

    public MemoryIntake(int partitions, InstantSource clock) {
        this.clock = clock;
        for (int i = 0; i < partitions; i++) {
            this.partitions.add(new ArrayList<>());
        }
    }

    // Accepting

    @Override
    public synchronized List<IntakePosition> append(List<IntakeRecord> records) {
        requireAvailable();
        return records.stream()
                .map(record -> append(partitionOf(record.id()), record, new byte[0]))
                .toList();
    }

    /** Appends bytes that are not a record. */
    public synchronized IntakePosition appendUnreadable(int partition, byte[] bytes) {
        return append(partition, null, bytes);
    }

    private IntakePosition append(int partition, @Nullable IntakeRecord record, byte[] raw) {
        List<IntakeLog.Entry> entries = partitions.get(partition);
        var position = new IntakePosition(partition, entries.size());
        entries.add(new IntakeLog.Entry(position, clock.instant(), record, raw));
        notifyAll();
        return position;
    }

    @Override
    public int partitionOf(JobId id) {
        return Math.floorMod(id.hashCode(), partitions.size());
    }

    @Override
    public synchronized Map<Integer, Long> ends() {
        requireAvailable();
        var ends = new HashMap<Integer, Long>();
        for (int i = 0; i < partitions.size(); i++) {
            ends.put(i, (long) partitions.get(i).size());
        }
        return ends;
    }

    /** Makes the log available or unavailable to callers that append; writers can still read it. */
    public synchronized void available(boolean isAvailable) {
        available = isAvailable;
    }

    private void requireAvailable() {
        if (!available) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "intake unavailable");
        }
    }

    /** Does nothing: the log remains readable. */
    @Override
    public void close() {}

    // Reading

    /** Adds a writer, which gets its share of the partitions. */
    public synchronized IntakeLog join(IntakeLog.Assignment assignment) {
        var reader = new Reader(assignment);
        readers.add(reader);
        share();
        return reader;
    }

    public synchronized List<Parked> parked() {
        return List.copyOf(parked);
    }

    public synchronized Map<Integer, Long> committed() {
        return Map.copyOf(committed);
    }

    /** Shares the partitions out again; a writer learns of it when it next calls its log. */
    private void share() {
        readers.forEach(reader -> reader.share = new HashSet<>());
        for (int i = 0; i < partitions.size() && !readers.isEmpty(); i++) {
            readers.get(i % readers.size()).share.add(i);
        }
        notifyAll();
    }

    /** The log as one writer reads it. */
    private final class Reader implements IntakeLog {
        private final Assignment assignment;
        private final Map<Integer, Long> next = new HashMap<>();
        private Set<Integer> share = Set.of();

        Reader(Assignment assignment) {
            this.assignment = assignment;
        }

        @Override
        public List<Entry> poll(Duration timeout) {
            keepAlive();
            synchronized (MemoryIntake.this) {
                List<Entry> found = read();
                if (found.isEmpty()) {
                    try {
                        MemoryIntake.this.wait(timeout.toMillis());
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    found = read();
                }
                return found;
            }
        }

        private List<Entry> read() {
            var found = new ArrayList<Entry>();
            for (int partition : Set.copyOf(next.keySet())) {
                if (share.contains(partition)) {
                    List<Entry> all = partitions.get(partition);
                    int from = next.getOrDefault(partition, 0L).intValue();
                    List<Entry> some = all.subList(from, Math.min(all.size(), from + MOST_POLLED - found.size()));
                    found.addAll(some);
                    next.put(partition, (long) from + some.size());
                }
            }
            return found;
        }

        @Override
        public void keepAlive() {
            Set<Integer> mine;
            synchronized (MemoryIntake.this) {
                mine = Set.copyOf(share);
            }
            var gone = new HashSet<>(next.keySet());
            gone.removeAll(mine);
            if (!gone.isEmpty()) {
                assignment.lost(gone);
                next.keySet().removeAll(gone);
            }
            var added = new HashSet<>(mine);
            added.removeAll(next.keySet());
            if (!added.isEmpty()) {
                next.putAll(assignment.assigned(added));
            }
        }

        @Override
        public void commit(Map<Integer, Long> nextOffsets) {
            synchronized (MemoryIntake.this) {
                committed.putAll(nextOffsets);
            }
        }

        @Override
        public void park(Entry entry, String reason) {
            synchronized (MemoryIntake.this) {
                parked.add(new Parked(entry, reason));
            }
        }

        @Override
        public void close() {
            synchronized (MemoryIntake.this) {
                if (readers.remove(this)) {
                    share();
                }
            }
        }
    }
}
