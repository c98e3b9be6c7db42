package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeysTest {
    @TempDir
    private Path directory;

    @Nested
    class OnAServer {
        @Test
        void are_created_listed_used_and_revoked() throws Exception {
            try (var server = new ServerFixture()) {
                var made = server.run("keys", "create", "--role=admin", "--name=boss")
                        .exitsWith(0);
                Path file = Files.writeString(directory.resolve("boss"), made.out());
                assertThat(made.lines()).singleElement().asString().hasSizeGreaterThan(40);
                assertThat(made.err())
                        .contains("boss, admin")
                        .doesNotContain(made.out().strip());
                var refused = server.run("list").exitsWith(3);
                assertThat(refused.err().lines()).hasSize(1);
                String key = "--key-file=" + file;
                Path viewer = directory.resolve("viewer");
                var second = server.run("keys", "create", "--role=viewer", "--name=eyes", "--out=" + viewer, key)
                        .exitsWith(0);
                assertThat(second.out()).isEmpty();
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(viewer)))
                        .isEqualTo("rw-------");
                var list = server.run("keys", "list", key).exitsWith(0);
                assertThat(list.lines()).hasSize(3);
                String eyes = list.lines().stream()
                        .filter(line -> line.contains("eyes"))
                        .findFirst()
                        .orElseThrow();
                assertThat(eyes).matches("[0-9a-f-]{36} +eyes +viewer +all +[0-9-]+T[0-9:.]+Z +- +valid");
                server.run("list", "--key-file=" + viewer).exitsWith(0);
                assertThat(server.run("keys", "list", "--key-file=" + viewer)
                                .exitsWith(3)
                                .err())
                        .contains("admin");
                server.run("keys", "revoke", eyes.substring(0, 36), key).exitsWith(0);
                server.run("list", "--key-file=" + viewer).exitsWith(3);
                assertThat(server.run("keys", "list", "--json", key).out())
                        .contains("revokedAt")
                        .doesNotContain("secret");
                server.run("keys", "revoke", "nobody", key).exitsWith(4);
                server.run("keys", "create", "--role=worker", "--name=far", "--queue=b", "--queue=a", key)
                        .exitsWith(0);
                assertThat(server.run("keys", "list", key).lines())
                        .anySatisfy(line -> assertThat(line).containsPattern("far +worker +a,b "));
                assertThat(server.run("keys", "create", "--role=viewer", "--name=x", "--queue=a", key)
                                .exitsWith(2)
                                .err())
                        .contains("none unless the role is worker");
            }
        }

        @Test
        void require_an_existing_role_and_a_new_file() throws Exception {
            try (var server = new ServerFixture()) {
                assertThat(server.run("keys", "create", "--role=king", "--name=x")
                                .exitsWith(2)
                                .err())
                        .contains("role: king");
                Path taken = Files.createFile(directory.resolve("taken"));
                server.run("keys", "create", "--role=admin", "--name=x", "--out=" + taken)
                        .exitsWith(2);
                assertThat(server.run("keys", "list").exitsWith(0).lines()).hasSize(1);
                server.run("keys").exitsWith(2);
            }
        }

        @Test
        void an_invalid_key_is_never_shown() throws Exception {
            Path file = Files.writeString(directory.resolve("odd"), "first\nsecret second");
            var done = ServerFixture.execute("list", "--key-file=" + file).exitsWith(2);
            assertThat(done.err()).contains("key-file").doesNotContain("second");
            ServerFixture.execute("list", "--key-file=" + directory.resolve("none"))
                    .exitsWith(2);
        }
    }

    @Nested
    class InADatabase {
        @Test
        @Tag("full")
        void are_created_before_the_first_start_of_a_server() {
            Path home = directory.resolve("data");
            String data = "--data-dir=" + home;
            ServerFixture.execute("keys", "list", data).exitsWith(2);
            var made = ServerFixture.execute("keys", "create", "--role=admin", "--name=first", data)
                    .exitsWith(0);
            var list = ServerFixture.execute("keys", "list", data, "--store=embedded")
                    .exitsWith(0);
            assertThat(list.lines()).hasSize(2).element(1).asString().contains("first", "admin", "valid");
            assertThat(list.out()).doesNotContain(made.out().strip());
            String id = list.lines().get(1).substring(0, 36);
            try (var postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(home))) {
                assertThat(ServerFixture.execute("keys", "list", data)
                                .exitsWith(7)
                                .err())
                        .contains("is in use by another server");
                String url = "postgres://" + postgres.user() + ":" + postgres.password() + "@127.0.0.1:"
                        + postgres.port() + "/postgres";
                ServerFixture.execute("keys", "revoke", id, "--database-url=" + url)
                        .exitsWith(0);
                ServerFixture.execute("keys", "revoke", "x", "--database-url=" + url)
                        .exitsWith(2);
                assertThat(ServerFixture.execute("keys", "list", "--store=" + url, "--json")
                                .exitsWith(0)
                                .json()
                                .get("keys")
                                .get(0)
                                .get("revokedAt")
                                .asText())
                        .isNotBlank();
                ServerFixture.execute("keys", "create", "--role=king", "--name=x", "--database-url=" + url)
                        .exitsWith(2);
                postgres.crashServer();
            }
            for (String[] wrong : new String[][] {
                {"--store=memory"}, {"--store=postgres://h/d", data}, {"--database-url=postgres://h/d", data}
            }) {
                var all = new ArrayList<>(List.of("keys", "list"));
                all.addAll(List.of(wrong));
                ServerFixture.execute(all.toArray(String[]::new)).exitsWith(2);
            }
        }
    }
}
