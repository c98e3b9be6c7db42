package dev.longhaul.server.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogLevelsTest {
    @Test
    void are_those_of_longhaul_and_of_named_loggers() {
        LogLevels levels = LogLevels.parse("info, com.example=debug,a=error");
        assertThat(levels).isEqualTo(new LogLevels("info", Map.of("com.example", "debug", "a", "error")));
        assertThat(levels.text("warn")).isEqualTo("warn,a=error,com.example=debug");
        assertThat(LogLevels.parse("com.example=debug").own()).isNull();
        assertThat(LogLevels.parse("debug").loggers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "loud", "info,", "info,debug", "a=loud", "=info", "a b=info", "a=info,a=debug", "a=b=info"})
    void are_refused_with_what_is_expected(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LogLevels.parse(text))
                .withMessage("error, warn, info or debug, for other loggers as in info,com.example=debug");
    }
}
