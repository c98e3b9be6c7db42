package dev.longhaul.process.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands defined in a file of the operator. */
class CommandFileTest {
    private static final String TRANSCODE = """
            {"commands": [{
              "key": "video.transcode",
              "version": 3,
              "argv": ["ffmpeg", "-i", "{url}", "--speed={speed}", "{more}", "{}", "{other}"],
              "params": {
                "type": "object",
                "properties": {
                  "url": {"type": "string"},
                  "speed": {"type": "integer"},
                  "more": {"type": "array", "items": {"type": "string"}}
                },
                "required": ["url"],
                "additionalProperties": false
              },
              "env": {"FROM": "{url}"},
              "timeoutSeconds": 60,
              "maxAttempts": 2,
              "memory": "1g",
              "finalExitCodes": [2]
            }]}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private List<JobDefinition<?, ?>> read(String text) throws IOException {
        return CommandFile.read(Files.writeString(directory.resolve("commands.json"), text));
    }

    private Command command(String params) throws IOException {
        CommandHandler handler = (CommandHandler) read(TRANSCODE).get(0).handler();
        return handler.command(Objects.requireNonNull(Json.read(params, JsonNode.class)));
    }

    @Test
    void become_definitions() throws IOException {
        JobDefinition<?, ?> definition = read(TRANSCODE).get(0);
        assertThat(definition.ref()).hasToString("video.transcode@3");
        assertThat(definition.timeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(definition.maxAttempts()).isEqualTo(2);
        assertThat(definition.isolation()).isEqualTo(Isolation.process().memory("1g"));
        assertThat(definition.params().schema().problems("params", "{\"url\":1}"))
                .hasSize(1);
        CommandHandler handler = (CommandHandler) definition.handler();
        assertThat(handler.isFinal(2)).isTrue();
        assertThat(handler.isFinal(1)).isFalse();
    }

    @Test
    void get_each_param_as_one_argument() throws IOException {
        Command command = command("{\"url\":\"; rm -rf $(x) {speed}\",\"speed\":2,\"more\":[\"a b\",\"\"]}");
        assertThat(command.argv())
                .containsExactly("ffmpeg", "-i", "; rm -rf $(x) {speed}", "--speed=2", "a b", "", "{}", "{other}");
        assertThat(command.env()).containsEntry("FROM", "; rm -rf $(x) {speed}");
    }

    @Test
    void omit_arguments_with_absent_params() throws IOException {
        assertThat(command("{\"url\":\"u\"}").argv()).containsExactly("ffmpeg", "-i", "u", "{}", "{other}");
    }

    @Test
    void that_are_invalid_are_rejected() {
        for (String text : List.of(
                "",
                "[]",
                "{\"commands\":[null]}",
                "{\"commands\":[{\"argv\":[\"a\"]}]}",
                "{\"commands\":[{\"key\":\"a\",\"argv\":[\"a\",null]}]}",
                "{\"commands\":[{\"key\":\"a\",\"argv\":[]}]}",
                "{\"commands\":[{\"key\":\"a\",\"argv\":[\"a\"],\"env\":{\"A=B\":\"\"}}]}",
                "{\"commands\":[{\"key\":\"a\",\"argv\":[\"a\"],\"env\":{\"\":\"\"}}]}",
                "{\"commands\":[{\"key\":\"a\",\"argv\":[\"a\"],\"finalExitCodes\":[999]}]}",
                "{\"commands\":[{\"key\":\"a\",\"argv\":[\"a\"],\"finalExitCodes\":[0]}]}",
                "{\"commands\":[{\"key\":\"no spaces\",\"argv\":[\"a\"]}]}",
                "{\"commands\":[{\"key\":\"a\",\"argv\":[\"a\"],\"shell\":true}]}",
                "{\"commands\":[{\"key\":\"a\",\"argv\":[\"a\"],\"memory\":\"much\"}]}")) {
            assertThatThrownBy(() -> read(text))
                    .as(text)
                    .isInstanceOf(LonghaulException.class)
                    .hasMessageContaining("commands.json (expected: ");
        }
    }
}
