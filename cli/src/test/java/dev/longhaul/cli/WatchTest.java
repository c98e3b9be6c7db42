package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.JobStatus;
import dev.longhaul.server.ServerConfig;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class WatchTest {
    private static final String THREE = "--params={\"to\":3}";

    private final ServerFixture server = new ServerFixture(ServerConfig.LOCAL);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void shows_progress_and_log_lines_one_by_one_while_the_job_runs() throws Exception {
        String id = server.submit("test.count", THREE);
        var out = new StringWriter();
        var watching = CompletableFuture.supplyAsync(() -> server.run(0, out, "watch", id));
        server.gate.release();
        // The order is not defined.
        Waits.until(() -> out.toString().contains("33% at 1") && out.toString().contains("counted 1"), out::toString);
        assertThat(out.toString()).doesNotContain("counted 2");
        server.gate.release(2);
        var done = watching.get().exitsWith(0);
        assertThat(done.lines())
                .containsSubsequence(
                        "-- run 1 started",
                        "counted 1",
                        "counted 2",
                        "counted 3",
                        "WARN that was all\u001b[31m to=3",
                        "-- succeeded",
                        id + " succeeded",
                        "{\"to\":3}")
                .containsSubsequence("33% at 1", "100% at 3");
        assertThat(done.out()).doesNotContain("\r");
    }

    @Test
    void draws_a_bar_on_a_terminal_that_the_job_cannot_control() throws Exception {
        String id = server.submit("test.count", THREE);
        var out = new StringWriter();
        var watching = CompletableFuture.supplyAsync(() -> server.run(60, out, "watch", id));
        server.gate.release();
        Waits.until(() -> out.toString().contains("33% at 1"), out::toString);
        server.gate.release(2);
        assertThat(watching.get().exitsWith(0).out())
                .contains("[#########.....................] 33% at 1", "[##############################] 100% at 3")
                .contains("\r\u001b[K")
                .contains("WARN that was all\u001b[31m to=3\u001b[0m\n");
    }

    @Test
    void returns_the_outcome_as_exit_code() {
        String failed = server.submit("test.fail", "--params={\"text\":\"a\",\"number\":1}");
        var done = server.run("watch", failed).exitsWith(10);
        assertThat(done.out())
                .contains("-- failed: exception: no room for a number 1", failed + " failed: exception: no room");
        String cancelled = server.submit("test.count", THREE, "--hold");
        server.run("cancel", cancelled, "--reason=enough").exitsWith(0);
        assertThat(server.run("watch", cancelled).exitsWith(11).lines()).contains(cancelled + " cancelled");
        String going = server.submit("test.count", THREE);
        assertThat(server.run("watch", going, "--timeout=200ms").exitsWith(12).err())
                .isEqualToIgnoringNewLines(
                        "longhaul: job " + going + " has not finished; to resume: longhaul watch " + going);
        server.run("watch", "01890000-0000-7000-8000-000000000000").exitsWith(4);
    }

    @Test
    @Tag("full")
    void resumes_where_it_was_after_a_server_restart() throws Exception {
        String id = server.submit("test.count", "--params={\"to\":40}");
        var out = new StringWriter();
        var watching = CompletableFuture.supplyAsync(() -> server.run(0, out, "watch", id));
        for (int stop : new int[] {10, 20, 30}) {
            server.gate.release(10);
            Waits.until(() -> out.toString().contains("counted " + stop), out::toString);
            server.restartServer();
        }
        server.gate.release(10);
        var done = watching.get().exitsWith(0);
        assertThat(done.lines().stream().filter(line -> line.startsWith("counted")))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 40)
                        .mapToObj(i -> "counted " + i)
                        .toList());
    }

    @Test
    void prints_events_as_json_lines() {
        server.gate.release(3);
        String id = server.submit("test.count", THREE);
        server.awaitStatus(id, JobStatus.SUCCEEDED);
        var done = server.run("watch", id, "--json").exitsWith(0);
        assertThat(done.lines()).allMatch(line -> line.startsWith("{\"id\":"));
        assertThat(done.lines().get(0)).contains("\"type\":\"created\"");
        assertThat(done.lines().get(done.lines().size() - 1)).contains("\"type\":\"succeeded\"");
    }

    @Test
    void submit_follows_a_job() {
        server.gate.release(3);
        var done = server.run("submit", "test.count", THREE, "--follow").exitsWith(0);
        String id = done.lines().get(0);
        assertThat(done.lines()).containsSubsequence("counted 1", "counted 3", id + " succeeded");
        server.run("submit", "test.fail", "--params={\"text\":\"a\",\"number\":1}", "--follow")
                .exitsWith(10);
        server.run("submit", "test.count", THREE, "--follow", "--wait-timeout=200ms")
                .exitsWith(12);
        server.run("submit", "test.count", THREE, "--follow", "--wait").exitsWith(2);
    }

    @Test
    void logs_are_printed_whole_by_run_and_from_the_end() {
        server.gate.release(3);
        String id = server.submit("test.count", THREE);
        server.awaitStatus(id, JobStatus.SUCCEEDED);
        assertThat(server.run("logs", id).exitsWith(0).lines())
                .containsExactly("counted 1", "counted 2", "counted 3", "WARN that was all\u001b[31m to=3");
        assertThat(server.run("logs", id, "--tail=2").lines())
                .containsExactly("counted 3", "WARN that was all\u001b[31m to=3");
        assertThat(server.run("logs", id, "--run=1").lines()).hasSize(4);
        assertThat(server.run("logs", id, "--run=2").lines()).isEmpty();
        assertThat(server.run("logs", id, "--timestamps").lines())
                .element(0)
                .asString()
                .matches("[0-9-]+T[0-9:.]+Z counted 1");
        assertThat(server.run("logs", id, "--json").lines()).hasSize(4).allMatch(line -> line.startsWith("{"));
        assertThat(server.inColors(80, "logs", id, "--tail=1").lines())
                .containsExactly("WARN that was all\u001b[31m to=3\u001b[0m");
        server.run("logs", "01890000-0000-7000-8000-000000000000").exitsWith(4);
    }

    @Test
    void logs_follow_a_job_to_its_end_from_the_last_lines_on() throws ExecutionException, InterruptedException {
        String id = server.submit("test.count", THREE);
        server.gate.release(2);
        Waits.until(() -> server.run("logs", id).lines().size() == 2, () -> "no lines yet");
        var out = new StringWriter();
        var following = CompletableFuture.supplyAsync(() -> server.run(0, out, "logs", id, "-f", "--tail=1"));
        Waits.until(() -> out.toString().contains("counted 2"), out::toString);
        server.gate.release();
        assertThat(following.get().exitsWith(0).lines())
                .containsExactly("counted 2", "counted 3", "WARN that was all\u001b[31m to=3");
        assertThat(server.run("logs", id, "-f").exitsWith(0).lines()).hasSize(4);
    }
}
