package dev.longhaul.engine.run;

import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.internal.log.LineLog;
import dev.longhaul.internal.text.Text;
import dev.longhaul.json.LogData;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/** The log of one run: each line is an event of the job and a line of SLF4J's. */
final class RunLog implements LineLog.Sink {
    /** Text that one run may store. */
    private static final long MOST_TEXT = 10L << 20;

    private static final int LONGEST_LINE = 16_000;

    private final RunContext context;
    private final Logger logger;
    private final AtomicLong written = new AtomicLong();

    RunLog(RunContext context) {
        this.context = context;
        this.logger = logger(context.definition().key());
    }

    static Logger logger(String definitionKey) {
        return LoggerFactory.getLogger("longhaul.job." + definitionKey);
    }

    @Override
    public void line(Level level, String whole, LogData data) {
        String line = Text.storableOf(context.secrets().hide(whole), LONGEST_LINE);
        String json = data.isEmpty() ? null : hidden(data.json());
        store(level, line, json);
        LogMarks.around(context, () -> log(logger, level, line, json));
    }

    /** Data without secrets. */
    private String hidden(String json) {
        String hidden = context.secrets().hideJson(json);
        return hidden.startsWith("{") ? hidden : LogData.note("data left out: its secrets could not be masked");
    }

    private void store(Level level, String line, @Nullable String data) {
        int size = line.length() + (data == null ? 0 : data.length());
        long before = written.getAndAdd(size);
        if (before < MOST_TEXT) {
            context.event(EventType.LOG, payload(level, line, data));
        }
        if (before < MOST_TEXT && before + size >= MOST_TEXT) {
            String end = "the log of this run is full at 10 MiB; what follows is not stored";
            context.event(EventType.LOG, payload(Level.WARN, end, null));
        }
    }

    private static String payload(Level level, String line, @Nullable String data) {
        return "{\"level\":\"" + level.name().toLowerCase(Locale.ROOT) + "\",\"message\":" + Payload.quoted(line)
                + (data == null ? "" : ",\"data\":" + data) + "}";
    }

    /** Writes a line with its data as key-value pairs. */
    static void log(Logger logger, Level level, String line, @Nullable String data) {
        LoggingEventBuilder event = logger.atLevel(level);
        if (data != null && logger.isEnabledForLevel(level)) {
            for (Map.Entry<String, String> field : LogData.texts(data).entrySet()) {
                event = event.addKeyValue(field.getKey(), field.getValue());
            }
        }
        event.log("{}", line);
    }
}
