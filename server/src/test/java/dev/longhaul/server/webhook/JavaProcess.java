package dev.longhaul.server.webhook;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a test class in a separate JVM, for tests that kill it. The process prints {@code ready} when it works; if it calls
 * {@link #untilTheTestEnds}, it ends with the test that started it, even if that is killed. Closing kills it.
 */
final class JavaProcess implements AutoCloseable {
    private static final String READY = "ready";

    private final Process process;

    private JavaProcess(Process process) {
        this.process = process;
    }

    /** Starts the process; {@link #awaitReady} waits until it is ready. */
    static JavaProcess start(Class<?> main, String... arguments) throws IOException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return new JavaProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    /**
     * Called in the process: reports that it is ready, and returns when the test has ended and closed its standard input.
     */
    static void untilTheTestEnds() throws IOException {
        System.out.println(READY);
        System.in.read();
    }

    /** Waits for {@code ready}; ignores all other output. */
    JavaProcess awaitReady() throws IOException {
        BufferedReader output = process.inputReader();
        String line;
        do {
            line = output.readLine();
            if (line == null) {
                throw new AssertionError("process " + process.pid() + " ended before it was ready");
            }
        } while (!line.equals(READY));
        var rest = new Thread(() -> output.lines().forEach(more -> {}), "output of " + process.pid());
        rest.setDaemon(true);
        rest.start();
        return this;
    }

    boolean alive() {
        return process.isAlive();
    }

    /** Sends SIGKILL and waits until the process has ended. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
