package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void help_lists_the_commands() {
        assertThat(longhaul("--help")).isZero();
        assertThat(out.toString()).contains("dev", "server", "worker", "bench", "version", "Exit codes");
    }

    @Test
    void version_names_longhaul_and_java() {
        assertThat(longhaul("version")).isZero();
        assertThat(out.toString())
                .startsWith("longhaul ")
                .contains("Java " + Runtime.version().feature());
    }

    @Nested
    class MigrateCommand {
        @Test
        void migrates_an_empty_database_and_does_not_change_a_current_one(@TempDir Path home) {
            try (var postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home))) {
                String url = "postgres://" + postgres.user() + ":" + postgres.password() + "@127.0.0.1:"
                        + postgres.port() + "/postgres";
                assertThat(longhaul("migrate", "--database-url", url)).isZero();
                assertThat(longhaul("migrate", "--database-url", url)).isZero();
                assertThat(out.toString()).contains("at version 3.");
                postgres.crashServer();
            }
        }

        @Test
        void says_in_one_line_that_the_database_does_not_run() {
            assertThat(longhaul("migrate", "--database-url", "postgres://ann:secret@127.0.0.1:1/jobs"))
                    .isEqualTo(7);
            assertThat(err.toString().lines()).hasSize(1);
            assertThat(err.toString())
                    .contains("database refused the connection", "start PostgreSQL there")
                    .doesNotContain("secret");
        }

        @Test
        void needs_a_database() {
            assertThat(longhaul("migrate")).isEqualTo(2);
            assertThat(err.toString()).contains("--database-url");
        }
    }

    @Nested
    class BenchCommand {
        @Test
        void reports_that_benchmarks_need_a_checkout() {
            assertThat(longhaul("bench", "store", "--jobs", "5")).isEqualTo(2);
            assertThat(err.toString()).hasLineCount(1).contains("in a checkout", "./longhaul bench store --jobs 5");
        }
    }

    @Nested
    class ExitCode {
        @Test
        void is_2_for_wrong_usage() {
            assertThat(longhaul()).isEqualTo(2);
            assertThat(longhaul("no-such-command")).isEqualTo(2);
            assertThat(longhaul("dev", "--no-such-option")).isEqualTo(2);
            assertThat(longhaul("bench")).isEqualTo(2);
        }

        @Test
        void is_1_for_an_unexpected_error_and_its_stack_is_shown() {
            assertThat(failing(new IllegalStateException("out of luck"))).isEqualTo(1);
            assertThat(err.toString())
                    .startsWith("longhaul: java.lang.IllegalStateException: out of luck")
                    .contains("\tat ");
        }

        @Test
        void is_1_for_an_unexpected_error_that_is_printed_as_json() throws Exception {
            assertThat(failing(new IllegalStateException("out of luck"), "--json"))
                    .isEqualTo(1);
            var problem = new ObjectMapper().readTree(err.toString());
            assertThat(problem.path("code").asText()).isEqualTo("internal");
            assertThat(problem.path("detail").asText()).isEqualTo("java.lang.IllegalStateException: out of luck");
            assertThat(problem.path("stack").asText()).contains("\tat ");
        }

        @Test
        void is_that_of_the_error_code_and_the_message_is_one_line() {
            assertThat(failing(new LonghaulException(ErrorCode.NOT_FOUND, "job 7 does not exist")))
                    .isEqualTo(4);
            assertThat(err.toString()).isEqualToIgnoringNewLines("longhaul: job 7 does not exist");
        }
    }

    private int longhaul(String... arguments) {
        return commandLine().execute(arguments);
    }

    /** Runs a command that fails with the exception. */
    private int failing(RuntimeException failure, String... options) {
        var command = new CommandLine(new Failing(failure)).setUnmatchedArgumentsAllowed(true);
        CommandLine longhaul = commandLine().addSubcommand("fail", command);
        return longhaul.setErr(longhaul.getErr())
                .setExecutionExceptionHandler(longhaul.getExecutionExceptionHandler())
                .execute(Stream.concat(Stream.of("fail"), Stream.of(options)).toArray(String[]::new));
    }

    private CommandLine commandLine() {
        return Main.commandLine(new PrintWriter(out, true), new PrintWriter(err, true));
    }

    @Command
    private record Failing(RuntimeException failure) implements Runnable {
        @Override
        public void run() {
            throw failure;
        }
    }
}
