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

/** The next process removes directories of killed processes, and nothing else. */
class OwnedDirectoryTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @TempDir
    Path parent;

    /** Another process that owns such a directory. */
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

        /** Makes the directory old enough to count as no longer new. */
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
    void is_removed_after_its_process_was_killed_and_kept_while_it_lives() throws Exception {
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
    void is_removed_when_the_next_one_is_created() throws Exception {
        Path orphan = orphan("work-orphan");
        OwnedDirectory.create(parent, "work-").close();
        Instant end = Instant.now().plus(TIMEOUT);
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
    void is_kept_if_it_is_new_or_a_link_or_has_another_name() throws Exception {
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
    void is_removed_with_its_contents() throws Exception {
        OwnedDirectory own = OwnedDirectory.create(parent, "work-");
        Files.createDirectories(own.path().resolve("a/b"));
        own.close();
        assertThat(own.path()).doesNotExist();
    }
}
