package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Servers without API keys that run commands: other users of the machine must not be able to call them. */
@Timeout(300)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the embedded PostgreSQL is not for Windows")
class LocalTokenTest {
    @TempDir
    Path directory;

    /** The response to a caller without a token. */
    private static HttpResponse<String> stranger(LonghaulProcess server, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(server.url() + path)).build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private LonghaulProcess command(LonghaulProcess server, String... arguments) throws Exception {
        var command = LonghaulProcess.start(directory, Map.of("LONGHAUL_URL", server.url()), arguments);
        command.awaitExit();
        return command;
    }

    @Test
    @Tag("full")
    void dev_keeps_its_token_in_files_of_its_user_and_the_command_line_finds_it() throws Exception {
        String token;
        try (var dev = LonghaulProcess.start(directory, "dev", "--port=0").awaitReady()) {
            token = dev.token();
            assertThat(token).hasSizeGreaterThan(40);
            for (String name : new String[] {"token", "header"}) {
                Path file = directory.resolve(".longhaul").resolve(name);
                assertThat(Files.readString(file)).contains(token);
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------");
            }
            assertThat(stranger(dev, "/readyz").statusCode()).isEqualTo(200);
            assertThat(stranger(dev, "/v1/jobs").statusCode()).isEqualTo(401);
            assertThat(stranger(dev, "/v1/jobs").body())
                    .contains(directory.toRealPath().resolve(".longhaul/header").toString());
            try (var submit = command(dev, "submit", "demo.echo", "--wait")) {
                assertThat(submit.awaitExit()).as(submit.output()).isZero();
            }
            try (var doctor = command(dev, "doctor")) {
                assertThat(doctor.output()).contains("local, role admin");
            }
            Map<String, String> otherUser = Map.of(
                    "LONGHAUL_URL",
                    dev.url(),
                    "XDG_STATE_HOME",
                    directory.resolve("other").toString());
            try (var list = LonghaulProcess.start(directory, otherUser, "list")) {
                assertThat(list.awaitExit()).isEqualTo(3);
                assertThat(list.output()).contains(".longhaul/token");
            }
            assertThat(dev.interrupt()).isZero();
            assertThat(directory.resolve("state/longhaul/servers")).isEmptyDirectory();
        }
        try (var again = LonghaulProcess.start(directory, "dev", "--port=0").awaitReady()) {
            assertThat(again.token()).isEqualTo(token);
        }
    }

    @Test
    void a_server_that_runs_commands_needs_it_until_there_is_an_api_key() throws Exception {
        try (var server = LonghaulProcess.start(
                        directory, "server", "--store=memory", "--port=0", "--allow-commands", "--data-dir=here")
                .awaitReady()) {
            assertThat(stranger(server, "/v1/jobs").statusCode()).isEqualTo(401);
            assertThat(Files.readString(directory.resolve("here/token")).strip())
                    .isEqualTo(server.token())
                    .isNotEmpty();
            try (var list = command(server, "list")) {
                assertThat(list.awaitExit()).as(list.output()).isZero();
            }
            assertThat(server.post("/v1/keys", "{\"name\":\"first\",\"role\":\"admin\"}")
                            .status())
                    .isEqualTo(201);
            assertThat(server.get("/v1/jobs").status()).isEqualTo(401);
        }
    }

    @Test
    void one_that_runs_no_commands_does_not() throws Exception {
        try (var server = LonghaulProcess.start(directory, "server", "--store=memory", "--port=0", "--demo")
                .awaitReady()) {
            assertThat(server.token()).isEmpty();
            assertThat(stranger(server, "/v1/jobs").statusCode()).isEqualTo(200);
        }
    }
}
