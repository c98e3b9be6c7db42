package dev.longhaul.cli.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pastes the README's lines about the server into a shell, against {@code dev} with the jobs of {@code examples/hello-jobs}, and
 * holds the answers to those that the README prints. Ids, times and names of workers differ from run to run and are not compared.
 */
@Timeout(300)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the lines are for a POSIX shell")
class FirstFiveMinutesTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path HELLO = ROOT.resolve("examples/hello-jobs");
    private static final Pattern BLOCK = Pattern.compile("(?m)^```console\\n((?:(?!```).*\\n)*)```$");
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path directory;

    /** A line to paste and what the README says it prints. */
    private record Pasted(String command, String printed) {}

    @Test
    void bring_the_answers_that_the_readme_prints() throws Exception {
        Path classes = built();
        try (var dev = LonghaulProcess.start(directory, "dev", "--port=0", "--jobs", classes.toString())
                .awaitReady()) {
            List<Pasted> lines = lines();
            assertThat(lines).hasSizeGreaterThanOrEqualTo(7);
            try (var shell = new Shell(directory)) {
                for (Pasted line : lines) {
                    String said = shell.run(line.command.replace("http://127.0.0.1:8080", dev.url()));
                    assertThat(shape(said)).as(line.command + "\n" + said).isEqualTo(shape(line.printed));
                }
            }
        }
    }

    @Test
    void the_project_needs_the_version_that_is_here() throws IOException {
        String version = version(Files.readString(ROOT.resolve("pom.xml")), "longhaul-parent");
        assertThat(version(Files.readString(HELLO.resolve("pom.xml")), "longhaul"))
                .isEqualTo(version);
    }

    private static String version(String pom, String artifact) {
        Matcher found = Pattern.compile("<artifactId>" + artifact + "</artifactId>\\s*<version>([^<]+)</version>")
                .matcher(pom);
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    /** What Maven makes of the project, without Maven: that would need Longhaul in its repository. */
    private Path built() throws IOException {
        Path classes = directory.resolve("classes");
        UserJobs.compile(classes, List.of(HELLO.resolve("src/main/java/hello/HelloJobs.java")));
        Path resources = HELLO.resolve("src/main/resources");
        try (Stream<Path> tree = Files.walk(resources)) {
            for (Path file : tree.filter(Files::isRegularFile).toList()) {
                Path target = classes.resolve(resources.relativize(file).toString());
                Files.createDirectories(target.resolveSibling("."));
                Files.copy(file, target);
            }
        }
        return classes;
    }

    private static List<Pasted> lines() throws IOException {
        var lines = new ArrayList<Pasted>();
        Matcher blocks = BLOCK.matcher(Files.readString(ROOT.resolve("README.md")));
        while (blocks.find()) {
            for (String part : blocks.group(1).split("(?m)^\\$ ", -1)) {
                if (!part.isBlank()) {
                    int end = part.indexOf('\n');
                    lines.add(new Pasted(part.substring(0, end), part.substring(end + 1)));
                }
            }
        }
        return lines;
    }

    /** The text with everything that differs from run to run made alike. */
    private static String shape(String text) throws IOException {
        var shaped = new StringBuilder();
        // The README breaks long lines; what goes on is indented.
        for (String line : text.strip().replaceAll("\\n +", "").lines().toList()) {
            if (line.startsWith("{")) {
                JsonNode tree = JSON.readTree(line);
                mask(tree);
                shaped.append(tree);
            } else if (line.startsWith("data: {")) {
                JsonNode tree = JSON.readTree(line.substring("data: ".length()));
                mask(tree);
                shaped.append("data: ").append(tree);
            } else {
                shaped.append(line.replaceAll("^id: [0-9]+$", "id: …"));
            }
            shaped.append('\n');
        }
        return shaped.toString();
    }

    private static void mask(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            object.properties().forEach(field -> {
                if (field.getKey().matches(".*Id|.*At|id|at|position")) {
                    object.put(field.getKey(), "…");
                } else {
                    mask(field.getValue());
                }
            });
        } else if (tree instanceof ArrayNode array) {
            array.forEach(FirstFiveMinutesTest::mask);
        }
    }

    /** One shell for all lines, because a later one uses what an earlier one has set. */
    private static final class Shell implements AutoCloseable {
        private static final String END = "--- end of the answer ---";
        private final Process process;

        Shell(Path directory) throws IOException {
            process = new ProcessBuilder("sh")
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .start();
        }

        String run(String command) throws IOException {
            var in = process.outputWriter(UTF_8);
            in.write(command + "\necho\necho '" + END + "'\n");
            in.flush();
            var said = new StringBuilder();
            var out = process.inputReader(UTF_8);
            for (String line = out.readLine(); line != null && !line.equals(END); line = out.readLine()) {
                said.append(line).append('\n');
            }
            return said.toString();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
