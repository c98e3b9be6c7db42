package dev.longhaul.postgres.work;

import dev.longhaul.postgres.work.Lanes.Lane;
import dev.longhaul.work.ClaimedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps claims fast while a session holds an old snapshot, for example a long report. The index entries of jobs claimed
 * since then cannot be removed, and a claim that scans a lane from its start skips all of them. After a slow claim of
 * some queues, their next claims therefore start each lane at its scan floor, the position where it was last found to
 * begin.
 *
 * <p>A row below the floor would be missed, so floors are never above rows that an unfinished transaction may still
 * commit: when a running transaction has ended, the floors are lowered to the time when that transaction was first
 * seen. The lanes are rescanned from their start regularly, for at most a tenth of the time, to find new lanes and to
 * detect when floors are no longer needed.
 */
final class ClaimFloor {
    /** The pause after a rescan, as a multiple of its duration: rescans use less than 1/10 of the time. */
    private static final int REST = 10;

    private static final long SHORTEST_REST = 50_000_000;
    /** The number of slow scans in a row that switches floors on, so that a single slow scan does not. */
    private static final int SLOW_SCANS = 3;
    /**
     * The longest assumed delay between a statement's start, which is the run time of its rows, and the time when its
     * transaction is visible to others.
     */
    private static final Duration MARGIN = Duration.ofMillis(100);

    /** Duration from which a scan of the lanes counts as slow; for a claim, {@link #SLOW_NANOS_PER_JOB} is added. */
    static final long SLOW_NANOS = 5_000_000;

    static final long SLOW_NANOS_PER_JOB = 25_000;

    private final Probe probe;
    private final long slowNanos;
    private final Map<LaneKey, Lane> lanes = new HashMap<>();
    private long fastestScan;
    private boolean proven;
    private long rescanAt = System.nanoTime();
    private Map<String, Instant> underWay = new HashMap<>();
    private Instant lastSnapshot = Instant.EPOCH;

    /**
     * Creates floors that apply from the next claim on.
     *
     * @param quickestClaim the round-trip time to the database
     */
    ClaimFloor(Probe probe, long slowNanos, long quickestClaim) {
        this.probe = probe;
        this.slowNanos = slowNanos;
        this.fastestScan = quickestClaim;
    }

    /** Reads lanes and running transactions from the database. */
    interface Probe {
        List<Lane> lanes();

        Snapshot snapshot();
    }

    /** The running transactions at a point in time. */
    record Snapshot(Set<String> underWay, Instant now) {
        /** Parses PostgreSQL's notation, {@code xmin:xmax:x,y,z}. */
        static Snapshot parse(String text, Instant now) {
            String running = text.substring(text.lastIndexOf(':') + 1);
            return new Snapshot(running.isEmpty() ? Set.of() : Set.of(running.split(",")), now);
        }
    }

    /** How the next claim scans: all lanes, or only these, each from its floor ({@link Lane#firstRunAt}). */
    record Plan(boolean walk, List<Lane> lanes) {
        static final Plan WALK = new Plan(true, List.of());
    }

    private record LaneKey(String queue, String definitionKey, int version, short rank) {
        static LaneKey of(Lane lane) {
            return new LaneKey(lane.queue(), lane.definitionKey(), lane.definitionVersion(), lane.rank());
        }
    }

    /** Returns how to scan now; {@link Plan#WALK} once scans are fast again and floors are no longer needed. */
    synchronized Plan plan(long nanoTime) {
        lowerForEndedTransactions(probe.snapshot());
        boolean slow = nanoTime - rescanAt < 0 || rescan();
        // Without a known lane there is no floor to start from; a walk over all lanes finds the lane of the next job.
        return slow && !lanes.isEmpty() ? new Plan(false, List.copyOf(lanes.values())) : Plan.WALK;
    }

    /** Raises the floors to the run times of claimed jobs. */
    synchronized void raise(List<ClaimedJob> jobs) {
        for (ClaimedJob job : jobs) {
            var spec = job.job().spec();
            var key = new LaneKey(
                    spec.queue(), spec.definition().key(), spec.definition().version(), (short) -spec.priority());
            lanes.computeIfPresent(
                    key, (k, lane) -> lane.raisedTo(job.job().times().runAt()));
        }
    }

    /** Scans the lanes from their start; returns whether that is slow. */
    private boolean rescan() {
        long start = System.nanoTime();
        boolean slow = scan();
        for (int scans = 1; slow && !proven && scans < SLOW_SCANS; scans++) {
            slow = scan();
        }
        proven = slow;
        long end = System.nanoTime();
        rescanAt = end + Math.max(SHORTEST_REST, REST * (end - start));
        return slow;
    }

    /** Reads where each lane begins; returns whether that was slow. */
    private boolean scan() {
        long start = System.nanoTime();
        List<Lane> found = probe.lanes();
        long nanos = System.nanoTime() - start;
        // A lane that is empty now keeps its floor: its next job must not wait for the next rescan.
        found.forEach(lane -> lanes.put(LaneKey.of(lane), lane));
        fastestScan = Math.min(fastestScan, nanos);
        return nanos - fastestScan > slowNanos;
    }

    private void lowerForEndedTransactions(Snapshot snapshot) {
        Instant bound = lastSnapshot;
        var still = new HashMap<String, Instant>();
        for (String transaction : snapshot.underWay()) {
            @Nullable Instant since = underWay.get(transaction);
            still.put(transaction, since == null ? lastSnapshot : since);
        }
        var ended = new HashSet<>(underWay.keySet());
        ended.removeAll(snapshot.underWay());
        for (String transaction : ended) {
            Instant since = underWay.get(transaction);
            bound = since != null && since.isBefore(bound) ? since : bound;
        }
        Instant floor = bound.minus(MARGIN);
        lanes.replaceAll((key, lane) -> lane.loweredTo(floor));
        underWay = still;
        lastSnapshot = snapshot.now();
    }
}
