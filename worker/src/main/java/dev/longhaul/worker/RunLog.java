package dev.longhaul.worker;

import dev.longhaul.definition.JobLog;
import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.job.Text;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.MessageFormatter;

/** The log of one run: each line is an event of the job and a line of SLF4J's. */
final class RunLog implements JobLog {
    /** Text that one run may store. */
    private static final long MOST_TEXT = 10L << 20;

    private static final int LONGEST_LINE = 16_000;

    private final RunContext context;
    private final Logger logger;
    private final AtomicLong written = new AtomicLong();

    RunLog(RunContext context) {
        this.context = context;
        this.logger =
                LoggerFactory.getLogger("longhaul.job." + context.definition().key());
    }

    @Override
    public void info(String message, @Nullable Object... arguments) {
        String line = write("info", message, arguments);
        LogMarks.around(context, () -> logger.info("{}", line));
    }

    @Override
    public void warn(String message, @Nullable Object... arguments) {
        String line = write("warn", message, arguments);
        LogMarks.around(context, () -> logger.warn("{}", line));
    }

    @Override
    public void error(String message, @Nullable Object... arguments) {
        String line = write("error", message, arguments);
        LogMarks.around(context, () -> logger.error("{}", line));
    }

    private String write(String level, String message, @Nullable Object... arguments) {
        var formatted = MessageFormatter.arrayFormat(message, arguments);
        Throwable error = formatted.getThrowable();
        String whole = context.secrets().hide(formatted.getMessage() + (error == null ? "" : ": " + error));
        String line = Text.storableOf(whole, LONGEST_LINE);
        long before = written.getAndAdd(line.length());
        if (before < MOST_TEXT) {
            context.event(EventType.LOG, payload(level, line));
        }
        if (before < MOST_TEXT && before + line.length() >= MOST_TEXT) {
            String end = "the log of this run is full at 10 MiB; what follows is not stored";
            context.event(EventType.LOG, payload("warn", end));
        }
        return line;
    }

    private static String payload(String level, String line) {
        return "{\"level\":\"" + level + "\",\"message\":" + Payload.quoted(line) + "}";
    }
}
