package dev.longhaul.process.sitter;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sends signals that the Java API does not support. */
public final class Signals {
    private static final long TIMEOUT_SECONDS = 5;

    private Signals() {}

    /** Loads this class before the first signal is needed. */
    static void load() {}

    /** Sends a signal to the processes; ignores those that have exited. */
    public static void send(String signal, Collection<Long> pids) {
        // Parents first: a parent whose child is killed would continue with its next command.
        kill(
                "kill -s \"$0\" -- \"$@\"",
                signal,
                pids.stream().sorted().map(String::valueOf).toList());
    }

    /**
     * Sends TERM to the process group of a leader, or to the process alone if it has not created its group yet. Also sends
     * CONT, because a stopped process handles TERM only after it continues.
     */
    public static void terminateGroup(long leader) {
        kill(
                "kill -s \"$0\" -- \"-$1\" && kill -s CONT -- \"-$1\" || kill -s \"$0\" -- \"$1\"",
                "TERM",
                List.of(String.valueOf(leader)));
    }

    private static void kill(String script, String signal, List<String> targets) {
        // Uses the kill builtin of the shell, because the kill program may not be installed.
        var command = new ArrayList<>(List.of("/bin/sh", "-c", script, signal));
        command.addAll(targets);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new IllegalStateException("sending a signal failed: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
