package dev.longhaul.process.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a killed process leaves is removed by the next one, and nothing else is. */
class OwnedDirectoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path parent;

    /** Another process with such a directory. */
    record Owner(Process process, Path directory) implements AutoCloseable {
        public static void main(String[] arguments) throws IOException {
            var owned = OwnedDirectory.create(Path.of(arguments[0]), "work-");
            Files.createDirectories(owned.path().resolve("a/b"));
            Files.writeString(owned.path().resolve("a/b/c"), "left");
            System.out.println(owned.path());
            int endOfInput = System.in.read();
            System.exit(endOfInput);
        }

        static Owner start(Path parent) throws IOException {
            Process process = new ProcessBuilder(List.of(
                            JavaCommand.executable(),
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Owner.class.getName(),
                            parent.toString()))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return new Owner(process, Path.of(process.inputReader().readLine()));
        }

        /** Long enough ago to be no longer looked at as just being made. */
        void age() throws IOException {
            Files.setLastModifiedTime(
                    directory.resolve(".owner"), FileTime.from(Instant.now().minus(Duration.ofHours(1))));
        }

        void kill() {
            process.destroyForcibly().onExit().join();
        }

        @Override
        public void close() {
            kill();
        }
    }

    private void sweep() throws IOException {
        OwnedDirectory.removeOrphans(parent, "work-", Files.getOwner(parent));
    }

    @Test
    void of_a_process_that_was_killed_it_goes_and_of_one_that_lives_it_stays() throws Exception {
        try (Owner living = Owner.start(parent);
                Owner killed = Owner.start(parent);
                OwnedDirectory own = OwnedDirectory.create(parent, "work-")) {
            living.age();
            killed.age();
            sweep();
            assertThat(killed.directory()).exists();
            killed.kill();
            sweep();
            assertThat(killed.directory()).doesNotExist();
            assertThat(living.directory().resolve("a/b/c")).exists();
            assertThat(own.path()).exists();
        }
    }

    @Test
    void the_next_one_that_is_made_removes_it() throws Exception {
        Path orphan = orphan("work-orphan");
        OwnedDirectory.create(parent, "work-").close();
        Instant end = Instant.now().plus(PATIENCE);
        while (Files.exists(orphan)) {
            assertThat(Instant.now()).isBefore(end);
            Thread.sleep(10);
        }
    }

    private Path orphan(String name) throws IOException {
        Path orphan = Files.createDirectory(parent.resolve(name));
        Path lock = Files.createFile(orphan.resolve(".owner"));
        Files.setLastModifiedTime(lock, FileTime.from(Instant.EPOCH));
        return orphan;
    }

    @Test
    void what_is_new_or_a_link_or_has_another_name_stays() throws Exception {
        Path made = orphan("work-new");
        Files.setLastModifiedTime(made.resolve(".owner"), FileTime.from(Instant.now()));
        Path other = orphan("other");
        Path link = Files.createSymbolicLink(parent.resolve("work-link"), other);
        Path unmarked = Files.createDirectory(parent.resolve("work-unmarked"));
        sweep();
        assertThat(List.of(made, other.resolve(".owner"), link, unmarked))
                .allSatisfy(path -> assertThat(path).exists());
    }

    @Test
    void goes_with_all_that_is_in_it() throws Exception {
        OwnedDirectory own = OwnedDirectory.create(parent, "work-");
        Files.createDirectories(own.path().resolve("a/b"));
        own.close();
        assertThat(own.path()).doesNotExist();
    }
}
