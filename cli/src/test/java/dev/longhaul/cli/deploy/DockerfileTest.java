package dev.longhaul.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.longhaul.cli.deploy.Dockerfile.Instruction;
import dev.longhaul.cli.deploy.Dockerfile.Stage;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Executes the steps of the Dockerfile without a container engine: this machine, with its Maven and its Java, stands in for
 * the base images. The final stage runs as the user of the image, without capabilities, on a read-only tree.
 */
@Tag("full")
@Timeout(900)
class DockerfileTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String REVISION = "0a1b2c3d";

    @TempDir
    private Path directory;

    @Test
    void its_steps_build_an_image_that_starts_read_only_as_another_user() throws Exception {
        requireNamespaces();
        var file = Dockerfile.read(ROOT.resolve("Dockerfile"));
        assertThat(file.stages()).hasSize(2);
        Path built = build(file.stages().get(0));
        Stage image = file.stages().get(1);
        assertThat(image.last("COPY").arguments()).isEqualTo("--from=build /out /opt/longhaul");

        JsonNode materials =
                new ObjectMapper().readTree(built.resolve("longhaul.cdx.json").toFile());
        assertThat(materials.get("bomFormat").asText()).isEqualTo("CycloneDX");
        assertThat(materials.get("components").findValuesAsText("name")).contains("longhaul-server", "postgresql");
        try (Stream<Path> libraries = Files.list(built.resolve("lib"))) {
            assertThat(libraries.map(one -> one.getFileName().toString())).containsExactly("longhaul.jar");
        }
        // Tests use these classes too: a dependency in the scope of tests would take them out of the jar.
        try (var jar = new JarFile(built.resolve("lib/longhaul.jar").toFile())) {
            assertThat(jar.getEntry(Job.class.getName().replace('.', '/') + ".class"))
                    .isNotNull();
        }
        var root = new ChangedRoot(directory.resolve("image"), Map.of("/opt/longhaul", built));
        finish(image, root);
        try (Stream<Path> libraries = Files.list(built.resolve("lib"))) {
            assertThat(libraries.map(one -> one.getFileName().toString())).anyMatch(name -> name.endsWith(".jsa"));
        }
        startsAndIsHealthy(image, root);
    }

    private void requireNamespaces() throws Exception {
        try (var probe = new ChangedRoot(directory.resolve("probe"), Map.of()).runReadOnly("10001", "10001", "id -u")) {
            assumeTrue(
                    probe.exitCode() == 0 && probe.output().equals("10001"),
                    "SKIPPED: executing the Dockerfile needs user namespaces: " + probe.output());
        }
    }

    /** Runs the first stage; returns the directory that the second copies. */
    private Path build(Stage stage) throws Exception {
        assertThat(stage.last("WORKDIR").arguments()).isEqualTo("/src");
        assertThat(stage.last("COPY").arguments()).isEqualTo(". .");
        assertThat(stage.last("ARG").arguments()).isEqualTo("REVISION=");
        Path source = Files.createDirectories(directory.resolve("src"));
        Path out = Files.createDirectories(directory.resolve("out"));
        copyContext(source);
        var root = new ChangedRoot(directory.resolve("build"), Map.of("/src", source, "/out", out));
        for (Instruction run : stage.all("RUN")) {
            // The mount is the directory that the step creates.
            String step = run.arguments().replaceFirst("mkdir /out ", "mkdir -p /out ");
            try (var started = root.run("export REVISION=" + REVISION + "; cd /src; " + step)) {
                assertThat(started.exitCode()).as(started.output()).isZero();
            }
        }
        return out;
    }

    /** Copies what .dockerignore lets pass. */
    private static void copyContext(Path to) throws IOException {
        List<PathMatcher> ignored = Files.readAllLines(ROOT.resolve(".dockerignore")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .flatMap(line -> Stream.of(line, line.replaceFirst("^\\*\\*/", "")))
                .map(pattern -> FileSystems.getDefault().getPathMatcher("glob:" + pattern))
                .toList();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            private boolean ignores(Path each) {
                return ignored.stream().anyMatch(one -> one.matches(ROOT.relativize(each)));
            }

            @Override
            public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) throws IOException {
                if (ignores(each)) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(to.resolve(ROOT.relativize(each)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path each, BasicFileAttributes attributes) throws IOException {
                if (!ignores(each)) {
                    Files.copy(each, to.resolve(ROOT.relativize(each)), StandardCopyOption.COPY_ATTRIBUTES);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Runs the steps of the final stage, as its root. */
    private static void finish(Stage image, ChangedRoot root) throws Exception {
        String variables = variables(image.last("ENV").pairs());
        for (Instruction run : image.all("RUN")) {
            try (var started = root.run("exec env -i " + variables + " sh -c '" + run.arguments() + "'")) {
                assertThat(started.exitCode()).as(started.output()).isZero();
            }
        }
    }

    /** Returns the environment of the image with this machine's Java in place of the image's. */
    private static String variables(Map<String, String> environment) {
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        return environment.entrySet().stream()
                .map(one -> one.getKey() + "=" + one.getValue())
                .collect(Collectors.joining(" "));
    }

    /** Starts the entry point, waits for the health check, stops it, and checks the output. */
    private static void startsAndIsHealthy(Stage image, ChangedRoot root) throws Exception {
        String[] user = image.last("USER").arguments().split(":", 2);
        // A free port in place of the image's, which may be in use on this machine.
        Map<String, String> environment = image.last("ENV").pairs();
        assertThat(environment.put("LONGHAUL_METRICS_PORT", Integer.toString(freePort())))
                .isEqualTo("9090");
        String variables = variables(environment);
        String script = """
                in_image() { env -i %s "$@"; }
                cd %s
                echo "user: $(id -u):$(id -g)"
                grep CapEff /proc/self/status
                for each in /etc /opt/longhaul /usr /var/tmp; do touch $each/written 2>/dev/null && echo "WRITABLE: $each"; done
                in_image %s version
                env -i %s %s server --store=memory --port=0 --demo &
                server=$!
                until in_image %s 2>/dev/null; do kill -0 $server || exit 3; sleep 0.2; done
                echo healthy
                kill -TERM $server
                wait $server
                echo "ended: $?"
                in_image %s 2>/dev/null || echo unhealthy
                """;
        String start = String.join(" ", image.last("ENTRYPOINT").exec());
        String check = String.join(" ", image.last("HEALTHCHECK").exec());
        String workdir = image.last("WORKDIR").arguments();
        try (var container = root.runReadOnly(
                user[0], user[1], script.formatted(variables, workdir, start, variables, start, check, check))) {
            assertThat(container.exitCode()).as(container.output()).isZero();
            assertThat(container.output())
                    .contains("user: 10001:10001", "CapEff:\t0000000000000000", "+" + REVISION)
                    .contains("longhaul: ready", "healthy", "ended: 0", "unhealthy")
                    .doesNotContain("WRITABLE");
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
