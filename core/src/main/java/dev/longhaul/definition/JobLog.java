package dev.longhaul.definition;

import org.jspecify.annotations.Nullable;

/** A job's own log: stored with the job, and written to SLF4J too. Messages may have {@code {}} for arguments. */
public interface JobLog {
    void info(String message, @Nullable Object... arguments);

    void warn(String message, @Nullable Object... arguments);

    void error(String message, @Nullable Object... arguments);
}
