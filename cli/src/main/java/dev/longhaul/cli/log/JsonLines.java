package dev.longhaul.cli.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * Writes the log as JSON, one object per line: {@code timestamp} (ISO 8601, UTC), {@code level}, {@code logger},
 * {@code thread}, {@code message}, {@code exception} with its stack, the context fields (MDC), and the fields of
 * {@code with(name, value)}. {@code logback.xml} refers to this class.
 */
public final class JsonLines extends EncoderBase<ILoggingEvent> {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX").withZone(ZoneOffset.UTC);

    @Override
    public byte @Nullable [] headerBytes() {
        return null;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("timestamp", TIME.format(event.getInstant()));
        fields.put("level", event.getLevel().toString());
        fields.put("logger", event.getLoggerName());
        fields.put("thread", event.getThreadName());
        fields.put("message", event.getFormattedMessage());
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
            fields.put("exception", ThrowableProxyUtil.asString(thrown));
        }
        event.getMDCPropertyMap().forEach((name, value) -> add(fields, name, value));
        if (event.getKeyValuePairs() != null) {
            for (KeyValuePair pair : event.getKeyValuePairs()) {
                add(fields, pair.key, plain(pair.value));
            }
        }
        try {
            return (JSON.writeValueAsString(fields) + "\n").getBytes(UTF_8);
        } catch (JsonProcessingException e) {
            addError("a line could not be written as JSON", e);
            return new byte[0];
        }
    }

    /**
     * Adds a field. Appends underscores to a name that is already used, so that a job cannot overwrite the standard
     * fields.
     */
    private static void add(Map<String, Object> fields, String name, @Nullable Object value) {
        String free = name;
        while (fields.containsKey(free)) {
            free += "_";
        }
        fields.put(free, value);
    }

    private static @Nullable Object plain(@Nullable Object value) {
        return value == null || value instanceof Number || value instanceof Boolean ? value : value.toString();
    }

    @Override
    public byte @Nullable [] footerBytes() {
        return null;
    }
}
