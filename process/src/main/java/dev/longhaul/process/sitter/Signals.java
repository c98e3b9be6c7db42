package dev.longhaul.process.sitter;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sends signals that Java itself cannot send. */
public final class Signals {
    private static final long PATIENCE_SECONDS = 5;

    private Signals() {}

    /** So that nothing has to be read when the first one is sent. */
    static void load() {}

    /** Sends a signal to these processes; those that are gone are left alone. */
    public static void send(String signal, Collection<Long> pids) {
        // Parents first, who would else go on with what comes after their child.
        kill(
                "kill -s \"$0\" -- \"$@\"",
                signal,
                pids.stream().sorted().map(String::valueOf).toList());
    }

    /**
     * Asks the process group that a process leads to end, or that alone if it has only begun and leads none yet. Who is stopped
     * goes on, and would else not hear of it.
     */
    public static void terminateGroup(long leader) {
        kill(
                "kill -s \"$0\" -- \"-$1\" && kill -s CONT -- \"-$1\" || kill -s \"$0\" -- \"$1\"",
                "TERM",
                List.of(String.valueOf(leader)));
    }

    private static void kill(String script, String signal, List<String> targets) {
        // The shell's own kill, which every system has.
        var command = new ArrayList<>(List.of("/bin/sh", "-c", script, signal));
        command.addAll(targets);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new IllegalStateException("no signal could be sent: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
