package dev.longhaul.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The commands that the dashboard shows for pasting into a terminal. */
class DashboardCommandsTest {
    private static final Pattern COMMAND = Pattern.compile("longhaul ((?:keys )?[a-z]+)");
    private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]*");

    @Test
    void exist_with_all_their_options() throws IOException {
        var longhaul = Main.commandLine(new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter()));
        var checked = new ArrayList<String>();
        // Each exported function or constant contains one command.
        for (String part : commands().split("\nexport ")) {
            List<String> named =
                    COMMAND.matcher(part).results().map(found -> found.group(1)).toList();
            for (String name : named) {
                var command = command(longhaul, name);
                assertThat(OPTION.matcher(part).results().map(MatchResult::group))
                        .as(name)
                        .allSatisfy(
                                option -> assertThat(command.getCommandSpec().findOption(option))
                                        .as(name + " " + option)
                                        .isNotNull());
                checked.add(name);
            }
        }
        assertThat(checked).contains("submit", "dev", "worker", "server", "keys create");
    }

    @Test
    void are_written_in_one_file_only() throws IOException {
        for (String file :
                List.of("jobs.js", "job.js", "queues.js", "workers.js", "definitions.js", "login.js", "start-job.js")) {
            assertThat(read(file)).as(file).doesNotContainPattern("longhaul (submit|dev|worker|server|keys) ");
        }
    }

    private static CommandLine command(CommandLine longhaul, String name) {
        CommandLine found = longhaul;
        for (String word : name.split(" ")) {
            found = Objects.requireNonNull(found.getSubcommands().get(word), name);
        }
        return found;
    }

    private static String commands() throws IOException {
        return read("commands.js");
    }

    private static String read(String file) throws IOException {
        try (InputStream in = DashboardCommandsTest.class.getResourceAsStream("/dev/longhaul/dashboard/" + file)) {
            return new String(Objects.requireNonNull(in, file).readAllBytes(), UTF_8);
        }
    }
}
