package dev.longhaul.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * A directory that resembles a checkout: the launcher itself, some sources, and a PATH with only the programs of the test
 * and basic system tools.
 */
final class Checkout {
    private static final List<String> TOOLS = List.of(
            "sh",
            "cat",
            "cp",
            "dirname",
            "find",
            "grep",
            "head",
            "ln",
            "mkdir",
            "mkfifo",
            "mv",
            "readlink",
            "rm",
            "sed",
            "sleep",
            "touch");

    private final Path home;
    private final Path bin;

    Checkout(Path directory) throws IOException {
        home = Files.createDirectories(directory.resolve("a checkout"));
        bin = Files.createDirectories(directory.resolve("bin"));
        Files.copy(Path.of("..", "longhaul"), launcher());
        Files.writeString(home.resolve("pom.xml"), "<project/>");
        Files.createDirectories(source().getParent());
        Files.writeString(source(), "class Source {}");
        for (var tool : TOOLS) {
            delegate(tool, onThePath(tool));
        }
    }

    Path launcher() {
        return home.resolve("longhaul");
    }

    Path source() {
        return home.resolve("core/src/main/java/Source.java");
    }

    Path jar() {
        return home.resolve("cli/target/dev/longhaul.jar");
    }

    Path lock() {
        return home.resolve("cli/target/launcher.lock");
    }

    /** Where the class archive of clients or servers lies once one is taken. */
    Path archive(String kind) {
        return home.resolve("cli/target/dev/" + kind + "-" + System.getProperty("java.version") + ".jsa");
    }

    /** Where the script given to {@link #withMaven} is started. */
    Path home() {
        return home;
    }

    Checkout withJava() throws IOException {
        delegate("java", Path.of(System.getProperty("java.home"), "bin", "java"));
        return this;
    }

    Checkout withMaven(String script) throws IOException {
        writeScript(bin.resolve("mvn"), script);
        return this;
    }

    Checkout withMavenWrapper(String script) throws IOException {
        writeScript(home.resolve("mvnw"), script);
        return this;
    }

    /** A jar as if built from the sources as they are, whose program is the given class of this module. */
    Checkout withJar(Class<?> main) throws IOException {
        writeJar(jar(), main);
        Files.createDirectories(home.resolve("core/target/dev"));
        return this;
    }

    /** Writes a jar that contains nothing but {@link StandIn}: a class archive needs a class path without directories. */
    static void writeStandInJar(Path jar) throws IOException {
        var manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, StandIn.class.getName());
        Files.createDirectories(jar.getParent());
        String file = StandIn.class.getName().replace('.', '/') + ".class";
        try (var out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                var in = Objects.requireNonNull(StandIn.class.getClassLoader().getResourceAsStream(file))) {
            out.putNextEntry(new ZipEntry(file));
            in.transferTo(out);
        }
    }

    static void writeScript(Path file, String script) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    static void writeJar(Path jar, Class<?> main) throws IOException {
        var manifest = new Manifest();
        var attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, main.getName());
        attributes.put(Attributes.Name.CLASS_PATH, classPath());
        Files.createDirectories(jar.getParent());
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    }

    void touch(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(1)));
    }

    Process start(Path launcher, Map<String, String> environment, String... arguments) throws IOException {
        var command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).directory(Path.of("/").toFile());
        builder.environment().clear();
        builder.environment().put("PATH", bin.toString());
        builder.environment().putAll(environment);
        return builder.start();
    }

    private void delegate(String name, Path program) throws IOException {
        writeScript(bin.resolve(name), "exec '" + program + "' \"$@\"\n");
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(System.getProperty("path.separator")))
                .map(entry -> Path.of(entry).toUri())
                .map(URI::toString)
                .collect(Collectors.joining(" "));
    }

    private static Path onThePath(String tool) {
        return Stream.of("/usr/bin", "/bin")
                .map(directory -> Path.of(directory, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new UncheckedIOException(new IOException(tool + " is not on this system")));
    }
}
