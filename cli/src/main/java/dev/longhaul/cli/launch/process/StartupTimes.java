package dev.longhaul.cli.launch.process;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** Measures the phases of the start, from the start of the JVM until the process is ready. */
public final class StartupTimes {
    private final long jvmStart = ManagementFactory.getRuntimeMXBean().getStartTime();
    private final List<String> marks = new CopyOnWriteArrayList<>();

    /** Records the end of a phase, which began at the end of the previous one. */
    public void mark(String what) {
        marks.add(String.format(Locale.ROOT, "%6d ms  %s", sinceStart().toMillis(), what));
    }

    /** Records the end of a phase that took the given time. */
    public void mark(String what, Duration taken) {
        mark(what + " (in " + taken.toMillis() + " ms)");
    }

    public Duration sinceStart() {
        return Duration.ofMillis(System.currentTimeMillis() - jvmStart);
    }

    public List<String> lines() {
        return List.copyOf(marks);
    }
}
