package dev.longhaul.cli.launch;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** Measures the phases of the start, from the start of the JVM until the process is ready. */
final class StartupTimes {
    private final long jvmStart = ManagementFactory.getRuntimeMXBean().getStartTime();
    private final List<String> marks = new CopyOnWriteArrayList<>();

    /** Records the end of a phase, which began at the end of the previous one. */
    void mark(String what) {
        marks.add(String.format(Locale.ROOT, "%6d ms  %s", sinceStart().toMillis(), what));
    }

    /** Records the end of a phase that took the given time. */
    void mark(String what, Duration taken) {
        mark(what + " (in " + taken.toMillis() + " ms)");
    }

    Duration sinceStart() {
        return Duration.ofMillis(System.currentTimeMillis() - jvmStart);
    }

    List<String> lines() {
        return List.copyOf(marks);
    }
}
