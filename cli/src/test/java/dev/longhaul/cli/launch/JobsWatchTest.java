package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobsWatchTest {
    @TempDir
    Path directory;

    private final AtomicInteger changes = new AtomicInteger();

    @Test
    void a_change_counts_once_the_files_are_stable() throws IOException {
        Files.writeString(directory.resolve("a.class"), "1");
        try (var watch = new JobsWatch(List.of(directory), changes::incrementAndGet)) {
            watch.runOnce();
            assertThat(changes).hasValue(0);
            Files.writeString(directory.resolve("a.class"), "12");
            watch.runOnce();
            Files.writeString(Files.createDirectory(directory.resolve("more")).resolve("b.class"), "1");
            watch.runOnce();
            assertThat(changes).hasValue(0);
            watch.runOnce();
            watch.runOnce();
            assertThat(changes).hasValue(1);
        }
    }

    @Test
    void a_clean_build_is_waited_for() throws IOException {
        Path classes = Files.createDirectory(directory.resolve("classes"));
        Files.writeString(classes.resolve("a.class"), "1");
        try (var watch = new JobsWatch(List.of(classes), changes::incrementAndGet)) {
            Files.delete(classes.resolve("a.class"));
            Files.delete(classes);
            watch.runOnce();
            watch.runOnce();
            assertThat(changes).hasValue(0);
            Files.createDirectory(classes);
            Files.writeString(classes.resolve("a.class"), "12");
            watch.runOnce();
            watch.runOnce();
            assertThat(changes).hasValue(1);
        }
    }
}
