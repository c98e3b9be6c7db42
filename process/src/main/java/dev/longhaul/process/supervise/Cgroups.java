package dev.longhaul.process.supervise;

import dev.longhaul.process.sitter.KillMethod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cgroups that this process may use: version 2, version 1, or a hybrid of both. Every run gets its own cgroup below
 * the cgroup of this process.
 */
final class Cgroups implements AutoCloseable {
    private static final String PREFIX = "longhaul-";
    private static final String LEAF = "-worker";
    private static final Pattern OOM_KILLS = Pattern.compile("(?m)^oom_kill (\\d+)$");
    private static final Pattern CPU_USAGE = Pattern.compile("(?m)^usage_usec (\\d+)$");
    private static final long CPU_PERIOD_MICROS = 100_000;

    /** The purpose of a controller. */
    enum Use {
        KILL("freezer"),
        MEMORY("memory"),
        PROCESSES("pids"),
        CPU("cpu");

        /** The controller's name in version 1, and also in version 2, which needs no controller to kill. */
        private final String controller;

        Use(String controller) {
            this.controller = controller;
        }
    }

    /** The parent directory of the cgroups of runs, and its version, which determines the file names. */
    private record Base(Path directory, int version) {}

    private final Map<Use, Base> bases;

    private Cgroups(Map<Use, Base> bases) {
        this.bases = bases;
    }

    /** Finds the cgroups that this process may use; empty if none of them can kill processes. */
    static Optional<Cgroups> find() {
        try {
            var bases = new EnumMap<Use, Base>(Use.class);
            CgroupMounts mounts = CgroupMounts.read();
            mounts.unified().ifPresent(unified -> unified(unified, bases));
            for (Use use : Use.values()) {
                if (!bases.containsKey(use)) {
                    mounts.ofController(use.controller)
                            .flatMap(Cgroups::directory)
                            .ifPresent(directory -> bases.put(use, new Base(directory, 1)));
                }
            }
            return bases.containsKey(Use.KILL) ? Optional.of(new Cgroups(bases)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static void unified(Path mounted, Map<Use, Base> bases) {
        // An earlier call may have moved this process into a leaf; the cgroup of this process is then the leaf's
        // parent.
        Path above = mounted.getParent();
        boolean moved = mounted.getFileName().toString().matches(PREFIX + "\\d+" + LEAF);
        Path own = moved && above != null ? above : mounted;
        Optional<Path> ours = directory(own);
        if (ours.isEmpty()) {
            return;
        }
        Path directory = ours.get();
        if (!Files.exists(directory.resolve("cgroup.kill"))) {
            tryRemove(directory);
            return;
        }
        var base = new Base(directory, 2);
        bases.put(Use.KILL, base);
        moveToLeaf(own);
        for (Use use : List.of(Use.MEMORY, Use.PROCESSES, Use.CPU)) {
            // Both cgroups must delegate the controller: the cgroup of this process, and the parent of the runs'
            // cgroups.
            if (delegates(own, use.controller)
                    && tryWrite(directory.resolve("cgroup.subtree_control"), "+" + use.controller)) {
                bases.put(use, base);
            }
        }
    }

    /**
     * Moves this process and its descendants into a leaf cgroup, because the kernel restricts cgroups that contain
     * processes. Such a cgroup cannot delegate memory, unless it is the root. It can delegate cpu and pids, but then no
     * process can enter the cgroups below it.
     */
    private static void moveToLeaf(Path own) {
        List<String> inside = words(own.resolve("cgroup.procs"));
        ProcessHandle us = ProcessHandle.current();
        if (isRoot(own) || !inside.contains(String.valueOf(us.pid()))) {
            return;
        }
        Path leaf = own.resolve(PREFIX + us.pid() + LEAF);
        try {
            Files.createDirectories(leaf);
        } catch (IOException e) {
            return;
        }
        Stream.concat(Stream.of(us), us.descendants())
                .map(process -> String.valueOf(process.pid()))
                .filter(inside::contains)
                .forEach(pid -> tryWrite(leaf.resolve("cgroup.procs"), pid));
    }

    /**
     * Delegates a controller to the cgroups below. Returns false if the cgroup contains processes of other programs,
     * because they must not be moved.
     */
    private static boolean delegates(Path own, String controller) {
        Path control = own.resolve("cgroup.subtree_control");
        if (words(control).contains(controller)) {
            return true;
        }
        return (isRoot(own) || words(own.resolve("cgroup.procs")).isEmpty()) && tryWrite(control, "+" + controller);
    }

    private static boolean isRoot(Path group) {
        return !Files.exists(group.resolve("cgroup.type"));
    }

    private static Optional<Path> directory(Path own) {
        try {
            removeOrphans(own);
            return Optional.of(Files.createDirectory(
                    own.resolve(PREFIX + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime()))));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static void removeOrphans(Path own) throws IOException {
        List<Path> ours;
        try (Stream<Path> all = Files.list(own)) {
            ours = all.filter(path -> path.getFileName().toString().matches(PREFIX + "\\d+-\\w+"))
                    .toList();
        }
        for (Path group : ours) {
            String pid = group.getFileName().toString().split("-", 3)[1];
            if (ProcessHandle.of(Long.parseLong(pid)).isEmpty()) {
                try (Stream<Path> inner = Files.list(group)) {
                    inner.filter(Files::isDirectory).forEach(Cgroups::tryRemove);
                }
                tryRemove(group);
            }
        }
    }

    KillMethod killMethod() {
        return base(Use.KILL).version == 2 ? KillMethod.CGROUP_KILL : KillMethod.CGROUP_FREEZER;
    }

    boolean has(Use use) {
        return bases.containsKey(use);
    }

    private Base base(Use use) {
        Base base = bases.get(use);
        if (base == null) {
            throw new IllegalStateException("no cgroup for " + use);
        }
        return base;
    }

    /** Creates the cgroups of a run. */
    Group create(String id, ProcessLimits limits) throws IOException {
        var directories = new EnumMap<Use, Path>(Use.class);
        try {
            for (Use use : bases.keySet()) {
                if (use == Use.KILL || use == Use.MEMORY || needed(use, limits)) {
                    Path directory = base(use).directory.resolve(id);
                    if (!directories.containsValue(directory)) {
                        Files.createDirectory(directory);
                    }
                    directories.put(use, directory);
                }
            }
            var group = new Group(directories);
            group.limit(limits);
            return group;
        } catch (IOException | RuntimeException e) {
            directories.values().forEach(Cgroups::tryRemove);
            throw e;
        }
    }

    private static boolean needed(Use use, ProcessLimits limits) {
        return use == Use.CPU ? limits.cpus() != null : limits.processes() != null;
    }

    @Override
    public void close() {
        bases.values().forEach(base -> tryRemove(base.directory));
    }

    /** The cgroups of one run. */
    final class Group {
        private final Map<Use, Path> directories;
        private boolean limitsMemory;

        private Group(Map<Use, Path> directories) {
            this.directories = directories;
        }

        /** Returns the cgroup that contains all processes of the run. */
        Path killPlace() {
            return path(Use.KILL);
        }

        List<Path> all() {
            return directories.values().stream().distinct().toList();
        }

        /** Removes the cgroups; they must be empty. */
        void remove() {
            all().forEach(Cgroups::tryRemove);
        }

        private Path path(Use use) {
            Path path = directories.get(use);
            if (path == null) {
                throw new IllegalStateException("no cgroup for " + use);
            }
            return path;
        }

        private void limit(ProcessLimits limits) throws IOException {
            Long memory = limits.memoryBytes();
            if (memory != null && directories.containsKey(Use.MEMORY)) {
                limitMemory(memory);
            }
            Integer processes = limits.processes();
            if (processes != null) {
                write(path(Use.PROCESSES).resolve("pids.max"), String.valueOf(processes));
            }
            Double cpus = limits.cpus();
            if (cpus != null) {
                long quota = Math.max(1000, Math.round(cpus * CPU_PERIOD_MICROS));
                if (base(Use.CPU).version == 2) {
                    write(path(Use.CPU).resolve("cpu.max"), quota + " " + CPU_PERIOD_MICROS);
                } else {
                    write(path(Use.CPU).resolve("cpu.cfs_quota_us"), String.valueOf(quota));
                }
            }
        }

        private void limitMemory(long bytes) throws IOException {
            Path directory = path(Use.MEMORY);
            limitsMemory = true;
            if (base(Use.MEMORY).version == 2) {
                write(directory.resolve("memory.max"), String.valueOf(bytes));
                tryWrite(directory.resolve("memory.swap.max"), "0");
                tryWrite(directory.resolve("memory.oom.group"), "1");
            } else {
                write(directory.resolve("memory.limit_in_bytes"), String.valueOf(bytes));
                tryWrite(directory.resolve("memory.memsw.limit_in_bytes"), String.valueOf(bytes));
            }
        }

        /**
         * Returns whether the kernel's OOM killer kills only one process of a run and leaves the other processes
         * running.
         */
        boolean killsOnlyOne() {
            return limitsMemory && base(Use.MEMORY).version == 1;
        }

        /** Returns whether the kernel's OOM killer has killed a process of the run. */
        boolean outOfMemory() {
            if (!directories.containsKey(Use.MEMORY)) {
                return false;
            }
            String file = base(Use.MEMORY).version == 2 ? "memory.events" : "memory.oom_control";
            String text = read(path(Use.MEMORY).resolve(file));
            Matcher kills = OOM_KILLS.matcher(text == null ? "" : text);
            return kills.find() && Long.parseLong(kills.group(1)) > 0;
        }

        /** Peak memory in bytes; null if the kernel does not report it. */
        @Nullable
        Long peakMemory() {
            return directories.containsKey(Use.MEMORY) ? number(peakFile()) : null;
        }

        private Path peakFile() {
            return path(Use.MEMORY)
                    .resolve(base(Use.MEMORY).version == 2 ? "memory.peak" : "memory.max_usage_in_bytes");
        }

        /** Returns the CPU time; null in version 1. Version 2 counts it in every cgroup, even without controllers. */
        @Nullable
        Duration cpuTime() {
            String text = read(killPlace().resolve("cpu.stat"));
            Matcher usage = CPU_USAGE.matcher(text == null ? "" : text);
            return usage.find() ? Duration.ofNanos(1000 * Long.parseLong(usage.group(1))) : null;
        }
    }

    private static void write(Path file, String value) throws IOException {
        Files.write(file, value.getBytes(StandardCharsets.US_ASCII));
    }

    private static boolean tryWrite(Path file, String value) {
        try {
            write(file, value);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static @Nullable String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return null;
        }
    }

    private static List<String> words(Path file) {
        String text = read(file);
        return text == null || text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
    }

    private static @Nullable Long number(Path file) {
        String text = read(file);
        return text == null ? null : Long.valueOf(text.strip());
    }

    private static boolean tryRemove(Path directory) {
        try {
            return Files.deleteIfExists(directory);
        } catch (IOException e) {
            return false;
        }
    }
}
