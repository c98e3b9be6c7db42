package dev.longhaul.process.child;

import dev.longhaul.job.RunAt;
import java.time.Duration;
import java.time.Instant;

/** Converts the time of the next run to and from text. */
public final class Times {
    private Times() {}

    static String text(RunAt time) {
        Instant at = time.at();
        Duration after = time.after();
        return at != null ? at.toString() : (after == null ? Duration.ZERO : after).toString();
    }

    public static RunAt parse(String text) {
        return text.startsWith("P") ? RunAt.after(Duration.parse(text)) : RunAt.at(Instant.parse(text));
    }
}
