package dev.longhaul.postgres.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link WorkerProgram} in a separate JVM. It ends when it is closed, and when this process ends. */
final class WorkerProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String id;
    private final Path ledger;
    private final Process process;
    private final Writer commands;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    private WorkerProcess(String id, Path ledger, Process process) {
        this.id = id;
        this.ledger = ledger;
        this.process = process;
        this.commands = process.outputWriter();
        var listener = new Thread(this::listen, "output of " + id);
        listener.setDaemon(true);
        listener.start();
    }

    static WorkerProcess start(String id, String url, Path directory, int slots) {
        Path ledger = directory.resolve(id + ".ledger");
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(List.of(WorkerProgram.class.getName(), url, id, ledger.toString(), Integer.toString(slots)));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return new WorkerProcess(id, ledger, process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void listen() {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                said.add(line);
            }
        } catch (IOException e) {
            // The process has exited; its remaining output is lost.
        }
    }

    String id() {
        return id;
    }

    List<Entry> entries() {
        return Ledger.read(ledger);
    }

    /** Waits for a line with that prefix; null on timeout. Lines before it are dropped. */
    @Nullable
    String await(String prefix, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        try {
            while (true) {
                String line = said.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (line == null || line.startsWith(prefix)) {
                    return line;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    String await(String prefix) {
        String line = await(prefix, PATIENCE);
        if (line == null) {
            throw new IllegalStateException(
                    id + (process.isAlive() ? " has not printed " : " exited before it printed ") + prefix);
        }
        return line;
    }

    void send(String command) {
        try {
            commands.write(command + "\n");
            commands.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(id + ": writing to its standard input failed", e);
        }
    }

    boolean alive() {
        return process.isAlive();
    }

    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Sends it STOP or CONT. */
    void signal(String name) throws IOException, InterruptedException {
        var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()));
        if (kill.start().waitFor() != 0) {
            throw new IllegalStateException("kill -" + name + " " + process.pid() + " failed");
        }
    }

    @Override
    public void close() {
        kill();
    }
}
