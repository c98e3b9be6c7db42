package dev.longhaul;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A job's own log: stored with the job, and written to SLF4J too. Messages may have {@code {}} for arguments. */
public interface JobLog {
    void info(String message, @Nullable Object... arguments);

    void warn(String message, @Nullable Object... arguments);

    void error(String message, @Nullable Object... arguments);

    /**
     * A log whose lines carry a field of structured data:
     * {@code log.with("file", name).with("bytes", 1024).info("uploaded")}. The value is converted to JSON in this call.
     * A value that cannot be converted is replaced by a note, and so is data of more than
     * {@value dev.longhaul.json.LogData#MOST_CHARACTERS} characters in all; the line is always written.
     */
    JobLog with(String key, @Nullable Object value);

    /** A log whose lines carry these fields too. */
    default JobLog with(Map<String, ?> data) {
        JobLog log = this;
        for (Map.Entry<String, ?> field : data.entrySet()) {
            log = log.with(field.getKey(), field.getValue());
        }
        return log;
    }
}
