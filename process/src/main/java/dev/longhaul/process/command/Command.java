package dev.longhaul.process.command;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command to run on the worker's machine.
 *
 * @param argv the program and its arguments; not interpreted by a shell
 * @param dir the working directory; null uses the private directory of the run
 * @param stdin text for its standard input; null means empty
 * @param timeout maximum duration, if shorter than the job's timeout; null means only the job's timeout applies
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
