package dev.longhaul.kubernetes;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A {@link PodWorkerProgram} that can be killed. */
final class PodWorkerProcess implements AutoCloseable {
    final String id;
    private final Process process;
    private final File log;

    PodWorkerProcess(String id, String url, Path kubeconfig, int slots) {
        this.id = id;
        this.log = new File(kubeconfig + "." + id + ".log");
        try {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx256m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            PodWorkerProgram.class.getName(),
                            url,
                            kubeconfig.toString(),
                            id,
                            Integer.toString(slots))
                    .redirectError(log)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    PodWorkerProcess awaitReady() {
        try {
            BufferedReader output = process.inputReader();
            String line = output.readLine();
            while (line != null && !line.startsWith("ready")) {
                line = output.readLine();
            }
            if (line == null) {
                throw new IllegalStateException(id + " ended before it was ready");
            }
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    /** Stops all its threads, as a machine does that is out of memory or time. */
    void pause() {
        signal("-STOP");
    }

    void resume() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try {
            int code = new ProcessBuilder("kill", signal, Long.toString(pid()))
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IllegalStateException("kill " + signal + " ended with " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** How many lines of its log contain that text. */
    long logged(String text) {
        try (Stream<String> lines = Files.lines(log.toPath())) {
            return lines.filter(line -> line.contains(text)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it as kill -9 does. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Lets it drain and end. */
    void stop() {
        try {
            process.outputWriter().close();
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException(id + " does not end");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
