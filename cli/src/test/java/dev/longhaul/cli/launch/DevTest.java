package dev.longhaul.cli.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Starts {@code longhaul dev} as a real process, with a PostgreSQL of its own in an empty directory. */
@Tag("full")
@Tag("jdk")
@Timeout(300)
@DisabledOnOs(
        value = OS.WINDOWS,
        disabledReason = "signals are sent with kill, and the embedded PostgreSQL is not for Windows")
@Order(1) // It takes long: the others run beside it.
class DevTest {
    @TempDir
    Path directory;

    @Test
    void says_what_to_try_on_the_next_free_port_and_what_it_says_works_when_pasted() throws Exception {
        Closeable taken = occupied8080();
        try (taken;
                var dev = LonghaulProcess.start(directory, "dev").awaitReady()) {
            assertThat(dev.url()).startsWith("http://127.0.0.1:").isNotEqualTo("http://127.0.0.1:8080");
            assertThat(dev.output()).contains("port 8080 is in use; listening on port " + port(dev));
            String curlLine = dev.awaitLine("With curl");
            assertThat(dev.awaitLine("WARNING: a caller"))
                    .containsPattern("WARNING: a caller with the token can run any program as you \\(.*command");
            assertThat(dev.output())
                    .contains("  Dashboard   " + dev.url() + "/?token=" + dev.token() + "\n")
                    .contains("  API docs    " + dev.url() + "/docs\n")
                    .contains("  Run a job   longhaul submit demo.count --follow\n");
            try (var submit = LonghaulProcess.start(directory, "submit", "demo.count", "--follow")) {
                assertThat(submit.awaitExit()).as(submit.output()).isZero();
                assertThat(submit.output()).contains("counted 10 of 10");
            }
            assertThat(dev.get("/docs").status()).isEqualTo(200);
            String pasted = curlLine.substring(curlLine.indexOf("curl -s"));
            Process curl = new ProcessBuilder("sh", "-c", pasted)
                    .directory(directory.toFile())
                    .start();
            assertThat(curl.waitFor(60, TimeUnit.SECONDS)).isTrue();
            String answer = new String(curl.getInputStream().readAllBytes(), UTF_8);
            String id = new ObjectMapper().readTree(answer).get("jobId").asText();
            assertThat(dev.result(id).get("counted").asInt()).isEqualTo(20);
            assertThat(dev.interrupt()).isZero();
        }
    }

    @Test
    void calls_webhooks_on_this_machine() throws Exception {
        var called = new LinkedBlockingQueue<String>();
        var receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/hook", exchange -> {
            try (exchange) {
                called.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
                exchange.sendResponseHeaders(204, -1);
            }
        });
        receiver.start();
        try (var dev = LonghaulProcess.start(directory, "dev", "--port", "0").awaitReady()) {
            String url = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook";
            assertThat(dev.post("/v1/webhooks", "{\"url\": \"" + url + "\", \"events\": [\"job.succeeded\"]}")
                            .status())
                    .isEqualTo(201);
            String id = dev.submit("demo.echo", "1");
            assertThat(called.poll(60, TimeUnit.SECONDS)).contains(id);
        } finally {
            receiver.stop(0);
        }
    }

    private static Closeable occupied8080() {
        try {
            return new ServerSocket(8080, 1, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            return () -> {}; // another process already occupies it
        }
    }

    private static int port(LonghaulProcess dev) {
        return URI.create(dev.url()).getPort();
    }

    @Test
    void lets_running_jobs_end_on_ctrl_c_while_it_still_answers_and_keeps_every_job() throws Exception {
        String slow;
        String quick;
        try (var dev = LonghaulProcess.start(directory, "dev", "--port", "0").awaitReady()) {
            assertThat(dev.get("/readyz").status()).isEqualTo(200);
            quick = dev.submit("demo.echo", "{\"n\": 12345678901234567890.10}");
            dev.awaitStatus(quick, "succeeded");
            assertThat(dev.get("/v1/jobs/" + quick).body()).contains("12345678901234567890.10");
            slow = dev.submit("demo.sleep", "{\"millis\": 5000}");
            dev.awaitStatus(slow, "running");
            dev.signal(dev.ctrlC());
            dev.awaitLine("longhaul: stopping");
            while (dev.get("/readyz").status() == 200) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
            assertThat(dev.get("/readyz").status()).isEqualTo(503);
            assertThat(dev.job(slow).get("status").asText()).isEqualTo("running");
            assertThat(dev.awaitExit()).isZero();
            assertThat(dev.output()).endsWith("longhaul: stopped");
        }
        try (var dev = LonghaulProcess.start(directory, "dev", "--port", "0").awaitReady()) {
            assertThat(dev.job(slow).get("status").asText()).isEqualTo("succeeded");
            assertThat(dev.job(slow).get("attempts").asInt()).isOne();
            assertThat(dev.job(quick).get("status").asText()).isEqualTo("succeeded");
            try (var second = LonghaulProcess.start(directory, "dev", "--port", "0")) {
                assertThat(second.awaitExit()).isEqualTo(7);
                assertThat(second.output())
                        .hasLineCount(1)
                        .contains(directory.toRealPath().resolve(".longhaul") + " is in use by another server");
            }
        }
    }

    @Test
    void runs_changed_classes_without_a_restart_and_keeps_the_earlier_ones_if_they_are_broken() throws Exception {
        Path classes = directory.resolve("target/classes");
        UserJobs.compile(Files.createDirectories(classes), "Words", UserJobs.answering("one"), "test.Words");
        try (var dev = LonghaulProcess.start(directory, "dev", "--port", "0", "--jobs", "target/classes")
                .awaitReady()) {
            assertThat(dev.result(word(dev, "")).asText()).isEqualTo("one");
            Path go = directory.resolve("go");
            String begunBefore = word(dev, go.toString());
            dev.awaitStatus(begunBefore, "running");

            UserJobs.compile(classes, "Words", UserJobs.answering("two"), "test.Words");
            dev.awaitLine("loaded the changed classes");
            assertThat(dev.result(word(dev, "")).asText()).isEqualTo("two");
            assertThat(dev.job(begunBefore).get("status").asText()).isEqualTo("running");
            Files.createFile(go);
            assertThat(dev.result(begunBefore).asText()).isEqualTo("one");

            Files.writeString(classes.resolve("test/Words.class"), "half a build");
            assertThat(dev.awaitLine("the changed classes were not loaded")).contains("ClassFormatError");
            assertThat(dev.result(word(dev, "")).asText()).isEqualTo("two");

            String changed = UserJobs.answering("three").replace("test.word", "test.other");
            UserJobs.compile(classes, "Words", changed, "test.Words");
            dev.awaitLine("loaded the changed classes", 2);
            assertThat(dev.result(dev.submit("test.other", "{\"waitFor\": \"\"}"))
                            .asText())
                    .isEqualTo("three");
            assertThat(dev.interrupt()).isZero();
        }
    }

    private static String word(LonghaulProcess dev, String waitFor) {
        return dev.submit("test.word", "{\"waitFor\": \"" + waitFor + "\"}");
    }
}
