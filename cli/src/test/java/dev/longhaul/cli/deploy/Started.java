package dev.longhaul.cli.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process and its output. Closing it kills the process and its children. */
final class Started implements AutoCloseable {
    private static final int MINUTES = 10;

    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private final Thread reader;

    Started(ProcessBuilder builder) {
        try {
            process = builder.redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reader = new Thread(this::read, "output of " + process.pid());
        reader.setDaemon(true);
        reader.start();
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

    /** Waits for a line with the text, and returns what follows the text. */
    String after(String text) {
        long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
        synchronized (lines) {
            while (true) {
                for (String line : lines) {
                    int at = line.indexOf(text);
                    if (at >= 0) {
                        return line.substring(at + text.length());
                    }
                }
                if (!reader.isAlive() || System.nanoTime() > until) {
                    throw new AssertionError("never printed: " + text + "\n" + String.join("\n", lines));
                }
                try {
                    lines.wait(100);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    String output() {
        synchronized (lines) {
            return String.join("\n", lines);
        }
    }

    /** Waits for the end of the process; returns its exit code. */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
            throw new AssertionError("still runs:\n" + output());
        }
        reader.join();
        return process.exitValue();
    }

    /** Sends SIGTERM and waits for the end. */
    int terminate() throws InterruptedException {
        process.destroy();
        return exitCode();
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        List<ProcessHandle> below = process.descendants().toList();
        process.destroyForcibly();
        below.forEach(ProcessHandle::destroyForcibly);
        process.onExit().join();
    }
}
