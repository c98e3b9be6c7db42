package dev.longhaul.cli.secret;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.server.access.LocalToken;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalServersTest {
    @TempDir
    Path directory;

    @Nested
    class Servers {
        private LocalServers servers() {
            return LocalServers.of(Map.of("XDG_STATE_HOME", directory.toString()));
        }

        @Test
        void are_found_by_their_port_on_loopback_only() throws Exception {
            try (AutoCloseable known = servers().add(URI.create("http://127.0.0.1:8080"), "secret")) {
                assertThat(known).isNotNull();
                for (String host : new String[] {"127.0.0.1", "localhost", "[::1]"}) {
                    assertThat(servers().token(URI.create("http://" + host + ":8080")))
                            .isEqualTo("secret");
                }
                assertThat(servers().token(URI.create("http://127.0.0.1:8081"))).isNull();
                assertThat(servers().token(URI.create("http://jobs.example.com:8080")))
                        .isNull();
            }
            assertThat(servers().token(URI.create("http://127.0.0.1:8080"))).isNull();
        }

        @Test
        void are_found_without_a_url_on_the_usual_port_first() throws Exception {
            assertThat(servers().url(8080)).isNull();
            try (AutoCloseable other = servers().add(URI.create("http://127.0.0.1:8081"), "")) {
                assertThat(other).isNotNull();
                assertThat(servers().url(8080)).hasToString("http://127.0.0.1:8081");
                assertThat(servers().token(URI.create("http://127.0.0.1:8081"))).isNull();
                try (AutoCloseable usual = servers().add(URI.create("https://127.0.0.1:8080"), "secret")) {
                    assertThat(usual).isNotNull();
                    assertThat(servers().url(8080)).hasToString("https://127.0.0.1:8080");
                }
            }
            assertThat(servers().url(8080)).isNull();
        }

        @Test
        void that_were_killed_are_forgotten() throws Exception {
            Path file = directory.resolve("longhaul/servers/8080");
            Files.createDirectories(file.getParent());
            Files.writeString(file, "secret\nhttp://127.0.0.1:8080\n");
            assertThat(servers().token(URI.create("http://127.0.0.1:8080"))).isNull();
            assertThat(servers().url(8080)).isNull();
        }

        @Test
        void are_in_files_that_only_the_user_can_read() throws Exception {
            try (AutoCloseable known = servers().add(URI.create("http://127.0.0.1:8080"), "secret")) {
                assertThat(known).isNotNull();
                Path file = directory.resolve("longhaul/servers/8080");
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------");
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                        .isEqualTo("rwx------");
            }
        }
    }

    @Nested
    class Tokens {
        @Test
        void are_kept_unless_others_could_read_them() throws Exception {
            LocalToken first = TokenFiles.open(directory);
            assertThat(TokenFiles.open(directory).secret()).isEqualTo(first.secret());
            Files.setPosixFilePermissions(directory.resolve("token"), PosixFilePermissions.fromString("rw-r--r--"));
            LocalToken second = TokenFiles.open(directory);
            assertThat(second.secret()).isNotEqualTo(first.secret());
            assertThat(Files.readString(second.headerFile()))
                    .isEqualTo("Authorization: Bearer " + second.secret() + "\n");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("token"))))
                    .isEqualTo("rw-------");
        }
    }
}
