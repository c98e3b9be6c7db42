package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks that every block of commands or code in README.md and docs/ is executed: {@code console} blocks by {@link DocsTest}, Java
 * blocks by {@code ReadmeTest} in examples, Kotlin blocks by {@code GuideTest} in kotlin. A block that cannot be run is an {@code sh} block, and the comment before it says why:
 * {@code <!-- not run: needs root -->}. A {@code properties} block has settings of a server or worker, or is a part of the
 * properties of {@code examples/spring-boot}, as the comment before it says. Prints how many blocks there are of each kind.
 */
class DocBlocksTest {
    private static final String NOT_RUN = "not run: ";
    private static final String OF_SHOP = "examples/spring-boot: application.properties";
    /** Languages of blocks that contain no commands. */
    private static final Set<String> NO_COMMANDS =
            Set.of("java", "kotlin", "xml", "yaml", "sql", "dockerfile", "mermaid", "text");

    private static final Pattern COMMAND_IN_PROSE = Pattern.compile(
            " {4,}(\\$|longhaul|\\./longhaul|curl|\\./mvnw|java|docker|kubectl|sudo|systemctl|tar)\\b.*");
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void every_block_is_run_compiled_or_has_a_reason() throws IOException {
        var counts = new TreeMap<String, Integer>();
        int commands = 0;
        for (DocPage page : DocPage.all()) {
            for (DocPage.Block block : page.blocks()) {
                String where = page + ":" + block.line();
                switch (block.language()) {
                    case "console" -> {
                        counts.merge("run (console)", 1, Integer::sum);
                        List<DocPage.Command> found = block.commands();
                        assertThat(found).as(where).isNotEmpty();
                        commands += found.size();
                    }
                    case "sh" -> {
                        assertThat(block.comment())
                                .as(where + ": the comment before an sh block says why it is not run")
                                .isNotNull()
                                .startsWith(NOT_RUN);
                        counts.merge(String.valueOf(block.comment()), 1, Integer::sum);
                    }
                    case "json" -> {
                        assertThat(JSON.readTree(block.text())).as(where).isNotNull();
                        counts.merge("parsed (json)", 1, Integer::sum);
                    }
                    case "properties" -> {
                        if (OF_SHOP.equals(block.comment())) {
                            assertThat(shop()).as(where).containsAllEntriesOf(properties(block.text()));
                        } else {
                            checkSettings(where, block.text());
                        }
                        counts.merge("checked against settings (properties)", 1, Integer::sum);
                    }
                    default -> {
                        assertThat(NO_COMMANDS).as(where).contains(block.language());
                        String how = Set.of("java", "kotlin").contains(block.language())
                                ? "compiled (" + block.language() + ")"
                                : "no commands (" + block.language() + ")";
                        counts.merge(how, 1, Integer::sum);
                    }
                }
            }
            assertThat(page.prose())
                    .as(page + ": commands belong into console or sh blocks")
                    .noneMatch(line -> COMMAND_IN_PROSE.matcher(line).matches());
        }
        System.out.println("blocks in README.md and docs, " + commands + " commands:");
        counts.forEach((how, count) -> System.out.printf("%6d %s%n", count, how));
    }

    /** Every line of a {@code --config} file in the docs is a setting. */
    private static void checkSettings(String where, String text) throws IOException {
        assertThat(properties(text).stringPropertyNames())
                .as(where)
                .isNotEmpty()
                .allMatch(key -> Setting.ofKey(key).isPresent());
    }

    private static Properties shop() throws IOException {
        return properties(Files.readString(
                DocPage.ROOT.resolve("examples/spring-boot/src/main/resources/application.properties")));
    }

    private static Properties properties(String text) throws IOException {
        var properties = new Properties();
        properties.load(new StringReader(text));
        return properties;
    }

    @Test
    void the_example_projects_depend_on_the_version_of_this_build() throws IOException {
        String version = version(Files.readString(DocPage.ROOT.resolve("pom.xml")), "longhaul-parent");
        assertThat(version(Files.readString(DocPage.ROOT.resolve("examples/hello-jobs/pom.xml")), "longhaul"))
                .isEqualTo(version);
        assertThat(Files.readString(DocPage.ROOT.resolve("examples/spring-boot/pom.xml")))
                .contains("<longhaul.version>" + version + "</longhaul.version>");
    }

    private static String version(String pom, String artifact) {
        Matcher found = Pattern.compile("<artifactId>" + artifact + "</artifactId>\\s*<version>([^<]+)</version>")
                .matcher(pom);
        assertThat(found.find()).isTrue();
        return found.group(1);
    }
}
