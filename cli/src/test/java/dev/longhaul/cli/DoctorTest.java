package dev.longhaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
    @TempDir
    private Path directory;

    @Test
    void passes_for_a_healthy_server_and_gives_advice_about_its_key() throws Exception {
        try (var server = new ServerFixture()) {
            var done = server.run("doctor").exitsWith(0);
            assertThat(done.lines())
                    .anyMatch(line ->
                            line.matches("ok +java +.*" + Runtime.version().feature() + ".*"))
                    .anyMatch(line -> line.matches("(ok|warn) +launcher .*"))
                    .anyMatch(line -> line.matches("(ok|warn) +memory .*"))
                    .anyMatch(
                            line -> line.matches("warn +process user +.*the worker's own user.* -> .*--process-user.*"))
                    .anyMatch(line -> line.matches("ok +server +responds at " + server.url()))
                    .anyMatch(line -> line.matches("ok +ready .*"))
                    .anyMatch(line -> line.matches("ok +clock .*"))
                    .anyMatch(line -> line.matches("ok +key +not required: .*admin"))
                    .anyMatch(line -> line.matches("skip +database .*"))
                    .noneMatch(line -> line.startsWith("fail"));
            Path file = directory.resolve("key");
            server.run("keys", "create", "--role=viewer", "--name=eyes", "--out=" + file)
                    .exitsWith(0);
            assertThat(server.run("doctor").exitsWith(1).lines())
                    .anyMatch(line -> line.matches("fail +key +missing; the server requires one -> .*LONGHAUL_KEY.*"));
            assertThat(server.run("doctor", "--key-file=" + file).exitsWith(0).lines())
                    .anyMatch(line -> line.matches("ok +key +valid: eyes, role viewer"));
            Files.writeString(file, "lh_wrong");
            assertThat(server.run("doctor", "--key-file=" + file, "--json")
                            .exitsWith(1)
                            .json()
                            .get("checks"))
                    .anySatisfy(check -> {
                        assertThat(check.get("subject").asText()).isEqualTo("key");
                        assertThat(check.get("level").asText()).isEqualTo("fail");
                        assertThat(check.get("detail").asText()).isEqualTo("rejected");
                    });
        }
    }

    @Test
    void prints_the_process_user() {
        var done = ServerFixture.execute("doctor", "--url=http://127.0.0.1:1", "--process-user=no-such-user")
                .exitsWith(1);
        assertThat(done.lines())
                .anyMatch(line -> line.matches("fail +process user +processUser: no-such-user .* -> .*"));
    }

    @Test
    void fails_without_a_server() {
        var done = ServerFixture.execute("doctor", "--url=http://127.0.0.1:1").exitsWith(1);
        assertThat(done.lines()).anyMatch(line -> line.matches("fail +server +no server at .* -> start one.*"));
    }

    @Test
    void fails_where_a_server_would_not_start_with_its_settings() throws Exception {
        Path file = Files.writeString(directory.resolve("longhaul.properties"), "slots=zero\nstore=foo\n");
        var done = ServerFixture.execute("doctor", "--url=http://127.0.0.1:1", "--config=" + file)
                .exitsWith(1);
        assertThat(done.lines())
                .anyMatch(line -> line.matches("fail +settings +slots in longhaul.properties: zero \\(expected: .*"))
                .anyMatch(line ->
                        line.matches("fail +settings +store in longhaul.properties: .* \\(expected: memory, .*"));
    }

    @Test
    void the_database_of_the_settings_is_used_by_doctor_migrate_keys_export_and_import() throws Exception {
        try (var postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(directory.resolve("database")))) {
            String store = "postgres://" + postgres.user() + ":" + postgres.password() + "@127.0.0.1:" + postgres.port()
                    + "/postgres";
            Path file = Files.writeString(directory.resolve("longhaul.properties"), "store=" + store + "\n");
            var done = ServerFixture.execute("doctor", "--url=http://127.0.0.1:1", "--config=" + file)
                    .exitsWith(1);
            assertThat(done.lines())
                    .anyMatch(line -> line.matches("ok +database +PostgreSQL .*"))
                    .anyMatch(line -> line.matches("ok +pooler +none"))
                    .noneMatch(line -> line.contains(postgres.password()));
            ServerFixture.execute("migrate", "--config=" + file).exitsWith(0);
            assertThat(ServerFixture.execute("migrate", "--config=" + file, "--print")
                            .exitsWith(0)
                            .lines())
                    .containsExactly("-- The schema is up to date.");
            ServerFixture.execute("keys", "create", "--role=admin", "--name=first", "--config=" + file)
                    .exitsWith(0);
            assertThat(ServerFixture.execute("keys", "list", "--config=" + file)
                            .exitsWith(0)
                            .out())
                    .contains("first");
            String export = "--out=" + directory.resolve("export");
            ServerFixture.execute("export", "--config=" + file, export).exitsWith(0);
            assertThat(ServerFixture.execute(
                                    "import", directory.resolve("export").toString(), "--config=" + file)
                            .exitsWith(0)
                            .out())
                    .contains(": 0 added");
        }
    }

    @Test
    void checks_the_version_settings_and_schema_of_a_database() {
        try (var server = new ServerFixture();
                var postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(directory.resolve("data"))
                        .withSetting("max_connections", "15")
                        .withSetting("synchronous_commit", "off"))) {
            String url = "--database-url=postgres://" + postgres.user() + ":" + postgres.password() + "@127.0.0.1:"
                    + postgres.port() + "/postgres";
            var done = server.run("doctor", url).exitsWith(1);
            assertThat(done.lines())
                    .anyMatch(line -> line.matches("ok +database +PostgreSQL 18.*"))
                    .anyMatch(line -> line.matches("ok +primary .*"))
                    .anyMatch(line -> line.matches("ok +fsync +on"))
                    .anyMatch(line -> line.matches("fail +synchronous_commit +off -> acknowledged jobs can be lost.*"))
                    .anyMatch(line -> line.matches("warn +connections .* of 15 in use -> .*max_connections.*"))
                    .anyMatch(line -> line.matches("warn +schema .* -> longhaul migrate.*"))
                    .anyMatch(line -> line.matches("ok +db clock .*"));
            assertThat(done.out()).doesNotContain(postgres.password());
            var unreachable = server.run("doctor", "--database-url=postgres://ann:secret@127.0.0.1:1/x")
                    .exitsWith(1);
            assertThat(unreachable.lines())
                    .anyMatch(line ->
                            line.matches("fail +database +database refused the connection: .* -> start PostgreSQL.*"));
            assertThat(unreachable.out()).doesNotContain("secret");
            assertThat(server.run("doctor", url.replace(postgres.password(), "wrong"))
                            .exitsWith(1)
                            .lines())
                    .anyMatch(line -> line.matches("fail +database +wrong user or password: .* -> correct the user.*"));
            assertThat(server.run("doctor", url.replace(":" + postgres.password(), ""))
                            .exitsWith(1)
                            .lines())
                    .anyMatch(
                            line -> line.matches("fail +database +no database password: .* -> add a line .*pgpass.*"));
            assertThat(server.run("doctor", url.replace("@127.0.0.1:", "@no-such-host.invalid:"))
                            .exitsWith(1)
                            .lines())
                    .anyMatch(
                            line -> line.matches("fail +database +unknown database host: no-such-host.invalid -> .*"));
            assertThat(server.run("doctor", "--data-dir=" + directory.resolve("data"))
                            .exitsWith(1)
                            .out())
                    .contains("is in use by another server");
        }
    }
}
