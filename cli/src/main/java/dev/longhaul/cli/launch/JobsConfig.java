package dev.longhaul.cli.launch;

import java.nio.file.Path;
import java.util.List;

/**
 * Which definitions there are.
 *
 * @param paths jars and directories of the user's classes
 * @param reload whether to load them again when they change
 * @param demo whether the demo definitions are there
 * @param allowCommands whether jobs may run commands of this machine
 */
record JobsConfig(List<Path> paths, boolean reload, boolean demo, boolean allowCommands) {
    static final JobsConfig NONE = new JobsConfig(List.of(), false, false, false);

    JobsConfig {
        paths = List.copyOf(paths);
    }
}
