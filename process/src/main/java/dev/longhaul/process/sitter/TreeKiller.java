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

/**
 * Kills every process of a tree and removes the tree's files. Used by the worker, and by the sitter after the worker
 * has died.
 */
public final class TreeKiller {
    private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(5);
    private static final long PAUSE_MILLIS = 2;
    /** Maximum directory depth, which limits how many directories are open at once. */
    private static final int DEEPEST = 50;

    private TreeKiller() {}

    /** Kills the tree and waits until no process is left; returns false on timeout. */
    public static boolean kill(ProcessTree tree) {
        long end = System.nanoTime() + TIMEOUT;
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

    /** Removes the cgroups and the working directory of a tree without processes. */
    public static void remove(ProcessTree tree) {
        for (Path cgroup : tree.cgroups()) {
            removeCgroup(cgroup);
        }
        removeAll(tree.directory());
    }

    /** Returns false if there was no process to kill. */
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

    /**
     * Kills a PID namespace. Adds the found processes to {@code dying}: they are found through the outer process, which
     * may exit first.
     */
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
        // The other processes can only be found through the first one, so this call waits until all have exited.
        for (long end = System.nanoTime() + TIMEOUT;
                System.nanoTime() < end && family.stream().anyMatch(Processes::isAlive); ) {
            pause();
        }
        return true;
    }

    private static boolean killAll(Set<Long> pids) {
        // Parents first: a parent whose child is killed would continue with its next command.
        pids.stream().sorted().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        return !pids.isEmpty();
    }

    /** Returns the pids of the tree in a snapshot. */
    public static Set<Long> pids(ProcessTree tree, Processes among) {
        return switch (tree.method()) {
            case CGROUP_KILL, CGROUP_FREEZER -> pids(Path.of(tree.place()));
            case PID_NAMESPACE -> among.ofNamespace(tree.firstPid());
            case WALK -> among.family(tree.firstPid());
        };
    }

    /** Returns the pids in a cgroup; empty if it no longer exists. */
    private static Set<Long> pids(Path cgroup) {
        try {
            return Processes.numbers(Files.readAllLines(cgroup.resolve("cgroup.procs")));
        } catch (IOException e) {
            return Set.of();
        }
    }

    /** Returns whether the cgroup, or one below it, contains processes. */
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
            // The cgroup no longer exists. If it still exists, the next pass retries.
        }
    }

    private static void removeCgroup(Path cgroup) {
        long end = System.nanoTime() + TIMEOUT;
        do {
            try {
                Files.deleteIfExists(cgroup);
                return;
            } catch (IOException e) {
                removeNested(cgroup);
                // The kernel releases a cgroup shortly after its last process has exited.
                pause();
            }
        } while (System.nanoTime() < end);
    }

    /** Removes cgroups that processes of the tree have created. */
    private static void removeNested(Path cgroup) {
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

    /** Removes a directory and its contents. */
    public static void removeAll(Path directory) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            removeEntries(entries, 0);
            Files.delete(directory);
        } catch (NoSuchFileException e) {
            // The entry was already removed, together with its parent.
        } catch (IOException | DirectoryIteratorException e) {
            removeStubborn(directory);
        }
    }

    /**
     * Removes a directory with chmod and rm: they can remove directories without permissions, or nested deeper than the
     * path limit.
     */
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
            // Best effort: leftover files are harmless.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Removes the entries of a directory. Never follows links, not even links created during the removal, because
     * another user may own the directory.
     */
    private static void removeEntries(DirectoryStream<Path> entries, int depth) throws IOException {
        if (!(entries instanceof SecureDirectoryStream<Path> directory) || depth > DEEPEST) {
            throw new IOException("directory nested too deeply, or no secure directory stream");
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
