package dev.longhaul.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The folder sql contains exactly the files that the code uses. */
class SqlFilesTest {
    private static final Path SQL = Path.of("src/main/resources/dev/longhaul/postgres/sql");
    private static final Path JAVA = Path.of("src/main/java/dev/longhaul/postgres");

    @Test
    void every_file_is_loaded_and_every_loaded_file_exists() throws IOException {
        assertThat(names(Pattern.compile("\\bload\\(\\s*\"([a-z_/]+)\""), JAVA, ".java"))
                .isEqualTo(files().stream().filter(name -> !fragment(name)).collect(Collectors.toSet()));
    }

    @Test
    void every_fragment_is_included() throws IOException {
        Pattern token = Pattern.compile("\\{([a-z_]+)}");
        Set<String> included = names(token, SQL, ".sql");
        included.addAll(names(token, JAVA, ".java"));
        assertThat(included)
                .containsAll(files().stream()
                        .filter(SqlFilesTest::fragment)
                        .map(name -> name.substring(name.indexOf('/') + 1))
                        .toList());
    }

    private static boolean fragment(String name) {
        return name.startsWith("fragments/") && !name.equals("fragments/bounded");
    }

    private static Set<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(SQL)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> SQL.relativize(file).toString().replace(".sql", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Set<String> names(Pattern pattern, Path folder, String ending) throws IOException {
        var names = new TreeSet<String>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.filter(one -> one.toString().endsWith(ending)).toList()) {
                Matcher matcher = pattern.matcher(Files.readString(file));
                while (matcher.find()) {
                    names.add(matcher.group(1));
                }
            }
        }
        return names;
    }
}
