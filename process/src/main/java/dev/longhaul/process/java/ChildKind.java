package dev.longhaul.process.java;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.process.supervise.JavaCommand;
import dev.longhaul.process.supervise.ProcessLimits;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Definitions whose code can run in the same kind of JVM: with the same classes, provider, variables and limits. */
record ChildKind(String classPath, String provider, Map<String, String> environment, ProcessLimits limits) {
    private static final long MIB = 1 << 20;
    /** What a JVM needs besides its heap. */
    private static final long LEAST_OVERHEAD = 64 * MIB;

    private static final long LEAST_HEAP = 8 * MIB;

    static ChildKind of(JobDefinition<?, ?> definition) {
        Isolation.InProcess isolation = (Isolation.InProcess) definition.isolation();
        return new ChildKind(
                classPath(definition.handler().getClass().getClassLoader()),
                Provided.by(definition),
                isolation.environment(),
                ProcessLimits.of(isolation));
    }

    /** The classes of the code first, then those of this process, which have all that a child needs. */
    private static String classPath(@Nullable ClassLoader loader) {
        List<String> entries = new ArrayList<>();
        if (loader instanceof URLClassLoader own) {
            for (URL url : own.getURLs()) {
                try {
                    entries.add(Path.of(url.toURI()).toString());
                } catch (URISyntaxException e) {
                    throw new IllegalArgumentException(url + " (expected: a jar or a directory)", e);
                }
            }
        }
        entries.add(absolute(System.getProperty("java.class.path")));
        return String.join(File.pathSeparator, entries);
    }

    /** A child runs in another directory. */
    static String absolute(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The files without which it does not start. */
    List<String> files() {
        List<String> files = new ArrayList<>(List.of(
                JavaCommand.executable(),
                Path.of(System.getProperty("java.home"), "lib", "modules").toString()));
        files.addAll(List.of(classPath.split(File.pathSeparator)));
        files.removeIf(file -> !Files.exists(Path.of(file)));
        return files;
    }

    /** Changes whenever a jar of the class path does, or a file in one of its directories. */
    String version() {
        var version = new StringBuilder();
        for (String entry : classPath.split(File.pathSeparator)) {
            try (Stream<Path> files = Files.walk(Path.of(entry))) {
                files.sorted().forEach(file -> version.append(version(file)));
            } catch (IOException | UncheckedIOException e) {
                // What is not there has no version.
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

    /** How much of its memory is for the heap. */
    static long heapBytes(long memory) {
        long overhead = Math.max(LEAST_OVERHEAD, memory / 4);
        return Math.max(LEAST_HEAP, memory - overhead);
    }

    /** The options of its JVM: a heap that leaves room for the rest under the limit, and no life after it is full. */
    List<String> jvmOptions() {
        List<String> options = new ArrayList<>(List.of(
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-XX:+ExitOnOutOfMemoryError",
                // Else all that have the same number in namespaces of their own would share a file of /tmp.
                "-XX:-UsePerfData"));
        Long memory = limits.memoryBytes();
        if (memory != null) {
            options.add("-Xmx" + heapBytes(memory) / MIB + "m");
        }
        return options;
    }
}
