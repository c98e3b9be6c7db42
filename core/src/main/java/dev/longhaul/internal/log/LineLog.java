package dev.longhaul.internal.log;

import dev.longhaul.JobLog;
import dev.longhaul.json.LogData;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import org.slf4j.helpers.MessageFormatter;

/**
 * Formats the lines of a job's log and passes them to a sink, together with the data that was added by {@link #with}.
 */
public final class LineLog implements JobLog {
    /** Takes formatted lines. */
    @FunctionalInterface
    public interface Sink {
        void line(Level level, String line, LogData data);
    }

    private final Sink sink;
    private final LogData data;

    public LineLog(Sink sink) {
        this(sink, LogData.NONE);
    }

    private LineLog(Sink sink, LogData data) {
        this.sink = sink;
        this.data = data;
    }

    @Override
    public void info(String message, @Nullable Object... arguments) {
        write(Level.INFO, message, arguments);
    }

    @Override
    public void warn(String message, @Nullable Object... arguments) {
        write(Level.WARN, message, arguments);
    }

    @Override
    public void error(String message, @Nullable Object... arguments) {
        write(Level.ERROR, message, arguments);
    }

    @Override
    public JobLog with(String key, @Nullable Object value) {
        return new LineLog(sink, data.with(key, value));
    }

    private void write(Level level, String message, @Nullable Object... arguments) {
        var formatted = MessageFormatter.arrayFormat(message, arguments);
        Throwable error = formatted.getThrowable();
        sink.line(level, formatted.getMessage() + (error == null ? "" : ": " + error), data);
    }
}
