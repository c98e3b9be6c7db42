package dev.longhaul.faults;

import dev.longhaul.JobDefinition;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A {@link WorkerProgram} in a separate JVM. Closing it ends it; so does the end of this process. */
final class WorkerProcess implements AutoCloseable {
    private final String id;
    private final Process process;
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();

    /** The definitions and settings of workers. */
    record Setup(
            String url, List<JobDefinition<Tasks.Task, Tasks.Done>> known, int slots, Duration lease, Duration drain) {
        Setup(String url, List<JobDefinition<Tasks.Task, Tasks.Done>> known, int slots, Duration lease) {
            this(url, known, slots, lease, Duration.ofSeconds(1));
        }
    }

    private WorkerProcess(String id, Process process) {
        this.id = id;
        this.process = process;
        var listener = new Thread(this::listen, "output of " + id);
        listener.setDaemon(true);
        listener.start();
    }

    /** Starts it; {@link #awaitReady} waits until it works. */
    static WorkerProcess start(String id, Setup setup) {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                WorkerProgram.class.getName()));
        String keys =
                setup.known().stream().map(definition -> definition.ref().key()).collect(Collectors.joining(","));
        command.addAll(List.of(
                setup.url(),
                id,
                Integer.toString(setup.slots()),
                Long.toString(setup.lease().toMillis()),
                Long.toString(setup.drain().toMillis()),
                keys));
        try {
            return new WorkerProcess(
                    id,
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void listen() {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.equals("ready")) {
                    ready.complete(true);
                } else if (Boolean.getBoolean("longhaul.faults.output")) {
                    System.out.println(id + ": " + line);
                }
            }
        } catch (IOException e) {
            // The process has ended, and its output with it.
        }
        ready.complete(false);
    }

    String id() {
        return id;
    }

    WorkerProcess awaitReady() {
        if (!ready.orTimeout(60, TimeUnit.SECONDS).join()) {
            throw new IllegalStateException(id + " ended before it was ready, with " + process.exitValue());
        }
        return this;
    }

    boolean ready() {
        return ready.getNow(false) && alive();
    }

    boolean alive() {
        return process.isAlive();
    }

    /** Kills it as kill -9 does, and waits for its end. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Sends it SIGTERM, by its handle: {@link Process#destroy} also closes its input, which would end it. */
    void terminate() {
        process.toHandle().destroy();
    }

    /** Stops it, as a machine that sleeps or swaps. */
    void freeze() {
        signal("STOP");
    }

    void thaw() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()));
            if (kill.start().waitFor() != 0) {
                throw new IllegalStateException("kill -" + name + " " + process.pid() + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits for its end; returns its exit code. */
    int awaitExit(Duration timeout) throws InterruptedException {
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(id + " still runs after " + timeout);
        }
        return process.exitValue();
    }

    /** Calls {@code action} when it has ended, in any way. */
    void onExit(Runnable action) {
        process.onExit().thenRun(action).exceptionally(failed -> {
            failed.printStackTrace();
            return null;
        });
    }

    /** The processor time that it has used so far. */
    Duration cpu() {
        return process.info().totalCpuDuration().orElseThrow();
    }

    @Override
    public void close() {
        kill();
    }
}
