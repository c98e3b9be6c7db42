package dev.longhaul.versions;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;

/** One deployed version of an application: its source is compiled into a separate folder and runs in a separate JVM. */
final class CodeVersion implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 60;

    private final Process process;
    private final PrintWriter commands;
    private final BlockingQueue<String> responses = new LinkedBlockingQueue<>();

    private CodeVersion(Process process) {
        this.process = process;
        this.commands = new PrintWriter(process.outputWriter(), true);
        var listener = new Thread(this::listen, "output of a code version");
        listener.setDaemon(true);
        listener.start();
    }

    /** Compiles {@code source}, the class {@code shop.Mails}, and starts it as {@code role}: worker or producer. */
    static CodeVersion start(Path folder, String source, String url, String role) {
        try {
            Path file = Files.createDirectories(folder.resolve("shop")).resolve("Mails.java");
            Files.writeString(file, source);
            String classPath = System.getProperty("java.class.path");
            int failed = ToolProvider.getSystemJavaCompiler()
                    .run(null, null, null, "-proc:none", "-cp", classPath, "-d", folder.toString(), file.toString());
            if (failed != 0) {
                throw new IllegalStateException("javac failed with " + failed);
            }
            List<String> command = List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx128m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    folder + ":" + classPath,
                    VersionProgram.class.getName(),
                    url,
                    role);
            return new CodeVersion(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void listen() {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith("> ")) {
                    responses.add(line.substring(2));
                }
            }
        } catch (IOException e) {
            // The process has ended.
        }
    }

    CodeVersion awaitReady() throws InterruptedException {
        if (!"ready".equals(response())) {
            throw new IllegalStateException("not ready");
        }
        return this;
    }

    /** Submits a job with this version's params; returns its id. */
    String submit(String to) throws InterruptedException {
        commands.println(to);
        return response();
    }

    private String response() throws InterruptedException {
        String response = responses.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (response == null) {
            throw new IllegalStateException("no response; the process " + (process.isAlive() ? "runs" : "has ended"));
        }
        return response;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
