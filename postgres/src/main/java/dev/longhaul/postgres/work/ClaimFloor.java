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
 * Keeps claims quick while somebody holds an old snapshot, a long report say. The index entries of jobs claimed since then
 * cannot be removed, and a claim that scans a lane from its start steps over all of them. So, once a claim of
 * some queues has been slow, there is one of these for them: the next ones start each lane where it was last seen to begin, at its
 * floor.
 *
 * <p>A row below the floor would be overlooked, so floors are never above what an unfinished transaction may still commit: a
 * transaction that was under way and has ended lowers them to the time it was first seen. The lanes are looked at from their
 * start again and again anyway, for a tenth of the time: new ones are found, and whether floors are still needed.
 */
final class ClaimFloor {
    /** Of the time that passes, one in so many parts may go into looking at the lanes. */
    private static final int REST = 10;

    private static final long SHORTEST_REST = 50_000_000;
    /** A machine that hesitates makes one look slow, hardly so many in a row. */
    private static final int SLOW_LOOKS = 3;
    /** Between a statement's start, which is its rows' run time, and its transaction being seen by others. */
    private static final Duration MARGIN = Duration.ofMillis(100);

    /** What a look at the lanes may take before it counts as slow; a claim may take as long, and some more per job. */
    static final long SLOW_NANOS = 5_000_000;

    static final long SLOW_NANOS_PER_JOB = 25_000;

    private final Probe probe;
    private final long slowNanos;
    private final Map<LaneKey, Lane> lanes = new HashMap<>();
    private long quickestLook;
    private boolean proven;
    private long rescanAt = System.nanoTime();
    private Map<String, Instant> underWay = new HashMap<>();
    private Instant lastLook = Instant.EPOCH;

    /**
     * Floors that are used from the next claim on.
     *
     * @param quickestClaim what the way to the database and back takes
     */
    ClaimFloor(Probe probe, long slowNanos, long quickestClaim) {
        this.probe = probe;
        this.slowNanos = slowNanos;
        this.quickestLook = quickestClaim;
    }

    /** What the floor needs to know of the database. */
    interface Probe {
        List<Lane> lanes();

        Snapshot snapshot();
    }

    /** The transactions under way at a moment. */
    record Snapshot(Set<String> underWay, Instant now) {
        /** From PostgreSQL's notation, {@code xmin:xmax:x,y,z}. */
        static Snapshot parse(String text, Instant now) {
            String running = text.substring(text.lastIndexOf(':') + 1);
            return new Snapshot(running.isEmpty() ? Set.of() : Set.of(running.split(",")), now);
        }
    }

    /** How the next claim scans: by walking all lanes, or only these, each from its floor ({@link Lane#firstRunAt}). */
    record Plan(boolean walk, List<Lane> lanes) {
        static final Plan WALK = new Plan(true, List.of());
    }

    private record LaneKey(String queue, String definitionKey, int version, short rank) {
        static LaneKey of(Lane lane) {
            return new LaneKey(lane.queue(), lane.definitionKey(), lane.definitionVersion(), lane.rank());
        }
    }

    /** How to scan now; {@link Plan#WALK} once the lanes are quick to look at, and floors are needed no more. */
    synchronized Plan plan(long nanoTime) {
        lowerForEndedTransactions(probe.snapshot());
        boolean slow = nanoTime - rescanAt < 0 || rescan();
        return slow ? new Plan(false, List.copyOf(lanes.values())) : Plan.WALK;
    }

    /** Raises the floors to what a claim has taken. */
    synchronized void raise(List<ClaimedJob> jobs) {
        for (ClaimedJob job : jobs) {
            var spec = job.job().spec();
            var key = new LaneKey(
                    spec.queue(), spec.definition().key(), spec.definition().version(), (short) -spec.priority());
            lanes.computeIfPresent(
                    key, (k, lane) -> lane.raisedTo(job.job().times().runAt()));
        }
    }

    /** Looks at the lanes from their start; returns whether that is slow. */
    private boolean rescan() {
        long start = System.nanoTime();
        boolean slow = look();
        for (int looks = 1; slow && !proven && looks < SLOW_LOOKS; looks++) {
            slow = look();
        }
        proven = slow;
        long end = System.nanoTime();
        rescanAt = end + Math.max(SHORTEST_REST, REST * (end - start));
        return slow;
    }

    /** Looks where each lane begins; returns whether that took long. */
    private boolean look() {
        long start = System.nanoTime();
        List<Lane> found = probe.lanes();
        long nanos = System.nanoTime() - start;
        // A lane that is empty now keeps its floor: its next job must not wait until the lanes are looked at again.
        found.forEach(lane -> lanes.put(LaneKey.of(lane), lane));
        quickestLook = Math.min(quickestLook, nanos);
        return nanos - quickestLook > slowNanos;
    }

    private void lowerForEndedTransactions(Snapshot snapshot) {
        Instant bound = lastLook;
        var still = new HashMap<String, Instant>();
        for (String transaction : snapshot.underWay()) {
            @Nullable Instant since = underWay.get(transaction);
            still.put(transaction, since == null ? lastLook : since);
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
        lastLook = snapshot.now();
    }
}
