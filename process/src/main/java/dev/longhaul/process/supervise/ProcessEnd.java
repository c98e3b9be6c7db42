package dev.longhaul.process.supervise;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a process ended.
 *
 * @param signal the signal that killed it; null if it exited by itself
 * @param outOfMemory whether it was killed because its process tree exceeded its memory limit
 * @param peakMemory peak memory of its process tree in bytes; null if unknown
 * @param cpuTime CPU time of its process tree; null if unknown
 */
public record ProcessEnd(
        int exitCode,
        @Nullable Integer signal,
        boolean outOfMemory,
        Duration duration,
        @Nullable Long peakMemory,
        @Nullable Duration cpuTime) {
    private static final int SIGNALLED = 128;
    private static final int MOST_SIGNALS = 64;

    /** Returns the signal encoded in an exit code above 128; null if there is none. */
    static @Nullable Integer signalIn(int exitCode) {
        return exitCode > SIGNALLED && exitCode <= SIGNALLED + MOST_SIGNALS ? exitCode - SIGNALLED : null;
    }

    /** Returns JSON fields for duration, peak memory and CPU time; omits unknown values. */
    static List<String> usage(Duration duration, @Nullable Long peakMemory, @Nullable Duration cpuTime) {
        List<String> fields = new ArrayList<>();
        fields.add("\"durationMillis\":" + duration.toMillis());
        if (peakMemory != null) {
            fields.add("\"peakMemoryBytes\":" + peakMemory);
        }
        if (cpuTime != null) {
            fields.add("\"cpuMillis\":" + cpuTime.toMillis());
        }
        return fields;
    }

    public String json() {
        List<String> fields = new ArrayList<>();
        if (signal == null) {
            fields.add("\"exitCode\":" + exitCode);
        } else {
            fields.add("\"signal\":" + signal);
        }
        fields.addAll(usage(duration, peakMemory, cpuTime));
        if (outOfMemory) {
            fields.add("\"outOfMemory\":true");
        }
        return "{" + String.join(",", fields) + "}";
    }
}
