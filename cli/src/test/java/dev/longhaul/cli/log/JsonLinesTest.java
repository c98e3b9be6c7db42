package dev.longhaul.cli.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class JsonLinesTest {
    private final JsonLines lines = new JsonLines();

    private static LoggingEvent event(String message, @Nullable Throwable thrown, Object... arguments) {
        var logger = new LoggerContext().getLogger("dev.longhaul.engine.ClaimLoop");
        var event = new LoggingEvent(JsonLinesTest.class.getName(), logger, Level.WARN, message, thrown, arguments);
        event.setInstant(Instant.parse("2026-11-18T14:00:00.120Z"));
        event.setThreadName("longhaul-claims");
        event.setMDCPropertyMap(Map.of("jobId", "01a1", "attempt", "2"));
        return event;
    }

    private JsonNode parsed(LoggingEvent event) throws IOException {
        String line = new String(lines.encode(event), UTF_8);
        assertThat(line).endsWith("\n");
        assertThat(line.strip()).doesNotContain("\n");
        return new ObjectMapper().readTree(line);
    }

    @Test
    void is_one_object_with_time_level_logger_thread_message_and_context_fields() throws IOException {
        JsonNode line = parsed(event("claim failed: {}", null, "a \"quoted\"\nline"));
        assertThat(line.get("timestamp").asText()).isEqualTo("2026-11-18T14:00:00.120Z");
        assertThat(line.get("level").asText()).isEqualTo("WARN");
        assertThat(line.get("logger").asText()).isEqualTo("dev.longhaul.engine.ClaimLoop");
        assertThat(line.get("thread").asText()).isEqualTo("longhaul-claims");
        assertThat(line.get("message").asText()).isEqualTo("claim failed: a \"quoted\"\nline");
        assertThat(line.get("jobId").asText()).isEqualTo("01a1");
        assertThat(line.get("attempt").asText()).isEqualTo("2");
        assertThat(line.has("exception")).isFalse();
    }

    @Test
    void has_the_stack_of_an_exception() throws IOException {
        JsonNode line = parsed(event("failed", new IllegalStateException("no luck", new IOException("disk"))));
        assertThat(line.get("exception").asText())
                .startsWith("java.lang.IllegalStateException: no luck")
                .contains("\tat " + JsonLinesTest.class.getName(), "Caused by: java.io.IOException: disk");
    }

    @Test
    void has_the_fields_of_a_line_with_their_types_and_none_replaces_another() throws IOException {
        LoggingEvent event = event("sent", null);
        event.setKeyValuePairs(List.of(
                new KeyValuePair("bytes", 7), new KeyValuePair("message", "mine"), new KeyValuePair("to", null)));
        JsonNode line = parsed(event);
        assertThat(line.get("bytes").asInt()).isEqualTo(7);
        assertThat(line.get("message").asText()).isEqualTo("sent");
        assertThat(line.get("message_").asText()).isEqualTo("mine");
        assertThat(line.get("to").isNull()).isTrue();
    }
}
