package dev.longhaul.process.sitter;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Identifies all processes of a run, and the files to remove after them. Convertible to text, to be sent to the sitter.
 *
 * @param id unique in its worker
 * @param place the directory of the cgroup, or the pid of the first process
 * @param cgroups the directories of all its cgroups, removed once they are empty
 * @param directory its working directory, removed with its contents
 */
public record ProcessTree(String id, KillMethod method, String place, List<Path> cgroups, Path directory) {
    private static final String SEPARATOR = "\t";

    public ProcessTree {
        cgroups = List.copyOf(cgroups);
    }

    long firstPid() {
        return Long.parseLong(place);
    }

    /** Returns one line for {@link #parse}. */
    public String text() {
        var parts = new ArrayList<String>(List.of(id, method.name(), place, directory.toString()));
        cgroups.forEach(cgroup -> parts.add(cgroup.toString()));
        return String.join(SEPARATOR, parts);
    }

    static ProcessTree parse(String text) {
        String[] parts = text.split(SEPARATOR, -1);
        List<Path> cgroups = new ArrayList<>();
        for (int i = 4; i < parts.length; i++) {
            cgroups.add(Path.of(parts[i]));
        }
        return new ProcessTree(parts[0], KillMethod.valueOf(parts[1]), parts[2], cgroups, Path.of(parts[3]));
    }
}
