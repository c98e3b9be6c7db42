package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.JobStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Reasons of waiting jobs, definitions, edits, changes of many jobs, programs, and the output of failed jobs. */
class JobCommandsTest {
    private static final String ONE = "{\"text\":\"a\",\"number\":1}";

    private final ServerFixture server = new ServerFixture();

    @AfterEach
    void close() {
        server.close();
    }

    @Nested
    class Why {
        @Test
        void lists_the_reasons_of_a_waiting_job_and_get_shows_them_too() {
            String id = server.submit("test.echo", "--params", ONE, "--queue=nobody", "--delay=1h");
            var why = server.run("why", id).exitsWith(0);
            assertThat(why.lines())
                    .anyMatch(line -> line.startsWith("not_due: Scheduled to run in"))
                    .anyMatch(line -> line.contains("nobody"));
            assertThat(server.run("get", id).lines()).containsAll(why.lines());
            assertThat(server.run("why", id, "--json").json().path("reasons")).isNotEmpty();
            assertThat(server.run("get", id, "--json").json().path("jobId").asText())
                    .isEqualTo(id);
        }

        @Test
        void reports_that_a_job_does_not_wait() {
            String id = server.submit("test.echo", "--params", ONE);
            server.awaitStatus(id, JobStatus.SUCCEEDED);
            assertThat(server.run("why", id).exitsWith(0).out())
                    .isEqualToIgnoringNewLines(id + " is not waiting: it is succeeded.");
            server.run("why", "x").exitsWith(4);
        }
    }

    @Nested
    class Definitions {
        @Test
        void are_listed_and_one_is_shown_with_its_schemas() {
            assertThat(server.run("definitions").exitsWith(0).lines())
                    .anyMatch(line -> line.matches("test\\.fail@1 +default +1 +60 min.*"));
            assertThat(server.run("definitions", "test.echo").exitsWith(0).lines())
                    .anyMatch(line -> line.matches("definitionKey +test\\.echo"))
                    .anyMatch(line -> line.startsWith("paramsSchema "))
                    .anyMatch(line -> line.matches(" +\"number\" : .*"));
            assertThat(server.run("definitions", "test.echo@1", "--json").json().path("definitions"))
                    .hasSize(1);
            server.run("definitions", "no.such").exitsWith(4);
        }
    }

    @Nested
    class Edit {
        @Test
        void changes_the_given_fields_of_a_waiting_job() {
            String id = server.submit("test.echo", "--params", ONE, "--label=a=b", "--name=old", "--delay=1h");
            server.run(
                            "edit",
                            id,
                            "--params={\"text\":\"new\",\"number\":9007199254740993}",
                            "--priority=-3",
                            "--attempts=9",
                            "--label=team=x",
                            "--delay=2h")
                    .exitsWith(0);
            var lines = server.run("get", id, "--full").lines();
            assertThat(lines)
                    .anyMatch(line -> line.matches("params +\\{\"text\":\"new\",\"number\":9007199254740993}"))
                    .anyMatch(line -> line.matches("priority +-3"))
                    .anyMatch(line -> line.matches("maxAttempts +9"))
                    .anyMatch(line -> line.matches("labels +team=x"))
                    .anyMatch(line -> line.matches("name +old"))
                    .anyMatch(line -> line.startsWith("not_due: ") && line.contains("1 h"));
            assertThat(server.run("edit", id).exitsWith(2).err()).contains("--priority");
            assertThat(server.run("edit", id, "--priority=5000").exitsWith(2).err())
                    .contains("priority: 5000");
        }

        @Test
        void is_rejected_for_a_job_that_has_ended() {
            String id = server.submit("test.echo", "--params", ONE);
            server.awaitStatus(id, JobStatus.SUCCEEDED);
            server.run("edit", id, "--priority=1").exitsWith(5);
        }
    }

    @Nested
    class ManyJobs {
        private List<String> held(int count) {
            var ids = new ArrayList<String>();
            for (int i = 0; i < count; i++) {
                ids.add(server.submit("test.echo", "--params", ONE, "--hold", "--label=group=" + i % 2));
            }
            return ids;
        }

        private long cancelled(List<String> ids) {
            return ids.stream()
                    .filter(id -> server.status(id) == JobStatus.CANCELLED)
                    .count();
        }

        @Test
        void are_cancelled_by_filter_after_a_confirmation_that_names_their_number() {
            List<String> ids = held(5);
            var declined =
                    server.answering("n", "cancel", "--definition=test.echo").exitsWith(1);
            assertThat(declined.err()).contains("Cancel 5 jobs? [y/N]", "nothing changed");
            assertThat(cancelled(ids)).isZero();
            var done = server.answering("y", "cancel", "--label=group=1", "--reason=mistake")
                    .exitsWith(0);
            assertThat(done.err()).contains("Cancel 2 jobs?");
            assertThat(done.out()).isEqualTo("2 jobs: cancel requested\n");
            assertThat(cancelled(ids)).isEqualTo(2);
            assertThat(server.run("get", ids.get(1)).out()).contains("mistake");
        }

        @Test
        void need_filters_that_are_not_empty() {
            assertThat(server.run("cancel", "--created-after=", "--yes")
                            .exitsWith(2)
                            .err())
                    .startsWith("longhaul: --created-after: empty");
            assertThat(server.run("cancel", "--definition=", "--yes")
                            .exitsWith(2)
                            .err())
                    .startsWith("longhaul: --definition: empty (expected: a value, or no --definition)");
        }

        @Test
        void need_yes_without_a_terminal() {
            List<String> ids = held(3);
            assertThat(server.run("cancel", "--status=created").exitsWith(2).err())
                    .contains("--yes: missing", "cancel 3 jobs without a terminal");
            assertThat(cancelled(ids)).isZero();
            assertThat(server.run("cancel", "--status=created", "--yes", "--json")
                            .exitsWith(0)
                            .json())
                    .hasToString("{\"count\":3}");
            assertThat(cancelled(ids)).isEqualTo(3);
            assertThat(server.run("cancel", "--status=created", "--yes")
                            .exitsWith(0)
                            .out())
                    .isEqualTo("No jobs match.\n");
        }

        @Test
        void are_retried_by_filter() {
            String failed = server.submit("test.fail", "--params", ONE);
            server.awaitStatus(failed, JobStatus.FAILED);
            assertThat(server.answering("yes", "retry", "--definition=test.fail", "--finished-after=1h")
                            .exitsWith(0)
                            .err())
                    .contains("Retry 1 job?");
            Waits.until(() -> runs(failed) == 2, () -> runs(failed) + " runs");
            server.awaitStatus(failed, JobStatus.FAILED);
        }

        private int runs(String id) {
            return server.run("get", id, "--full", "--json").json().path("run").asInt();
        }

        @Test
        void are_not_selected_by_an_empty_filter() {
            List<String> ids = held(2);
            for (String empty : List.of("--name=", "--definition=", "--queue= ", "--correlation-id=")) {
                assertThat(server.run("cancel", empty, "--yes").exitsWith(2).err())
                        .contains("empty (expected: a value");
            }
            assertThat(cancelled(ids)).isZero();
        }

        @Test
        void need_either_ids_or_a_filter() {
            assertThat(server.run("retry").exitsWith(2).err()).contains("--definition");
            assertThat(server.run("cancel", "x", "--queue=default").exitsWith(2).err())
                    .contains("combined with a filter");
            assertThat(server.run("cancel", "--queue=default", "--grace=1s", "--yes")
                            .exitsWith(2)
                            .err())
                    .contains("--grace");
            assertThat(server.run("cancel", "--status=succeeded", "--yes")
                            .exitsWith(0)
                            .out())
                    .isEqualTo("No jobs match.\n");
        }
    }

    @Nested
    class Programs {
        @Test
        void are_given_after_two_dashes_and_their_output_is_shown_when_they_fail() {
            assertThat(server.run("submit", "command", "--wait", "--", "echo", "--hi", "two words")
                            .exitsWith(0)
                            .lines()
                            .get(1))
                    .endsWith("succeeded");
            var failed = server.run(
                            "submit", "command", "--wait", "--attempts=1", "--", "sh", "-c", "echo oops >&2; exit 3")
                    .exitsWith(10);
            assertThat(failed.err()).isEqualTo("oops\n");
            assertThat(failed.lines()).last().asString().contains("failed: exit_code");
        }

        @Test
        void are_only_for_the_definition_command() {
            assertThat(server.run("submit", "test.echo", ONE).exitsWith(2).err())
                    .contains("only for the definition command", "--params");
            assertThat(server.run("submit", "command", "--params={}", "--", "ls")
                            .exitsWith(2)
                            .err())
                    .contains("not together with --params");
        }
    }

    @Nested
    class Tail {
        @Test
        void lets_watch_start_at_the_last_lines() {
            server.gate.release(3);
            String id = server.submit("test.count", "--params={\"to\":3}");
            server.awaitStatus(id, JobStatus.SUCCEEDED);
            var lines = server.run("watch", id, "--tail=2").exitsWith(0).lines();
            assertThat(lines)
                    .contains("counted 3", "-- succeeded", id + " succeeded")
                    .doesNotContain("-- run 1 started", "counted 2");
            assertThat(server.run("watch", id, "--tail=0").exitsWith(0).lines())
                    .contains(id + " succeeded")
                    .noneMatch(line -> line.contains("that was all"));
        }
    }
}
