package dev.longhaul.internal.loop;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background loops of this process. One registry per process: a server, its worker and its store are started
 * separately, but are healthy only together.
 */
public final class Loops {
    private static final Set<BackgroundLoop> RUNNING = ConcurrentHashMap.newKeySet();
    private static final Map<String, AtomicLong> FAILURES = new ConcurrentHashMap<>();

    private static final Map<String, RareLog> LOG_OF = new ConcurrentHashMap<>();
    private static final Logger LOG = LoggerFactory.getLogger(Loops.class);

    private Loops() {}

    /**
     * The vital loops that are not running, each with the reason, such as
     * {@code completions: failing (java.lang.Error)}.
     */
    public static List<String> down() {
        return RUNNING.stream()
                .map(BackgroundLoop::problem)
                .filter(Objects::nonNull)
                .sorted()
                .distinct()
                .toList();
    }

    /** The names of all loops that this process has ever started. */
    public static Set<String> names() {
        return Set.copyOf(FAILURES.keySet());
    }

    /** How many passes of the loops with that name have failed since the process started. */
    public static long failures(String name) {
        AtomicLong failures = FAILURES.get(name);
        return failures == null ? 0 : failures.get();
    }

    /** Wraps a task for a scheduler that drops tasks that throw: an exception is counted and logged instead. */
    public static Runnable guarded(String name, Runnable task) {
        AtomicLong failures = FAILURES.computeIfAbsent(name, none -> new AtomicLong());
        return () -> {
            try {
                task.run();
            } catch (Throwable e) {
                failures.incrementAndGet();
                LOG_OF.computeIfAbsent(name, none -> new RareLog(LOG))
                        .error(name + ": unexpected error; continuing", e);
            }
        };
    }

    /** Adds a loop; returns the counter of its failures, which it shares with loops of the same name. */
    static AtomicLong add(BackgroundLoop loop) {
        AtomicLong failures = FAILURES.computeIfAbsent(loop.name(), name -> new AtomicLong());
        RUNNING.add(loop);
        return failures;
    }

    static void remove(BackgroundLoop loop) {
        RUNNING.remove(loop);
    }
}
