package dev.longhaul.intake;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The records that were appended to the log and are not stored yet, as far as this process knows. */
final class Backlog implements Deferrals {
    /** How far the clock of an id's creator may be behind the clock of the log. */
    private static final Duration CLOCKS_APART = Duration.ofMinutes(1);

    private final Intake intake;
    private final IntakeProgress progress;
    /** For each partition, the offset after the last record of this process that may not be stored yet. */
    private final Map<Integer, Long> own = new ConcurrentHashMap<>();

    Backlog(Intake intake, IntakeProgress progress) {
        this.intake = intake;
        this.progress = progress;
    }

    void appended(List<IntakePosition> positions) {
        positions.forEach(at -> own.merge(at.partition(), at.offset() + 1, Math::max));
    }

    /** Whether the job's partition may contain records that are not stored. Throws {@code unavailable} like the store. */
    boolean holds(JobId id) {
        int partition = intake.partitionOf(id);
        Long end = end(ends(), partition);
        return end != null && end > 0 && !drained(partition, end, stored(partition));
    }

    @Override
    public boolean mayBeStoredLater(JobId id) {
        int partition = intake.partitionOf(id);
        Long end = end(ends(), partition);
        if (end == null || end == 0) {
            return false;
        }
        IntakeProgress.Stored stored = stored(partition);
        Instant last = stored == null ? Instant.EPOCH : stored.at();
        return !drained(partition, end, stored)
                && id.madeAt().plus(CLOCKS_APART).isAfter(last);
    }

    @Override
    public List<Partition> partitions() {
        Map<Integer, Long> ends = ends();
        return progress.progress().stream()
                .map(stored -> new Partition(stored, end(ends, stored.partition())))
                .toList();
    }

    private boolean drained(int partition, long end, IntakeProgress.@Nullable Stored stored) {
        boolean drained = stored != null && stored.nextOffset() >= end;
        if (drained) {
            own.remove(partition, end);
        }
        return drained;
    }

    private IntakeProgress.@Nullable Stored stored(int partition) {
        return progress.progress().stream()
                .filter(stored -> stored.partition() == partition)
                .findFirst()
                .orElse(null);
    }

    /** The known end of a partition; null if neither the log nor this process knows it. */
    private @Nullable Long end(Map<Integer, Long> ends, int partition) {
        Long ofLog = ends.get(partition);
        Long ofThis = own.get(partition);
        if (ofLog == null || ofThis == null) {
            return ofLog == null ? ofThis : ofLog;
        }
        return Math.max(ofLog, ofThis);
    }

    private Map<Integer, Long> ends() {
        try {
            return intake.ends();
        } catch (LonghaulException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            return Map.of();
        }
    }
}
