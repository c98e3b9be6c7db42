package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.longhaul.job.JobStatus;
import java.io.StringWriter;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What commands print on a terminal: colours, tables that fit, relative times, errors and questions. */
@Tag("full")
class TerminalTest {
    private static final String ONE = "{\"text\":\"a\",\"number\":1}";
    private static final Pattern ESCAPES = Pattern.compile("\u001b\\[[0-9;]*m");

    private final ServerFixture server = new ServerFixture();

    @AfterEach
    void close() {
        server.close();
    }

    @Nested
    class Colors {
        @Test
        void mark_statuses_and_errors() {
            String ok = server.submit("test.echo", "--params", ONE);
            String failed = server.submit("test.fail", "--params", ONE);
            server.awaitStatus(ok, JobStatus.SUCCEEDED);
            server.awaitStatus(failed, JobStatus.FAILED);
            assertThat(server.inColors(200, "list").exitsWith(0).out())
                    .contains(
                            "\u001b[32msucceeded\u001b[0m",
                            "\u001b[31mfailed\u001b[0m",
                            "\u001b[31mexception: no room for a number 1\u001b[0m");
            assertThat(server.inColors(80, "watch", failed).out())
                    .contains(
                            failed + " \u001b[31mfailed\u001b[0m: exception",
                            "\u001b[31m-- failed: exception: no room for a number 1\u001b[0m");
            assertThat(server.inColors(80, "get", "x").err())
                    .isEqualToIgnoringNewLines("\u001b[31mlonghaul:\u001b[0m job x not found");
        }

        @Test
        void follow_the_option() {
            server.submit("test.echo", "--params", ONE, "--hold");
            assertThat(server.run("list").out()).doesNotContain("\u001b");
            assertThat(server.run("list", "--color=always").out()).contains("\u001b[2mcreated\u001b[0m");
            assertThat(server.inColors(80, "list", "--color", "never").out()).doesNotContain("\u001b");
            assertThat(server.inColors(80, "get", "x", "--color", "never").err())
                    .doesNotContain("\u001b");
            assertThat(server.run("list", "--color=sometimes").exitsWith(2).err())
                    .contains("--color", "sometimes", "always");
        }

        @Test
        void of_a_job_are_removed_where_there_are_no_colors() {
            server.gate.release();
            String id = server.submit("test.count", "--params={\"to\":1}");
            server.awaitStatus(id, JobStatus.SUCCEEDED);
            assertThat(server.inColors(80, "logs", id).out()).contains("that was all\u001b[31m to=1\u001b[0m");
            assertThat(server.onTerminal(80, "logs", id).out()).contains("that was all to=1");
            assertThat(server.run("logs", id).out()).contains("that was all\u001b[31m to=1\n");
        }
    }

    @Nested
    class Tables {
        @Test
        void are_never_too_wide_and_keep_ids_and_statuses() {
            String ok = server.submit("test.echo", "--params", ONE, "--name=" + "long ".repeat(30));
            String failed = server.submit("test.fail", "--params", ONE, "--label=a-label=with-a-long-value");
            server.awaitStatus(ok, JobStatus.SUCCEEDED);
            server.awaitStatus(failed, JobStatus.FAILED);
            for (int width : new int[] {60, 79, 80, 81, 100, 120, 200}) {
                for (String command : new String[] {"list", "queues", "workers", "definitions", "failures"}) {
                    assertThat(server.onTerminal(width, command).exitsWith(0).lines())
                            .as("%s at %d", command, width)
                            .allMatch(line -> line.length() <= width);
                }
                String colored = server.inColors(width, "list").out();
                assertThat(ESCAPES.matcher(colored).replaceAll("").lines()).allMatch(line -> line.length() <= width);
                assertThat(colored).contains(ok, failed, "succeeded", "failed");
            }
        }

        @Test
        void omit_columns_by_priority_and_those_without_values() {
            String ok = server.submit("test.echo", "--params", ONE);
            server.awaitStatus(ok, JobStatus.SUCCEEDED);
            assertThat(server.onTerminal(80, "list").lines().get(0))
                    .matches("JOB +STATUS +DEFINITION +CREATED +DURATION");
            String failed = server.submit("test.fail", "--params", ONE);
            server.awaitStatus(failed, JobStatus.FAILED);
            assertThat(server.onTerminal(80, "list").lines().get(0)).matches("JOB +STATUS +DEFINITION +ERROR");
            assertThat(server.onTerminal(120, "list", "--status=failed").lines().get(1))
                    .matches(failed + "  failed  test\\.fail@1  default  [0-9] s ago +[0-9]+ ms  "
                            + "exception: no room for a number 1");
        }

        @Test
        void align_numbers_at_the_right() {
            server.submit("test.echo", "--params", ONE, "--delay=1h");
            var lines = server.onTerminal(100, "queues").exitsWith(0).lines();
            assertThat(lines.get(1)).startsWith("default       0");
            assertThat(lines.get(0).indexOf("QUEUED") + "QUEUED".length())
                    .isEqualTo(lines.get(1).indexOf('0') + 1);
        }

        @Test
        void show_relative_times_on_terminals_and_exact_ones_elsewhere() {
            String id = server.submit("test.echo", "--params", ONE, "--delay=1h");
            assertThat(server.onTerminal(120, "list").lines().get(1)).contains("s ago");
            assertThat(server.run("list").lines().get(1)).matches(".* [0-9-]+T[0-9:.]+Z .*");
            assertThat(server.onTerminal(120, "get", id).lines())
                    .anyMatch(line -> line.matches("run at +in (59|60) min \\([0-9-]+T[0-9:]+Z\\)"));
            assertThat(server.run("get", id).lines()).anyMatch(line -> line.matches("runAt +[0-9-]+T[0-9:.]+Z"));
        }
    }

    @Nested
    class Watch {
        @Test
        void shows_changes_until_it_is_interrupted() throws Exception {
            server.submit("test.echo", "--params", ONE, "--delay=1h");
            var out = new StringWriter();
            var watching = new Thread(() -> server.run(100, out, "queues", "--watch=100ms"));
            watching.start();
            Waits.until(() -> out.toString().contains("default"), out::toString);
            server.submit("test.echo", "--params", ONE, "--delay=1h", "--queue=another");
            Waits.until(() -> out.toString().contains("another"), out::toString);
            assertThat(out.toString()).startsWith("\u001b[2J\u001b[H").contains("\u001b[K\n", "\u001b[J");
            watching.interrupt();
            watching.join();
        }

        @Test
        void continues_when_the_server_is_unavailable_for_a_while() throws Exception {
            var out = new StringWriter();
            var err = new StringWriter();
            var watching = new Thread(() -> server.run(out, err, "workers", "-w", "100ms"));
            watching.start();
            Waits.until(() -> out.toString().contains("active"), out::toString);
            server.whileStopped(() -> Waits.until(() -> err.toString().contains("; retrying"), err::toString));
            int seen = out.toString().length();
            assertThat(out.toString()).doesNotContain("retrying");
            Waits.until(() -> out.toString().substring(seen).contains("active"), out::toString);
            watching.interrupt();
            watching.join();
        }
    }

    @Nested
    class Errors {
        @Test
        void are_one_line_and_name_the_help() {
            assertThat(server.run("submit", "test.echo", "--priority=high")
                            .exitsWith(2)
                            .err()
                            .lines())
                    .hasSize(2)
                    .anyMatch(line -> line.startsWith("longhaul: ") && line.contains("--priority"))
                    .last()
                    .isEqualTo("See longhaul submit --help");
            assertThat(server.run("get").exitsWith(2).err()).startsWith("longhaul: missing: ID\n");
            assertThat(server.run("submit", "x", "--label").exitsWith(2).err()).doesNotContain("option option");
        }

        @Test
        void suggest_the_nearest_command_option_or_nothing() {
            assertThat(ServerFixture.execute("sumbit").exitsWith(2).err())
                    .startsWith("longhaul: unknown command sumbit; did you mean submit?");
            assertThat(ServerFixture.execute("defs").exitsWith(2).err()).contains("unknown command defs\n");
            assertThat(ServerFixture.execute("definition").exitsWith(2).err()).contains("did you mean definitions?");
            assertThat(ServerFixture.execute("schedules", "previw").exitsWith(2).err())
                    .contains("did you mean preview?", "See longhaul schedules --help");
            assertThat(ServerFixture.execute("list", "--stauts=failed")
                            .exitsWith(2)
                            .err())
                    .contains("unknown option --stauts; did you mean --status?");
            assertThat(ServerFixture.execute("version", "now").exitsWith(2).err())
                    .contains("unexpected argument now");
        }

        @Test
        void are_json_with_json() throws Exception {
            var json = new ObjectMapper();
            JsonNode missing =
                    json.readTree(server.run("get", "x", "--json").exitsWith(4).err());
            assertThat(missing.path("code").asText()).isEqualTo("not_found");
            assertThat(missing.path("status").asInt())
                    .as("the server's problem")
                    .isEqualTo(404);
            JsonNode refused = json.readTree(
                    server.run("list", "--status=asleep", "--json").exitsWith(2).err());
            assertThat(refused.path("errors").path(0).path("value").asText()).isEqualTo("asleep");
            JsonNode usage =
                    json.readTree(server.run("get", "--json").exitsWith(2).err());
            assertThat(usage.path("detail").asText()).isEqualTo("missing: ID");
            JsonNode own = json.readTree(ServerFixture.execute("list", "--json", "--url=http://127.0.0.1:1")
                    .exitsWith(7)
                    .err());
            assertThat(own.path("code").asText()).isEqualTo("unavailable");
        }

        @Test
        void help_does_not_break_urls() {
            String help = ServerFixture.execute("server", "--help").exitsWith(0).out();
            assertThat(help).contains("http://collector:4318/v1/traces", "info,com.example=debug");
            assertThat(help.lines()).allMatch(line -> line.length() <= 100);
        }
    }
}
