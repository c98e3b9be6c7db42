package dev.longhaul.process.command;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command of this machine.
 *
 * @param argv the program and its arguments; no shell ever reads them
 * @param dir where it runs; null means in the directory of its own that every run has
 * @param stdin what it can read; null means nothing
 * @param timeout how long it may take, if that is less than the job may; null means as long as the job
 */
public record Command(
        List<String> argv,
        Map<String, String> env,
        @Nullable String dir,
        @Nullable String stdin,
        @Nullable Duration timeout) {
    public Command {
        argv = List.copyOf(argv);
        env = Map.copyOf(env);
    }
}
