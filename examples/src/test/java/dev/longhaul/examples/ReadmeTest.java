package dev.longhaul.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks that every Java block in README.md and docs/ is a region of a compiled example. A comment before the block names the file and
 * the region, {@code <!-- QuickStart.java definition -->}; {@code -Dlonghaul.docs=write} rewrites the blocks. Console blocks are run by
 * {@code DocsTest} in cli.
 */
class ReadmeTest {
    private static final Path README = Path.of("..", "README.md");
    private static final Path DOCS = Path.of("..", "docs");
    private static final int MOST_README_LINES = 180;
    private static final List<Path> SOURCES = List.of(
            Path.of("src/main/java/dev/longhaul/examples"),
            Path.of("src/test/java/dev/longhaul/examples"),
            Path.of("hello-jobs/src/main/java/hello"),
            Path.of("spring-boot/src/main/java/org/example/shop"),
            Path.of("spring-boot/src/test/java/org/example/shop"),
            Path.of("spring-snippets/src/main/java/dev/longhaul/examples/spring"),
            Path.of("spring-snippets/src/main/java/dev/longhaul/examples/migrating"),
            Path.of("spring-snippets/src/test/java/dev/longhaul/examples/migrating"));
    private static final String WRITE = "mvn -B verify -pl examples -am -Dtest=ReadmeTest"
            + " -Dsurefire.failIfNoSpecifiedTests=false -Dlonghaul.docs=write";
    private static final Pattern BLOCK =
            Pattern.compile("(?m)^(?:<!-- (\\S+) (\\S+) -->\\n)?```java\\n((?:(?!```).*\\n)*)```$");

    @ParameterizedTest
    @MethodSource("pages")
    void every_java_block_is_a_region_of_an_example(Path page) throws IOException {
        String quoted = BLOCK.matcher(Files.readString(page)).replaceAll(ReadmeTest::quote);
        if ("write".equals(System.getProperty("longhaul.docs"))) {
            Files.writeString(page, quoted);
        }
        assertThat(Files.readString(page))
                .as("%s (change the example, then: %s)", page, WRITE)
                .isEqualTo(quoted);
    }

    static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(DOCS)) {
            return Stream.concat(
                            Stream.of(README),
                            docs.filter(path -> path.toString().endsWith(".md")))
                    .toList();
        }
    }

    @Test
    void the_blocks_are_found() throws IOException {
        long blocks = 0;
        for (Path page : pages()) {
            blocks += BLOCK.matcher(Files.readString(page)).results().count();
        }
        assertThat(blocks).isGreaterThan(15);
        System.out.println("Java blocks compared with compiled code: " + blocks);
    }

    /** The comment that names the file is not visible on the rendered page. */
    @Test
    void pages_link_the_examples_they_quote() throws IOException {
        for (Path page : pages()) {
            String text = Files.readString(page);
            BLOCK.matcher(text)
                    .results()
                    .map(block -> block.group(1))
                    .filter(file -> file != null && !page.equals(README))
                    .forEach(file ->
                            assertThat(text).as("%s links %s", page, file).contains("/" + file + ")"));
        }
    }

    @Test
    void the_readme_is_short() throws IOException {
        assertThat(Files.readAllLines(README)).hasSizeLessThan(MOST_README_LINES);
    }

    private static String quote(MatchResult block) {
        assertThat(block.group(1))
                .as("the line before this block: %s", block.group(3))
                .withFailMessage("no comment (expected: <!-- QuickStart.java definition -->)")
                .isNotNull();
        String text = region(block.group(1), block.group(2));
        return Matcher.quoteReplacement(
                "<!-- %s %s -->\n```java\n%s```".formatted(block.group(1), block.group(2), text));
    }

    /** The lines between the region's comments, moved to the left edge. */
    private static String region(String file, String name) {
        List<String> lines = source(file);
        int start = indexOf(lines, "// region " + name, 0, file);
        int end = indexOf(lines, "// endregion", start, file);
        return String.join("\n", lines.subList(start + 1, end)).stripIndent() + "\n";
    }

    private static int indexOf(List<String> lines, String comment, int from, String file) {
        for (int i = from; i < lines.size(); i++) {
            if (lines.get(i).strip().equals(comment)) {
                return i;
            }
        }
        throw new AssertionError("a page quotes " + file + ", which has no line \"" + comment + "\"");
    }

    private static List<String> source(String file) {
        for (Path folder : SOURCES) {
            Path path = folder.resolve(file);
            if (Files.exists(path)) {
                try {
                    return Files.readAllLines(path);
                } catch (IOException e) {
                    throw new AssertionError(path + " cannot be read", e);
                }
            }
        }
        throw new AssertionError("a page quotes " + file + ", which is in none of " + SOURCES);
    }
}
