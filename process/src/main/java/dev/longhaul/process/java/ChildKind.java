package dev.longhaul.process.java;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.process.supervise.JavaCommand;
import dev.longhaul.process.supervise.NestedJars;
import dev.longhaul.process.supervise.ProcessLimits;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The properties of a JVM that can run a definition: class path, provider, environment and limits. */
record ChildKind(String classPath, String provider, Map<String, String> environment, ProcessLimits limits) {
    private static final long MIB = 1 << 20;
    /** Minimum memory in bytes that a JVM needs besides its heap. */
    private static final long LEAST_OVERHEAD = 64 * MIB;

    private static final long LEAST_HEAP = 8 * MIB;

    static ChildKind of(JobDefinition<?, ?> definition, NestedJars jars) {
        Isolation.InProcess isolation = (Isolation.InProcess) definition.isolation();
        String provider = Provided.by(definition);
        return new ChildKind(
                ClassPath.of(definition, provider, jars),
                provider,
                isolation.environment(),
                ProcessLimits.of(isolation));
    }

    /** Returns the files that a JVM of this kind must be able to read. */
    List<String> files() {
        List<String> files = new ArrayList<>(List.of(
                JavaCommand.executable(),
                Path.of(System.getProperty("java.home"), "lib", "modules").toString()));
        files.addAll(List.of(classPath.split(File.pathSeparator)));
        files.removeIf(file -> !Files.exists(Path.of(file)));
        return files;
    }

    /** Returns a value that changes when a jar of the class path, or a file in one of its directories, changes. */
    String version() {
        var version = new StringBuilder();
        for (String entry : classPath.split(File.pathSeparator)) {
            try (Stream<Path> files = Files.walk(Path.of(entry))) {
                files.sorted().forEach(file -> version.append(version(file)));
            } catch (IOException | UncheckedIOException e) {
                // An entry that does not exist has no version; the dash stands for it.
                version.append('-');
            }
        }
        return version.toString();
    }

    private static String version(Path file) {
        try {
            var attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return file + " " + attributes.lastModifiedTime().toMillis() + " " + attributes.size() + "\n";
        } catch (IOException e) {
            return file + "\n";
        }
    }

    /** Returns the heap size for a memory limit. */
    static long heapBytes(long memory) {
        long overhead = Math.max(LEAST_OVERHEAD, memory / 4);
        return Math.max(LEAST_HEAP, memory - overhead);
    }

    /** JVM options: a heap that leaves room for other memory under the limit, and exit on OutOfMemoryError. */
    List<String> jvmOptions() {
        List<String> options = new ArrayList<>(List.of(
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-XX:+ExitOnOutOfMemoryError",
                // JVMs with the same pid in different PID namespaces would share one file in /tmp.
                "-XX:-UsePerfData"));
        Long memory = limits.memoryBytes();
        if (memory != null) {
            options.add("-Xmx" + heapBytes(memory) / MIB + "m");
        }
        return options;
    }
}
