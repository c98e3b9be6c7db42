package dev.longhaul.cli.launch;

import dev.longhaul.Isolation;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The definitions that this process loads.
 *
 * @param paths jars and directories with the user's classes
 * @param reload whether to reload {@code paths} when they change
 * @param demo whether to add the demo definitions
 * @param allowCommands whether jobs may run any command of this machine
 * @param commands a file of commands that jobs may run
 * @param isolation isolation of definitions from {@code paths} that set no isolation; null means process isolation
 * where possible
 * @param httpNetworks networks that http jobs may reach besides public addresses; null disables http jobs
 * @param podImages images that pod jobs may run, with any command; empty disables pod jobs
 */
record JobsConfig(
        List<Path> paths,
        boolean reload,
        boolean demo,
        boolean allowCommands,
        @Nullable Path commands,
        @Nullable Isolation isolation,
        @Nullable List<String> httpNetworks,
        List<String> podImages) {
    static final JobsConfig NONE = new JobsConfig(List.of(), false, false, false, null);

    JobsConfig(List<Path> paths, boolean reload, boolean demo, boolean allowCommands, @Nullable Path commands) {
        this(paths, reload, demo, allowCommands, commands, null, null, List.of());
    }

    JobsConfig {
        paths = List.copyOf(paths);
        podImages = List.copyOf(podImages);
        httpNetworks = httpNetworks == null ? null : List.copyOf(httpNetworks);
    }
}
