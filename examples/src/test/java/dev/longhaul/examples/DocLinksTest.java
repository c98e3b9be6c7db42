package dev.longhaul.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that relative links in the documentation lead to files that exist. */
class DocLinksTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)(?:#[^)]*)?\\)");

    @Test
    void every_linked_file_exists() throws IOException {
        for (Path page : pages()) {
            LINK.matcher(Files.readString(page))
                    .results()
                    .map(link -> link.group(1))
                    .filter(target -> !target.contains(":") && !target.startsWith("/"))
                    .forEach(target -> assertThat(page.resolveSibling(target))
                            .as(page + ": " + target)
                            .exists());
        }
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
                Stream<Path> root = Files.list(ROOT)) {
            return Stream.concat(docs, root)
                    .filter(path -> path.toString().endsWith(".md"))
                    .toList();
        }
    }
}
