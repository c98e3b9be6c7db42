package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@Tag("full")
class LogLevelTest {
    @TempDir
    Path directory;

    private LonghaulProcess command(LonghaulProcess server, String... level) {
        var arguments = new String[level.length + 3];
        arguments[0] = "log-level";
        arguments[1] = "--url";
        arguments[2] = server.url();
        System.arraycopy(level, 0, arguments, 3, level.length);
        return LonghaulProcess.start(directory, arguments);
    }

    @Test
    void changes_while_the_server_runs() throws Exception {
        try (var server = LonghaulProcess.start(directory, "server", "--store=memory", "--port=0")
                .awaitReady()) {
            try (var shown = command(server)) {
                assertThat(shown.awaitExit()).isZero();
                assertThat(shown.output()).isEqualTo("warn");
            }
            try (var wrong = command(server, "loud");
                    var changed = command(server, "debug")) {
                assertThat(wrong.awaitExit()).isEqualTo(2);
                assertThat(changed.awaitExit()).isZero();
                assertThat(changed.output()).isEqualTo("debug");
            }

            // Loopback is rejected, which is logged at debug.
            String id = server.post("/v1/webhooks", "{\"url\":\"https://127.0.0.1/\",\"events\":[\"job.failed\"]}")
                    .json()
                    .path("id")
                    .asText();
            server.post("/v1/webhooks/" + id + "/test", "{}");
            assertThat(server.awaitLine("webhook delivery")).contains("DEBUG");
            assertThat(server.get("/v1/audit").body()).contains("log.level");
        }
    }

    @Test
    void of_code_of_jobs_is_that_of_its_logger() throws Exception {
        Path classes = directory.resolve("classes");
        UserJobs.compile(Files.createDirectories(classes), "Talks", """
                package test;

                import dev.longhaul.*;
                import dev.longhaul.json.*;
                import java.util.List;
                import org.slf4j.LoggerFactory;

                public final class Talks implements JobDefinitions {
                    @Override
                    public Iterable<JobDefinition<?, ?>> definitions() {
                        return List.of(JobDefinition.of("test.talk", String.class, Void.class).handler((word, context) -> {
                            context.log().with("word", word).with("length", word.length()).info("heard");
                            LoggerFactory.getLogger(Talks.class).debug("debugging {}", word);
                            java.util.logging.Logger.getLogger("some.library").warning("bridged " + word);
                            LoggerFactory.getLogger(Talks.class).warn("warning {}", word);
                            LoggerFactory.getLogger("io.netty").info("chatter {}", word);
                            return null;
                        }));
                    }
                }
                """, "test.Talks");
        try (var server = LonghaulProcess.start(
                        directory,
                        "server",
                        "--store=memory",
                        "--port=0",
                        "--jobs=" + classes,
                        "--default-isolation=thread",
                        "--log=info,test=debug",
                        "--log-format=json")
                .awaitReady()) {
            talk(server, "one");
            // The format is the same for lines of libraries.
            var heard = new ObjectMapper().readTree(server.awaitLine("heard"));
            assertThat(heard.get("message").asText()).isEqualTo("heard");
            assertThat(heard.get("word").asText()).isEqualTo("one");
            assertThat(heard.get("length").asText()).isEqualTo("3");
            assertThat(heard.get("definition").asText()).isEqualTo("test.talk@1");
            assertThat(heard.get("jobId").asText()).hasSize(36);
            assertThat(server.awaitLine("bridged one")).startsWith("{").contains("\"level\":\"WARN\"");
            try (var shown = command(server);
                    var wrong = command(server, "info,test=loud")) {
                assertThat(shown.awaitExit()).isZero();
                assertThat(shown.output()).isEqualTo("info,test=debug");
                assertThat(wrong.awaitExit()).isEqualTo(2);
            }
            try (var changed = command(server, "debug")) {
                assertThat(changed.awaitExit()).isZero();
                assertThat(changed.output()).isEqualTo("debug");
            }
            talk(server, "two");
            assertThat(server.output())
                    .contains("debugging one")
                    .doesNotContain("debugging two")
                    .doesNotContain("chatter");
        }
    }

    @Test
    void lines_and_failures_of_jobs_are_logged_without_any_flag() throws Exception {
        try (var server = failing()) {
            assertThat(server.awaitLine("attempt 1 of 2 failed"))
                    .contains("WARN")
                    .contains("test.fail@1")
                    .contains("(exception: no luck); next attempt at 20");
            server.awaitLine("test.Fails.lambda");
            assertThat(server.awaitLine("attempt 2 of 2 failed"))
                    .contains("ERROR")
                    .contains("the job has failed");
            assertThat(server.awaitLine("trying my luck")).contains("INFO").endsWith("trying my luck word=\"now\"");
        }
    }

    @Test
    void failures_of_jobs_are_not_logged_when_that_is_switched_off() throws Exception {
        try (var server = failing("--log-failures=false")) {
            server.awaitLine("second try");
            while (!server.get("/v1/jobs").body().contains("\"failed\"")) {
                Thread.sleep(20);
            }
            assertThat(server.output()).doesNotContain("no luck");
        }
    }

    /** A server with a job of two attempts that fails twice. */
    private LonghaulProcess failing(String... flags) throws Exception {
        Path classes = directory.resolve("classes");
        UserJobs.compile(Files.createDirectories(classes), "Fails", """
                package test;

                import dev.longhaul.*;
                import dev.longhaul.json.*;
                import dev.longhaul.job.*;
                import java.time.Duration;
                import java.util.List;

                public final class Fails implements JobDefinitions {
                    @Override
                    public Iterable<JobDefinition<?, ?>> definitions() {
                        return List.of(JobDefinition.of("test.fail", String.class, Void.class)
                                .maxAttempts(2)
                                .retry(RetryPolicy.of(new Backoff(Duration.ZERO, 1, Duration.ZERO)))
                                .handler((word, context) -> {
                            context.log().with("word", word).info(context.attempt() == 1 ? "trying my luck" : "second try");
                            throw new IllegalStateException("no luck");
                        }));
                    }
                }
                """, "test.Fails");
        var arguments = new ArrayList<>(List.of("server", "--store=memory", "--port=0", "--jobs=" + classes));
        arguments.addAll(List.of(flags));
        var server = LonghaulProcess.start(directory, arguments.toArray(String[]::new))
                .awaitReady();
        server.post("/v1/jobs", "{\"definitionKey\":\"test.fail\",\"params\":\"now\"}");
        return server;
    }

    private static void talk(LonghaulProcess server, String word) {
        server.post("/v1/jobs", "{\"definitionKey\":\"test.talk\",\"params\":\"" + word + "\"}");
        server.awaitLine("warning " + word);
    }
}
