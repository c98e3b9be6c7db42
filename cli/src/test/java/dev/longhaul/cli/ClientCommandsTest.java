package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.JobStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientCommandsTest {
    private static final String HELLO = "{\"text\":\"hello\",\"number\":9007199254740993}";
    private static final String UNKNOWN_ID = "01890000-0000-7000-8000-000000000000";

    private final ServerFixture server = new ServerFixture();

    @AfterEach
    void close() {
        server.close();
    }

    @Nested
    class Submit {
        @Test
        void prints_only_the_id_and_sends_every_option() {
            String id = server.submit(
                    "test.echo@1",
                    "--params=" + HELLO,
                    "--name=a name",
                    "--queue=slow",
                    "--priority",
                    "-7",
                    "--delay=2h",
                    "--attempts=4",
                    "--timeout=5m",
                    "--idempotency-key=once",
                    "--correlation-id=order 7",
                    "--label=team=a",
                    "--label",
                    "env=x=y",
                    "--hold");
            var spec = server.longhaul()
                    .store()
                    .jobs()
                    .find("test.echo", null, "once")
                    .orElseThrow()
                    .spec();
            assertThat(spec.id()).hasToString(id);
            assertThat(spec.params()).isEqualTo(HELLO);
            assertThat(spec.name()).isEqualTo("a name");
            assertThat(spec.queue()).isEqualTo("slow");
            assertThat(spec.priority()).isEqualTo(-7);
            assertThat(spec.maxAttempts()).isEqualTo(4);
            assertThat(spec.timeout()).hasMinutes(5);
            assertThat(spec.correlationId()).isEqualTo("order 7");
            assertThat(spec.labels()).isEqualTo(Map.of("team", "a", "env", "x=y"));
            assertThat(server.status(id)).isEqualTo(JobStatus.CREATED);
            assertThat(server.submit("test.echo", "--idempotency-key=once", "--params=" + HELLO))
                    .as("the same key again")
                    .isEqualTo(id);
        }

        @Test
        void takes_a_run_time() {
            String id = server.submit("test.echo", "--params", HELLO, "--run-at", "2190-05-01T06:00:00+02:00");
            assertThat(server.status(id)).isEqualTo(JobStatus.SCHEDULED);
            assertThat(server.run("get", id).lines()).anyMatch(line -> line.matches("runAt +2190-05-01T04:00:00Z"));
        }

        @Test
        void reads_params_from_a_file(@TempDir Path directory) throws Exception {
            Path file = Files.writeString(directory.resolve("params.json"), HELLO + "\n");
            var done = server.run("submit", "test.echo", "--params=@" + file, "--wait")
                    .exitsWith(0);
            assertThat(done.lines().get(2)).isEqualTo(HELLO);
        }

        @Test
        void waits_and_returns_the_outcome_as_exit_code() {
            var done = server.run("submit", "test.echo", "--params", HELLO, "--wait")
                    .exitsWith(0);
            String id = done.lines().get(0);
            assertThat(done.lines()).containsExactly(id, id + " succeeded", HELLO);
            var failed = server.run("submit", "test.fail", "--params", HELLO, "--wait")
                    .exitsWith(10);
            assertThat(failed.lines().get(1)).endsWith("failed: exception: no room for hello number 9007199254740993");
        }

        @Test
        void waits_no_longer_than_the_timeout() {
            var done = server.run("submit", "test.count", "--params={\"to\":1}", "--wait", "--wait-timeout=100ms")
                    .exitsWith(12);
            assertThat(done.err()).contains("has not finished");
        }

        @Test
        void prints_the_servers_json() {
            var done = server.run("submit", "test.echo", "--params", HELLO, "--json")
                    .exitsWith(0);
            assertThat(done.json().get("definitionKey").asText()).isEqualTo("test.echo");
            var waited = server.run("submit", "test.echo", "--params", HELLO, "--json", "--wait")
                    .exitsWith(0);
            assertThat(waited.lines()).hasSize(1);
            assertThat(waited.json().get("result").get("number").asLong()).isEqualTo(9007199254740993L);
        }

        @Test
        void rejects_params_that_are_not_one_json_value_without_a_request() {
            for (String params : new String[] {"", "{", "{} {}", "1, \"queue\": \"other\"", "@/no/such/file"}) {
                var done = ServerFixture.execute("submit", "test.echo", "--url=http://127.0.0.1:1", "--params", params);
                done.exitsWith(2);
                assertThat(done.err()).startsWith("longhaul: params: ").contains("JSON");
            }
        }

        @Test
        void prints_each_problem_on_its_own_line() {
            var done = server.run("submit", "test.echo", "--params", HELLO, "--priority=5000", "--queue=a b")
                    .exitsWith(2);
            assertThat(done.err())
                    .contains("priority: 5000 (expected: -1000 to 1000)")
                    .contains("queue: a b (expected: ");
            assertThat(done.err().lines().filter(line -> line.contains("expected")))
                    .hasSize(2);
            assertThat(server.run("submit", "test.ech").exitsWith(2).err()).contains("test.echo");
        }
    }

    @Nested
    class Get {
        @Test
        void shows_a_job_and_with_full_also_its_params_and_runs() {
            String id = server.submit("test.fail", "--params", HELLO, "--label", "team=a");
            server.awaitStatus(id, JobStatus.FAILED);
            var done = server.run("get", id).exitsWith(0);
            assertThat(done.lines())
                    .anyMatch(line -> line.matches("jobId +" + id))
                    .anyMatch(line -> line.matches("status +failed"))
                    .anyMatch(line -> line.matches("labels +team=a"))
                    .anyMatch(line -> line.matches("error +exception: no room for hello .*"));
            assertThat(done.out()).doesNotContain("params");
            var full = server.run("get", id, "--full").exitsWith(0);
            assertThat(full.lines())
                    .anyMatch(line -> line.startsWith("params ") && line.endsWith(HELLO))
                    .anyMatch(line -> line.matches("\\s+at dev\\.longhaul\\..*ServerFixture.*"))
                    .anyMatch(line -> line.matches(" +1 +failed +.*exception: no room for hello .*"));
            assertThat(server.run("get", id, "--json").json().get("jobId").asText())
                    .isEqualTo(id);
        }

        @Test
        void reports_an_unknown_job() {
            var done = server.run("get", UNKNOWN_ID).exitsWith(4);
            assertThat(done.err()).startsWith("longhaul: ").contains(UNKNOWN_ID);
            assertThat(server.run("get", "../x").exitCode()).isIn(2, 4);
        }
    }

    @Nested
    class List {
        @Test
        void filters_pages_and_prints_that_there_is_more() {
            String first = server.submit("test.echo", "--params", HELLO, "--name=n 1", "--hold");
            String second = server.submit("test.echo", "--params", HELLO, "--name=n 2", "--hold", "--label=a=b");
            String third = server.submit("test.fail", "--params", HELLO, "--queue=other", "--hold");
            var page = server.run("list", "--limit=2").exitsWith(0);
            assertThat(page.lines().get(0))
                    .matches("JOB +STATUS +DEFINITION +QUEUE +CREATED +DURATION +PROGRESS +NAME +ERROR");
            assertThat(page.lines().get(1)).startsWith(third).contains("created", "test.fail@1", "other");
            assertThat(page.lines().get(2)).startsWith(second).endsWith("n 2");
            assertThat(page.err()).contains("--cursor " + second);
            assertThat(server.run("list", "--limit=2", "--cursor", second).lines())
                    .hasSize(2)
                    .element(1)
                    .asString()
                    .startsWith(first);
            var all = server.run("list", "--limit=1", "--all", "--order=oldest");
            assertThat(all.lines()).hasSize(4);
            assertThat(all.err()).isEmpty();
            assertThat(all.lines().get(1)).startsWith(first);
            assertThat(server.run("list", "--label=a=b").lines()).hasSize(2);
            assertThat(server.run("list", "--definition=test.fail").lines()).hasSize(2);
            assertThat(server.run("list", "--queue=other", "--status=created,running")
                            .lines())
                    .hasSize(2);
            assertThat(server.run("list", "--name=n", "--created-after=1h").lines())
                    .hasSize(3);
            assertThat(server.run("list", "--created-before=1h").lines()).hasSize(1);
        }

        @Test
        void fits_the_terminal_and_keeps_ids_whole() {
            String id = server.submit("test.echo", "--params", HELLO, "--name=" + "long ".repeat(30), "--hold");
            var done = server.onTerminal(90, "list");
            assertThat(done.lines()).allMatch(line -> line.length() <= 90);
            assertThat(done.lines().get(1)).startsWith(id).endsWith("…");
            assertThat(server.run("list").out()).contains("long ".repeat(30).strip());
        }

        @Test
        void omits_columns_on_a_narrow_terminal_and_never_truncates_the_status() {
            String id = server.submit("test.echo", "--params", HELLO, "--wait", "--name=" + "long ".repeat(30));
            var done = server.onTerminal(80, "list");
            assertThat(done.lines()).allMatch(line -> line.length() <= 80);
            assertThat(done.lines().get(0)).matches("JOB +STATUS +DEFINITION.*");
            assertThat(done.lines().get(1))
                    .startsWith(id.lines().findFirst().orElseThrow() + "  succeeded  test.echo@1");
            assertThat(server.run("list").lines().get(1)).contains("succeeded").doesNotContain("0%");
        }

        @Test
        void filters_by_the_time_at_which_jobs_ended() {
            server.submit("test.echo", "--params", HELLO, "--wait");
            server.submit("test.echo", "--params", HELLO, "--hold");
            assertThat(server.run("list", "--finished-after=1h").lines()).hasSize(2);
            assertThat(server.run("list", "--finished-before=1h").lines()).hasSize(1);
        }

        @Test
        void prints_the_servers_json_page_by_page() {
            server.submit("test.echo", "--params", HELLO);
            server.submit("test.echo", "--params", HELLO);
            var done = server.run("list", "--all", "--limit=1", "--json").exitsWith(0);
            assertThat(done.lines()).hasSize(2).allMatch(line -> line.startsWith("{\"jobs\":["));
        }

        @Test
        void reports_an_invalid_filter() {
            var done = server.run("list", "--status=running,sleeping", "--created-after=yesterday")
                    .exitsWith(2);
            assertThat(done.err()).contains("status: sleeping (expected", "createdAfter: yesterday (expected");
        }
    }

    @Nested
    class CancelAndRetry {
        @Test
        void apply_to_every_job_and_exit_with_the_first_rejection() {
            String waiting = server.submit("test.echo", "--params", HELLO, "--hold");
            String running = server.submit("test.count", "--params={\"to\":1}");
            server.awaitStatus(running, JobStatus.RUNNING);
            var done = server.run("cancel", waiting, UNKNOWN_ID, running, "--reason=not wanted", "--grace=0s")
                    .exitsWith(4);
            assertThat(done.lines()).element(0).isEqualTo(waiting + " cancelled");
            assertThat(done.lines()).element(1).asString().startsWith(running + " cancel");
            assertThat(done.err().lines()).singleElement().asString().contains(UNKNOWN_ID);
            server.awaitStatus(running, JobStatus.CANCELLED);
            assertThat(server.run("get", running).lines()).anyMatch(line -> line.matches("cancelReason +not wanted"));
            assertThat(server.run("retry", waiting).exitsWith(0).out()).startsWith(waiting + " ");
            server.awaitStatus(waiting, JobStatus.SUCCEEDED);
            assertThat(server.run("retry", waiting).exitsWith(5).err()).contains("succeeded");
            assertThat(server.run("cancel").exitCode()).isEqualTo(2);
        }
    }

    @Nested
    class ReleaseAndRunNow {
        @Test
        void release_held_jobs_and_run_scheduled_jobs_now() {
            String held = server.submit("test.echo", "--params", HELLO, "--hold");
            assertThat(server.run("run-now", held).exitsWith(5).err()).contains("held; release it first");
            assertThat(server.run("release", held).exitsWith(0).out()).startsWith(held + " queued");
            server.awaitStatus(held, JobStatus.SUCCEEDED);
            String later = server.submit("test.echo", "--params", HELLO, "--delay=1h");
            assertThat(server.run("release", later).exitsWith(5).err()).contains("scheduled");
            assertThat(server.run("hold", later).exitsWith(0).out()).startsWith(later + " created");
            assertThat(server.run("release", later).exitsWith(0).out()).startsWith(later + " scheduled");
            var done = server.run("run-now", UNKNOWN_ID, later, "--json").exitsWith(4);
            assertThat(done.json().get("jobId").asText()).isEqualTo(later);
            server.awaitStatus(later, JobStatus.SUCCEEDED);
        }
    }

    @Nested
    class RecentFailures {
        @Test
        void are_grouped_by_definition_and_error_with_the_latest_job() {
            assertThat(server.run("failures").exitsWith(0).out()).contains("No failed jobs");
            server.awaitStatus(
                    server.submit("test.fail", "--params", "{\"text\":\"a\",\"number\":1}"), JobStatus.FAILED);
            String latest = server.submit("test.fail", "--params", "{\"text\":\"a\",\"number\":22}");
            server.awaitStatus(latest, JobStatus.FAILED);
            server.awaitStatus(
                    server.submit("test.fail", "--params", "{\"text\":\"b\",\"number\":3}"), JobStatus.FAILED);
            var done = server.run("failures").exitsWith(0);
            assertThat(done.lines()).hasSize(3);
            assertThat(done.lines().get(1))
                    .matches(" +2 +test\\.fail +exception: no room for a number 22 +" + latest + " +[0-9-]+T[0-9:.]+Z");
            assertThat(done.lines().get(2)).startsWith("    1  ");
            var failures = server.run("failures", "--json").json().get("failures");
            assertThat(failures.get(0).get("count").asInt()).isEqualTo(2);
            assertThat(failures.get(0).get("latestJobId").asText()).isEqualTo(latest);
            assertThat(server.run("failures", "--since=0s").out()).contains("No failed jobs");
        }
    }

    @Nested
    class TheCluster {
        @Test
        void queues_are_listed_paused_and_resumed() {
            server.submit("test.echo", "--params", HELLO, "--delay=1h");
            var paused = server.run("pause", "default", "--note=night shift").exitsWith(0);
            assertThat(paused.out()).contains("night shift");
            assertThat(server.run("queues").exitsWith(0).lines())
                    .anyMatch(line -> line.matches("default +0 +- +1 +0 +0 +0 +- +for 0 s .*: night shift"));
            assertThat(server.run("resume", "default").exitsWith(0).lines().get(1))
                    .endsWith("-");
            assertThat(server.run("queues", "--json")
                            .json()
                            .get("queues")
                            .get(0)
                            .get("name")
                            .asText())
                    .isEqualTo("default");
            assertThat(server.run("pause", "a b", "--new").exitCode()).isEqualTo(2);
            assertThat(server.run("pause", "defualt").exitsWith(4).err())
                    .contains("there is no queue defualt; did you mean default?");
            assertThat(server.run("resume", "no-such-queue").exitsWith(4).err()).doesNotContain("--new");
            assertThat(server.run("pause", "no-such-queue").exitsWith(4).err())
                    .contains("longhaul queues lists them, or add --new to pause it anyway");
            server.run("pause", "tomorrow", "--new").exitsWith(0);
            server.run("resume", "tomorrow").exitsWith(0);
        }

        @Test
        void workers_are_listed() {
            var done = server.run("workers").exitsWith(0);
            assertThat(done.lines().get(0)).startsWith("WORKER");
            assertThat(done.lines().get(1)).contains("active", "default");
            assertThat(server.run("workers", "--json").json().get("workers")).isNotEmpty();
        }

        @Test
        void a_tick_runs_what_is_due() {
            var done = server.run("tick", "--max=3").exitsWith(0);
            assertThat(done.out()).contains("ran 0, fired 0, recovered 0, still due 0");
            assertThat(server.run("tick", "--max=0").exitsWith(2).err()).contains("max: 0 (expected: 1 to 100)");
            assertThat(server.run("tick", "--json").json().get("executed")).isEmpty();
        }
    }

    @Nested
    class Elsewhere {
        @Test
        void a_server_that_is_not_there_is_7_and_says_how_to_start_one() {
            var done = ServerFixture.execute("list", "--url=http://127.0.0.1:1").exitsWith(7);
            assertThat(done.err().lines())
                    .containsExactly(
                            "longhaul: no server at http://127.0.0.1:1; start one with ./longhaul dev, or set --url");
        }

        @Test
        void a_host_that_does_not_resolve_is_named() {
            assertThat(ServerFixture.execute("list", "--url=https://no-such-host.invalid:1")
                            .exitsWith(7)
                            .err())
                    .contains("unknown host no-such-host.invalid; correct --url or LONGHAUL_URL");
        }

        @Test
        void an_invalid_url_is_invalid_usage() {
            for (String url : new String[] {"localhost:8080", "ftp://x", "http://", "http://a b", "http://u:p@host"}) {
                ServerFixture.execute("list", "--url=" + url).exitsWith(2);
            }
        }

        @Test
        void help_lists_the_exit_codes() {
            var done = ServerFixture.execute("--help").exitsWith(0);
            assertThat(done.out())
                    .contains("submit", "watch", "logs", "failures", "queues", "workers", "completion")
                    .contains("12 not finished");
        }
    }
}
