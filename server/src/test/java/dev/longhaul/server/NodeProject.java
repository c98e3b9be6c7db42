package dev.longhaul.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** JavaScript that runs under Node with real clients, installed by npm. Without Node its tests are skipped. */
final class NodeProject {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Map<String, NodeProject> MADE = new ConcurrentHashMap<>();

    private final Path directory;

    private NodeProject(Path directory) {
        this.directory = directory;
    }

    /** The project in a directory of this repository, installed once per build and shared by all tests. */
    static NodeProject of(String source) {
        assumeTrue(
                onPath("node") && onPath("npm"),
                "SKIPPED: Node and npm are not installed, so there are no Connect clients");
        return MADE.computeIfAbsent(source, NodeProject::make);
    }

    private static NodeProject make(String source) {
        Path from = ROOT.resolve(source);
        Path to = Path.of("target", "node", from.getFileName().toString()).toAbsolutePath();
        var project = new NodeProject(to);
        try {
            Files.createDirectories(to);
            try (Stream<Path> files = Files.list(from)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Path buf = to.resolve("node_modules/.bin/buf");
        if (!Files.exists(buf)) {
            String installed = project.output("npm", "install", "--no-package-lock", "--no-audit", "--no-fund");
            assumeTrue(Files.exists(buf), "SKIPPED: npm could not install the Connect clients: " + installed);
        }
        project.run("node_modules/.bin/buf", "generate", ROOT.resolve("client").toString());
        if (Files.exists(to.resolve("tsconfig.json"))) {
            project.run("node_modules/.bin/tsc");
        }
        return project;
    }

    Process start(String... command) {
        return start(Map.of(), command);
    }

    Process start(Map<String, String> environment, String... command) {
        try {
            var builder =
                    new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
            builder.environment()
                    .merge("PATH", directory + "/node_modules/.bin", (path, bin) -> bin + File.pathSeparator + path);
            builder.environment().putAll(environment);
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command, which must succeed, and returns its output. */
    String run(String... command) {
        return run(true, command);
    }

    /** The output of a command, whether or not it succeeded. */
    private String output(String... command) {
        return run(false, command);
    }

    private String run(boolean mustSucceed, String... command) {
        Process process = start(command);
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            boolean ended = process.waitFor(1, TimeUnit.MINUTES);
            if (mustSucceed && (!ended || process.exitValue() != 0)) {
                throw new AssertionError(String.join(" ", command) + " failed:\n" + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean onPath(String program) {
        List<String> places = new ArrayList<>(List.of(System.getenv("PATH").split(File.pathSeparator)));
        return places.stream().anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }
}
