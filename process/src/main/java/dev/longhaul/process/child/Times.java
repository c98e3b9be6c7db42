package dev.longhaul.process.child;

import dev.longhaul.job.RunTime;
import java.time.Duration;
import java.time.Instant;

/** Converts the time of the next run to and from text. */
public final class Times {
    private Times() {}

    static String text(RunTime time) {
        Instant at = time.at();
        Duration after = time.after();
        return at != null ? at.toString() : (after == null ? Duration.ZERO : after).toString();
    }

    public static RunTime parse(String text) {
        return text.startsWith("P") ? RunTime.after(Duration.parse(text)) : RunTime.at(Instant.parse(text));
    }
}
