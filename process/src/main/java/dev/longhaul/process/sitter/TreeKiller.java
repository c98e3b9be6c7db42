package dev.longhaul.process.sitter;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Ends every process of a tree, and removes what they leave. Used by the worker and, when that is gone, by the sitter. */
public final class TreeKiller {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);
    private static final long PAUSE_MILLIS = 2;
    /** As many directories are open at once. */
    private static final int DEEPEST = 50;

    private TreeKiller() {}

    /** Returns when nothing of the tree is left; false if something is, after several seconds. */
    public static boolean kill(ProcessTree tree) {
        long end = System.nanoTime() + PATIENCE;
        Set<Long> dying = new HashSet<>();
        try {
            do {
                if (!killOnce(tree, dying)) {
                    return true;
                }
                Thread.sleep(PAUSE_MILLIS);
            } while (System.nanoTime() < end);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /** Removes its cgroups and its working directory; to be called when it is dead. */
    public static void remove(ProcessTree tree) {
        for (Path cgroup : tree.cgroups()) {
            removeCgroup(cgroup);
        }
        removeAll(tree.directory());
    }

    /** False when there is nothing to kill any more. */
    private static boolean killOnce(ProcessTree tree, Set<Long> dying) {
        return switch (tree.method()) {
            case CGROUP_KILL -> killCgroup(Path.of(tree.place()));
            case CGROUP_FREEZER -> freezeAndKill(Path.of(tree.place()));
            case PID_NAMESPACE -> killNamespace(tree.firstPid(), dying);
            case WALK -> stopAndKill(tree.firstPid());
        };
    }

    private static boolean killCgroup(Path cgroup) {
        if (!populated(cgroup)) {
            return false;
        }
        write(cgroup.resolve("cgroup.kill"), "1");
        return true;
    }

    private static boolean freezeAndKill(Path cgroup) {
        if (pids(cgroup).isEmpty()) {
            return false;
        }
        write(cgroup.resolve("freezer.state"), "FROZEN");
        killAll(pids(cgroup));
        write(cgroup.resolve("freezer.state"), "THAWED");
        return true;
    }

    /** The others are found through the outermost, which may be gone before them. */
    private static boolean killNamespace(long outer, Set<Long> dying) {
        var now = Processes.now();
        dying.addAll(now.ofNamespace(outer));
        killAll(now.ofNamespace(outer));
        dying.retainAll(now.living());
        return !dying.isEmpty();
    }

    private static boolean stopAndKill(long firstPid) {
        Set<Long> family = Processes.now().family(firstPid);
        if (family.isEmpty()) {
            return false;
        }
        Set<Long> stopped;
        do {
            stopped = family;
            Signals.send("STOP", stopped);
            family = Processes.now().family(firstPid);
        } while (!stopped.containsAll(family));
        killAll(family);
        // Once the first one is gone, the others are not found any more.
        for (long end = System.nanoTime() + PATIENCE;
                System.nanoTime() < end && family.stream().anyMatch(Processes::isAlive); ) {
            pause();
        }
        return true;
    }

    private static boolean killAll(Set<Long> pids) {
        // Parents first, who would else go on with what comes after their child.
        pids.stream().sorted().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        return !pids.isEmpty();
    }

    /** The processes of it among those. */
    public static Set<Long> pids(ProcessTree tree, Processes among) {
        return switch (tree.method()) {
            case CGROUP_KILL, CGROUP_FREEZER -> pids(Path.of(tree.place()));
            case PID_NAMESPACE -> among.ofNamespace(tree.firstPid());
            case WALK -> among.family(tree.firstPid());
        };
    }

    /** The processes in a cgroup; none if it is gone. */
    private static Set<Long> pids(Path cgroup) {
        try {
            return Processes.numbers(Files.readAllLines(cgroup.resolve("cgroup.procs")));
        } catch (IOException e) {
            return Set.of();
        }
    }

    /** Whether there is a process in it or in groups that its processes have made below. */
    private static boolean populated(Path cgroup) {
        try {
            return Files.readString(cgroup.resolve("cgroup.events")).contains("populated 1");
        } catch (IOException e) {
            return false;
        }
    }

    private static void write(Path file, String value) {
        try {
            Files.write(file, value.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            // It has ended meanwhile; if not, the next look finds what is left.
        }
    }

    private static void removeCgroup(Path cgroup) {
        long end = System.nanoTime() + PATIENCE;
        do {
            try {
                Files.deleteIfExists(cgroup);
                return;
            } catch (IOException e) {
                removeThoseBelow(cgroup);
                // The kernel needs a moment after the last process has ended.
                pause();
            }
        } while (System.nanoTime() < end);
    }

    /** Those that its processes have made. */
    private static void removeThoseBelow(Path cgroup) {
        List<Path> below;
        try (Stream<Path> all = Files.list(cgroup)) {
            below = all.filter(Files::isDirectory).toList();
        } catch (IOException e) {
            return;
        }
        below.forEach(TreeKiller::removeCgroup);
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Removes a directory with all that is in it. */
    public static void removeAll(Path directory) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            removeEntries(entries, 0);
            Files.delete(directory);
        } catch (NoSuchFileException e) {
            // With the one that it was in.
        } catch (IOException | DirectoryIteratorException e) {
            removeStubborn(directory);
        }
    }

    /** Deeper than a path may be long, or without the right to look into it, which is ours to give. */
    private static void removeStubborn(Path directory) {
        var command = List.of("/bin/sh", "-c", "chmod -R u+rwx -- \"$0\"; rm -rf -- \"$0\"", directory.toString());
        try {
            Process process = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            process.waitFor();
        } catch (IOException e) {
            // What cannot be removed stays; it harms nobody.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Never follows a link, not even one that somebody puts there meanwhile: what is removed may be another user's. */
    private static void removeEntries(DirectoryStream<Path> entries, int depth) throws IOException {
        if (!(entries instanceof SecureDirectoryStream<Path> directory) || depth > DEEPEST) {
            throw new IOException("this takes another tool");
        }
        for (Path entry : directory) {
            Path name = entry.getFileName();
            if (directory
                    .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes()
                    .isDirectory()) {
                try (var inner = directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                    removeEntries(inner, depth + 1);
                }
                directory.deleteDirectory(name);
            } else {
                directory.deleteFile(name);
            }
        }
    }
}
