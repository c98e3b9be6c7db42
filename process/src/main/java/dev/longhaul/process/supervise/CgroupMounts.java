package dev.longhaul.process.supervise;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The mount points of this process's cgroups. */
final class CgroupMounts {
    private static final String UNIFIED = "";

    private final Map<String, Path> own = new HashMap<>();

    private CgroupMounts() {}

    static CgroupMounts read() throws IOException {
        return of(
                Files.readAllLines(Path.of("/proc/self/mountinfo")), Files.readAllLines(Path.of("/proc/self/cgroup")));
    }

    /** Parses the lines of /proc/self/mountinfo and /proc/self/cgroup. */
    static CgroupMounts of(List<String> mounts, List<String> groups) {
        var found = new CgroupMounts();
        for (String group : groups) {
            // hierarchy-id:controllers:path
            String[] parts = group.split(":", 3);
            for (String controller : parts[1].split(",", -1)) {
                Path mount = mount(mounts, controller);
                if (mount != null) {
                    found.own.put(controller, below(mount, parts[2]));
                }
            }
        }
        return found;
    }

    /** Returns the cgroup v2 of this process. */
    Optional<Path> unified() {
        return ofController(UNIFIED);
    }

    /** Returns the cgroup v1 of this process for a controller. */
    Optional<Path> ofController(String controller) {
        return Optional.ofNullable(own.get(controller));
    }

    private static @Nullable Path mount(List<String> mounts, String controller) {
        for (String line : mounts) {
            // A line has five fields and options; after a dash follow the type, source and options of the file system.
            String[] halves = line.split(" - ", 2);
            String[] right = halves[1].split(" ");
            boolean fits = controller.equals(UNIFIED)
                    ? right[0].equals("cgroup2")
                    : right[0].equals("cgroup")
                            && Arrays.asList(right[2].split(",")).contains(controller);
            if (fits) {
                return Path.of(halves[0].split(" ")[4]);
            }
        }
        return null;
    }

    /**
     * Returns the directory of a cgroup below its mount point. In a container the path may be a path on the host;
     * then the mount point itself is the cgroup of this process.
     */
    private static Path below(Path mount, String path) {
        Path own = mount.resolve(path.substring(1));
        return Files.isDirectory(own) ? own : mount;
    }
}
