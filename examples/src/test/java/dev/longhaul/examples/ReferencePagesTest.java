package dev.longhaul.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.event.EventType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the reference pages which are written by hand name everything there is. */
class ReferencePagesTest {
    private static final Path REFERENCE = Path.of("..", "docs", "reference");
    private static final Path MIGRATIONS =
            Path.of("..", "postgres/src/main/resources/dev/longhaul/postgres/migrations");
    private static final Path FAILURE = Path.of("..", "core/src/main/java/dev/longhaul/job/Failure.java");

    @Test
    void events_lists_every_type() throws IOException {
        assertNamed("events.md", Arrays.stream(EventType.values()).map(EventType::wireName));
    }

    @Test
    void errors_lists_every_code() throws IOException {
        assertNamed("errors.md", Arrays.stream(ErrorCode.values()).map(ErrorCode::wireName));
    }

    @Test
    void errors_lists_every_code_of_a_failed_run() throws IOException {
        List<String> codes = groups("String [A-Z_]+ = \"([a-z_]+)\";", Files.readString(FAILURE));
        assertThat(codes).hasSizeGreaterThan(10);
        assertNamed("errors.md", codes.stream());
    }

    @Test
    void database_lists_every_table() throws IOException {
        var tables = Stream.<String>builder();
        try (Stream<Path> files = Files.list(MIGRATIONS)) {
            for (Path file : files.toList()) {
                groups("create table longhaul\\.(\\w+)", Files.readString(file)).forEach(tables);
            }
        }
        List<String> found = tables.build().toList();
        assertThat(found).hasSizeGreaterThan(20);
        assertNamed("database.md", found.stream());
    }

    private static void assertNamed(String page, Stream<String> names) throws IOException {
        String text = Files.readString(REFERENCE.resolve(page));
        assertThat(names).as(page).allSatisfy(name -> assertThat(text).contains("`" + name + "`"));
    }

    private static List<String> groups(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }
}
