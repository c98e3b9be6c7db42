package dev.longhaul.kafka;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.IntakeLog;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a store does for writers: it keeps their progress and the records that they have stored. */
final class Progress {
    private final Map<Integer, Long> next = new ConcurrentHashMap<>();
    private final Map<Integer, Writer> owners = new ConcurrentHashMap<>();
    private final List<IntakeLog.Entry> stored = new CopyOnWriteArrayList<>();
    private volatile boolean unavailable;

    void unavailable(boolean now) {
        unavailable = now;
    }

    /** All stored entries, in the order in which they were stored. */
    List<IntakeLog.Entry> stored() {
        return stored;
    }

    /** Starts a partition there. */
    void put(int partition, long offset) {
        next.put(partition, offset);
    }

    Map<Integer, Long> next() {
        return Map.copyOf(next);
    }

    Writer writer() {
        return new Writer();
    }

    private void requireAvailable() {
        if (unavailable) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "the store is unavailable");
        }
    }

    /** One writer's view. */
    final class Writer implements IntakeLog.Assignment {
        private final Set<Integer> owned = new HashSet<>();

        Set<Integer> owned() {
            return owned;
        }

        @Override
        public Map<Integer, Long> assigned(Set<Integer> partitions) {
            requireAvailable();
            owned.addAll(partitions);
            Map<Integer, Long> starts = new HashMap<>();
            for (int partition : partitions) {
                owners.put(partition, this);
                starts.put(partition, next.getOrDefault(partition, 0L));
            }
            return starts;
        }

        @Override
        public void lost(Set<Integer> partitions) {
            owned.removeAll(partitions);
        }

        /** Stores entries of partitions that this writer owns, and reports that to the log. */
        void store(List<IntakeLog.Entry> entries, IntakeLog log) {
            requireAvailable();
            Map<Integer, Long> reached = new HashMap<>();
            for (IntakeLog.Entry entry : entries) {
                int partition = entry.position().partition();
                if (owners.get(partition) == this && owned.contains(partition)) {
                    stored.add(entry);
                    reached.put(partition, entry.position().offset() + 1);
                }
            }
            next.putAll(reached);
            log.commit(reached);
        }
    }
}
