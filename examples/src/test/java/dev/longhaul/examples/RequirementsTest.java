package dev.longhaul.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that docs/requirements.md lists every requirement, and that the pages and tests it and docs/guarantees.md name exist. */
class RequirementsTest {
    private static final Path ROOT = Path.of("..");
    private static final Path DOCS = ROOT.resolve("docs");
    /** The number of requirements in each group, from S0 on. */
    private static final List<Integer> GROUPS = List.of(13, 10, 12, 8, 10);

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| (S\\d-\\d+) \\| ([^|]+) \\| ([^|]+) \\|(?: ([^|]+) )? ?\\|$");
    private static final Pattern TEST = Pattern.compile("\\b[A-Z]\\w+(?:Test|Contract)\\b");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)]+)\\)");

    private static List<MatchResult> rows() throws IOException {
        return ROW.matcher(Files.readString(DOCS.resolve("requirements.md")))
                .results()
                .toList();
    }

    @Test
    void every_id_is_listed_once_in_order() throws IOException {
        List<String> ids = IntStream.range(0, GROUPS.size())
                .boxed()
                .flatMap(group -> IntStream.rangeClosed(1, GROUPS.get(group)).mapToObj(n -> "S" + group + "-" + n))
                .toList();

        assertThat(rows()).extracting(row -> row.group(1)).isEqualTo(ids);
    }

    @Test
    void every_page_exists() throws IOException {
        for (MatchResult row : rows()) {
            LINK.matcher(row.group(3))
                    .results()
                    .forEach(link -> assertThat(DOCS.resolve(link.group(1)))
                            .as(row.group(1))
                            .exists());
        }
    }

    @Test
    void every_test_exists_and_only_what_is_not_built_has_none() throws IOException {
        Set<String> known = tests();
        for (MatchResult row : rows()) {
            boolean built = !row.group(3).equals("not built");
            List<String> named =
                    row.group(4) == null ? List.of() : List.of(row.group(4).split(", "));
            assertThat(!named.isEmpty()).as(row.group(1)).isEqualTo(built);
            assertThat(known).as(row.group(1)).containsAll(named);
        }
    }

    @Test
    void every_guarantee_names_a_test_that_exists() throws IOException {
        Set<String> known = tests();
        List<String> rows = Files.readAllLines(DOCS.resolve("guarantees.md")).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| fault"))
                .toList();
        assertThat(rows).hasSizeGreaterThan(15);
        for (String row : rows) {
            String[] cells = row.split(" \\| ", -1);
            String last = cells[cells.length - 1];
            List<String> named =
                    TEST.matcher(last).results().map(MatchResult::group).toList();
            assertThat(named).as(row).isNotEmpty();
            assertThat(known).as(row).containsAll(named);
        }
    }

    private static Set<String> tests() throws IOException {
        try (Stream<Path> files = Files.find(ROOT, 12, (path, attributes) -> sourceOfTests(path.toString()))) {
            return files.map(path -> path.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toSet());
        }
    }

    private static boolean sourceOfTests(String path) {
        boolean tests = path.contains("/src/test/java/") || path.contains("/contract/src/main/java/");
        return tests && path.endsWith(".java");
    }
}
