package dev.longhaul.process;

import dev.longhaul.process.java.ChildPool;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the processes that this JVM has started for runs, over all its workers. */
public final class ProcessFigures {
    private static final LongAdder STARTED = new LongAdder();
    private static final LongAdder ENDED = new LongAdder();
    private static final LongAdder KILLED = new LongAdder();
    private static final Set<ChildPool> POOLS = ConcurrentHashMap.newKeySet();

    private ProcessFigures() {}

    /** Processes started so far, including idle JVMs that wait for a run. */
    public static long started() {
        return STARTED.sum();
    }

    /** Processes alive now. */
    public static long alive() {
        return STARTED.sum() - ENDED.sum();
    }

    /** Processes that were killed so far. */
    public static long killed() {
        return KILLED.sum();
    }

    /** Idle JVMs that wait for a run. */
    public static long waiting() {
        return POOLS.stream().mapToLong(ChildPool::waiting).sum();
    }

    public static void hasStarted() {
        STARTED.increment();
    }

    public static void hasEnded() {
        ENDED.increment();
    }

    public static void isKilled() {
        KILLED.increment();
    }

    public static void opened(ChildPool pool) {
        POOLS.add(pool);
    }

    public static void closed(ChildPool pool) {
        POOLS.remove(pool);
    }
}
