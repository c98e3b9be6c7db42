package dev.longhaul.server.webhook;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A class of the tests in a JVM of its own, for tests that kill it. It says {@code ready} once it is, and ends with the test that
 * started it, however that ends, when it calls {@link #untilTheTestEnds}. Closing it kills it.
 */
final class JavaProcess implements AutoCloseable {
    private static final String READY = "ready";

    private final Process process;

    private JavaProcess(Process process) {
        this.process = process;
    }

    /** Starts it; {@link #awaitReady} waits until it works. */
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

    /** In the process: it works now. Comes back when the test has ended, because nobody ever writes to this input. */
    static void untilTheTestEnds() throws IOException {
        System.out.println(READY);
        System.in.read();
    }

    /** Waits for the word; what the process says besides, then and later, is of no interest. */
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

    /** As kill -9 does; comes back when it is gone. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
