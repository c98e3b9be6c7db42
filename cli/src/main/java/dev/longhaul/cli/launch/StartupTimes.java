package dev.longhaul.cli.launch;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** Where the time goes between the start of the JVM and the moment that the process is ready. */
final class StartupTimes {
    private final long jvmStart = ManagementFactory.getRuntimeMXBean().getStartTime();
    private final List<String> marks = new CopyOnWriteArrayList<>();

    /** Notes that something is done now. */
    void mark(String what) {
        marks.add(String.format(Locale.ROOT, "%6d ms  %s", sinceStart().toMillis(), what));
    }

    /** Notes that something is done now and took that long by itself. */
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
