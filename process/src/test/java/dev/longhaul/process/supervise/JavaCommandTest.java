package dev.longhaul.process.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.error.LonghaulException;
import dev.longhaul.process.sitter.SitterMain;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaCommandTest {
    @TempDir
    private Path directory;

    @Nested
    class ClassesOfAProcess {
        @Test
        void come_from_plain_files() {
            assertThat(Path.of(JavaCommand.locationOf(SitterMain.class))).exists();
        }

        @Test
        void are_refused_from_a_jar_within_a_jar() throws Exception {
            Path fat = directory.resolve("app.jar");
            try (var jar = new JarOutputStream(Files.newOutputStream(fat))) {
                jar.putNextEntry(new JarEntry("BOOT-INF/lib/longhaul-process.jar"));
            }
            for (String nested : new String[] {
                "jar:" + fat.toUri() + "!/BOOT-INF/lib/longhaul-process.jar!/",
                "jar:nested:" + fat + "/!BOOT-INF/lib/longhaul-process.jar!/",
                "jar:" + fat.toUri() + "!/BOOT-INF/classes/"
            }) {
                assertThatThrownBy(() -> JavaCommand.plainFile(URI.create(nested)))
                        .isInstanceOf(LonghaulException.class)
                        .hasMessageContaining(nested)
                        .hasMessageContaining("java -Djarmode=tools -jar app.jar extract");
            }
        }
    }
}
