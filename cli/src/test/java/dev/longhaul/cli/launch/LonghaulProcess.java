package dev.longhaul.cli.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.longhaul.cli.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** The real program in a separate process. Closing it kills the process. */
final class LonghaulProcess implements AutoCloseable {
    /** Generous timeout, because the machine may be busy; tests wait for conditions, not for this time. */
    static final Duration TIMEOUT = Duration.ofMinutes(2);

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private final Thread reader;
    private String url = "";
    private String token = "";

    /** An HTTP response. */
    record Reply(int status, String body) {
        JsonNode json() {
            try {
                return JSON.readTree(body);
            } catch (IOException e) {
                throw new UncheckedIOException(body, e);
            }
        }
    }

    private LonghaulProcess(Process process) {
        this.process = process;
        this.reader = new Thread(this::read, "output of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    static LonghaulProcess start(Path directory, String... arguments) {
        return start(directory, Map.of(), arguments);
    }

    static LonghaulProcess start(Path directory, Map<String, String> environment, String... arguments) {
        var command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        if (Runtime.version().feature() >= 24) {
            // Same options as the launcher: no warnings about calls of the libraries.
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        command.addAll(List.of(
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("LONGHAUL_"));
        // Keeps state files out of the developer's home directory.
        builder.environment().put("XDG_STATE_HOME", directory.resolve("state").toString());
        builder.environment().putAll(environment);
        try {
            return new LonghaulProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader output = process.inputReader(UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                synchronized (lines) {
                    lines.add(line);
                    lines.notifyAll();
                }
            }
        } catch (IOException e) {
            // The process has exited; its remaining output is lost.
        }
        synchronized (lines) {
            lines.notifyAll();
        }
    }

    /** Waits until a line contains the text, and returns the last such line. */
    String awaitLine(String text) {
        return awaitLine(text, 1);
    }

    /** Waits for that many lines. */
    String awaitLine(String text, int times) {
        long until = System.nanoTime() + TIMEOUT.toNanos();
        synchronized (lines) {
            while (true) {
                List<String> found =
                        lines.stream().filter(line -> line.contains(text)).toList();
                if (found.size() >= times) {
                    return found.get(found.size() - 1);
                }
                if ((!reader.isAlive() && !process.isAlive()) || System.nanoTime() > until) {
                    throw new AssertionError("never said: " + text + "\n" + String.join("\n", lines));
                }
                try {
                    lines.wait(100);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    LonghaulProcess awaitReady() {
        String ready = awaitLine("longhaul: ready");
        int at = ready.indexOf("http");
        String[] printed = at < 0
                ? new String[] {""}
                : ready.substring(at, ready.indexOf(' ', at)).split("/\\?token=", 2);
        url = printed[0];
        token = printed.length == 1 ? "" : printed[1];
        return this;
    }

    /** The local token in the printed URL; empty if none is required. */
    String token() {
        return token;
    }

    String url() {
        return url;
    }

    String output() {
        synchronized (lines) {
            return String.join("\n", lines);
        }
    }

    void signal(String name) throws IOException, InterruptedException {
        if (new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor()
                != 0) {
            throw new IllegalStateException("kill -" + name + " " + process.pid() + " failed:\n" + output());
        }
    }

    /** Kills the process with SIGKILL if it is still running. */
    void kill() {
        process.destroyForcibly();
    }

    /** Waits until the process exits; returns its exit code. */
    int awaitExit() throws InterruptedException {
        if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("still runs:\n" + output());
        }
        reader.join();
        return process.exitValue();
    }

    /** Stops the process with SIGINT, or with SIGTERM where SIGINT is ignored, as in background jobs of a shell. */
    int interrupt() throws IOException, InterruptedException {
        signal(ctrlC());
        return awaitExit();
    }

    /** The signal used in place of Ctrl-C. */
    String ctrlC() throws IOException {
        return ignoresInterrupt() ? "TERM" : "INT";
    }

    private boolean ignoresInterrupt() throws IOException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        return Files.isReadable(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .anyMatch(line ->
                                (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
    }

    Reply get(String path) {
        return send(HttpRequest.newBuilder(URI.create(url + path)));
    }

    Reply post(String path, String body) {
        return send(HttpRequest.newBuilder(URI.create(url + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private Reply send(HttpRequest.Builder request) {
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            var response = CLIENT.send(request.timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.ofString());
            return new Reply(response.statusCode(), response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Submits a job; returns its id. */
    String submit(String key, String params) {
        Reply reply = post("/v1/jobs", "{\"definitionKey\": \"" + key + "\", \"params\": " + params + "}");
        if (reply.status != 202) {
            throw new AssertionError(reply + "\n" + output());
        }
        return reply.json().get("jobId").asText();
    }

    JsonNode job(String id) {
        return get("/v1/jobs/" + id).json();
    }

    /** Waits until the job meets the condition, and returns it. */
    JsonNode await(String id, Predicate<JsonNode> condition) {
        return awaitAt("/v1/jobs/" + id, condition);
    }

    /** Waits until the response meets the condition, and returns it. */
    JsonNode awaitAt(String path, Predicate<JsonNode> condition) {
        long until = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            JsonNode found = get(path).json();
            if (condition.test(found)) {
                return found;
            }
            if (System.nanoTime() > until) {
                throw new AssertionError(found + "\n" + output());
            }
            pause();
        }
    }

    /** Pauses between two polls. */
    private static void pause() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }

    JsonNode awaitStatus(String id, String status) {
        return await(id, job -> job.get("status").asText().equals(status));
    }

    /** Waits for the job and returns its result. */
    JsonNode result(String id) {
        return awaitStatus(id, "succeeded").get("result");
    }

    @Override
    public void close() {
        CompletableFuture<?>[] below =
                process.descendants().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
        // SIGKILL, because an embedded PostgreSQL exits with its owner in any case.
        process.destroyForcibly();
        process.onExit().join();
        // PostgreSQL writes to a directory that the test removes next. With a timeout, because orphans that are never
        // reaped appear alive.
        CompletableFuture.allOf(below)
                .completeOnTimeout(null, 10, TimeUnit.SECONDS)
                .join();
    }
}
