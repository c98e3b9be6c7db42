package dev.longhaul.process.supervise;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a process ended.
 *
 * @param signal what killed it; null if it exited by itself
 * @param outOfMemory whether it was killed because its tree took more than it may
 * @param peakMemory the most bytes that its tree had; null if nobody could tell
 * @param cpuTime what its tree used; null if nobody could tell
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

    /** The signal in an exit code as Java and shells tell it. */
    static @Nullable Integer signalIn(int exitCode) {
        return exitCode > SIGNALLED && exitCode <= SIGNALLED + MOST_SIGNALS ? exitCode - SIGNALLED : null;
    }

    /** Fields of JSON: for how long, and what it took. */
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
