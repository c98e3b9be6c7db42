package dev.longhaul.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM that runs {@link ChildProgram}, to be killed or signalled; closing it ends it and its server. */
final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;
    private final String answer;

    private ChildJvm(Process process) throws IOException {
        this.process = process;
        this.output = process.inputReader();
        this.answer = readAnswer();
    }

    /** Runs under the given command, for example {@code setsid}. Returns when its server has started or failed to start. */
    static ChildJvm start(Path home, String... prefix) throws IOException {
        return startWith(System.getProperty("java.class.path"), home, prefix);
    }

    static ChildJvm startWith(String classPath, Path home, String... prefix) throws IOException {
        var command = new ArrayList<>(List.of(prefix));
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        command.addAll(List.of(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath));
        command.addAll(List.of(ChildProgram.class.getName(), home.toString()));
        return new ChildJvm(new ProcessBuilder(command)
                .directory(new File("/"))
                .redirectErrorStream(true)
                .start());
    }

    private String readAnswer() throws IOException {
        var printed = new StringBuilder();
        for (var line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith("started ") || line.startsWith("refused ")) {
                return line;
            }
            printed.append(line).append('\n');
        }
        throw new IllegalStateException("the child printed no result:\n" + printed);
    }

    String refusal() {
        return answer.replaceFirst("^refused ", "");
    }

    long pid() {
        return process.pid();
    }

    ProcessHandle postmaster() {
        return ProcessHandle.of(Long.parseLong(answer.replaceFirst("^started ", "")))
                .orElseThrow();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Signals the process group, like Ctrl-C in a terminal. */
    void interruptGroup() throws IOException, InterruptedException {
        var kill = new ProcessBuilder("/bin/sh", "-c", "kill -s INT -- -" + process.pid());
        assertThat(kill.start().waitFor()).isZero();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.onExit().completeOnTimeout(process, 30, TimeUnit.SECONDS).join();
        process.destroyForcibly();
    }
}
