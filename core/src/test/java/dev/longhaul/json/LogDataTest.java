package dev.longhaul.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobLog;
import dev.longhaul.event.LogLines;
import dev.longhaul.internal.log.LineLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LogDataTest {
    private final List<String> lines = new ArrayList<>();
    private final JobLog log = new LineLog((level, line, data) -> lines.add(level + " " + line + " " + data.json()));

    @Test
    void is_on_the_lines_of_the_log_that_has_it() {
        JobLog uploads = log.with("file", "a \"b\".csv").with("bytes", 9007199254740993L);
        uploads.with(Map.of("bytes", 7)).warn("half of {}", 2);
        uploads.info("uploaded");
        log.info("done");
        assertThat(lines)
                .containsExactly(
                        "WARN half of 2 {\"file\":\"a \\\"b\\\".csv\",\"bytes\":7}",
                        "INFO uploaded {\"file\":\"a \\\"b\\\".csv\",\"bytes\":9007199254740993}",
                        "INFO done {}");
    }

    @Test
    void of_a_value_that_json_cannot_represent_is_a_note() {
        log.with("thread", new Object())
                .with("list", List.of(1, "x"))
                .with("none", null)
                .info("x");
        assertThat(lines)
                .containsExactly(
                        "INFO x {\"thread\":\"(not serialisable: java.lang.Object)\",\"list\":[1,\"x\"],\"none\":null}");
    }

    @Test
    void that_is_too_long_is_replaced_by_a_note() {
        log.with("small", 1)
                .with("big", "x".repeat(LogData.MOST_CHARACTERS))
                .with("more", 2)
                .info("x");
        assertThat(lines)
                .singleElement()
                .asString()
                .matches("INFO x \\{\"note\":\"data left out: 160[0-9]+ characters \\(at most 16000\\)\"}");
    }

    @Test
    void is_shown_as_key_and_value() {
        String json = LogData.NONE
                .with("file", "a.csv")
                .with("text", "two words")
                .with("empty", "")
                .with("n", 1.5)
                .with("object", Map.of("k", List.of(true, "v")))
                .json();
        assertThat(LogLines.fields(Objects.requireNonNull(Json.read(json, Map.class))))
                .isEqualTo(" file=a.csv text=\"two words\" empty=\"\" n=1.5 object={\"k\":[true,\"v\"]}");
    }
}
