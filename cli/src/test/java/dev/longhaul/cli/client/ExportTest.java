package dev.longhaul.cli.client;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.cli.client.database.Export;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportTest {
    @Test
    void secrets_are_not_written_to_files_that_others_can_read(@TempDir Path directory) throws Exception {
        Path file = Files.createFile(directory.resolve("out"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> Export.requirePrivate(file)).hasMessageContaining("rw-r--r--", "--out FILE");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThatCode(() -> Export.requirePrivate(file)).doesNotThrowAnyException();
        assertThatCode(() -> Export.requirePrivate(Path.of("/dev/null"))).doesNotThrowAnyException();
    }
}
