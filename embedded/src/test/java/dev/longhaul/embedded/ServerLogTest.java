package dev.longhaul.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerLogTest {
    @TempDir
    private Path home;

    @Test
    void returns_only_lines_since_the_last_start() throws Exception {
        var log = new ServerLog(home);
        log.begin();
        Files.writeString(log.file(), "before\n");
        log.begin();
        Files.writeString(log.file(), "now\n", StandardOpenOption.APPEND);
        assertThat(log.sinceBegin()).isEqualTo("now\n");
    }

    @Test
    void joins_the_last_lines_without_routine_messages() throws Exception {
        var log = new ServerLog(home);
        log.begin();
        Files.writeString(log.file(), "1 LOG:  starting\n1 FATAL:  no\n1 HINT:  yes\n1 LOG:  shut down\n");
        assertThat(log.lastLines()).isEqualTo("1 FATAL:  no / 1 HINT:  yes");
    }

    @Test
    void starts_a_new_file_when_the_old_one_is_large() throws Exception {
        var log = new ServerLog(home);
        try (var file = new RandomAccessFile(log.file().toFile(), "rw")) {
            file.setLength(11_000_000);
        }
        log.begin();
        assertThat(log.file()).isEmptyFile();
        assertThat(home.resolve("postgres.log.1")).hasSize(11_000_000);
    }

    @Test
    void is_readable_by_its_owner_only() throws Exception {
        var log = new ServerLog(home);
        log.begin();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(log.file())))
                .isEqualTo("rw-------");
    }
}
