package dev.longhaul.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.longhaul.cli.Main;
import dev.longhaul.embedded.EmbeddedPostgres;
import dev.longhaul.embedded.EmbeddedPostgresConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * The compose file: its files exist, its services fit each other, and Longhaul's services run together with the arguments,
 * environment and secrets of the file. There is no container engine here: they run as processes, with the addresses of this
 * machine in place of the containers'.
 */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class ComposeTest {
    private static final Path HOME = Path.of("..", "deploy", "compose");
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private JsonNode compose;
    private JsonNode services;
    private final List<Started> processes = new ArrayList<>();

    @BeforeEach
    void read() throws IOException {
        // SnakeYAML merges the anchors, as Compose does.
        compose = JSON.valueToTree(new Yaml().load(Files.readString(HOME.resolve("compose.yaml"))));
        services = compose.get("services");
    }

    @AfterEach
    void stop() {
        processes.forEach(Started::close);
    }

    private static List<String> texts(JsonNode list) {
        var texts = new ArrayList<String>();
        list.forEach(one -> texts.add(one.asText()));
        return texts;
    }

    private Stream<Map.Entry<String, JsonNode>> ours() {
        return services.properties().stream()
                .filter(service -> service.getValue().get("image").asText().startsWith("longhaul:"));
    }

    @Test
    void names_files_and_secrets_that_exist() throws Exception {
        createSecrets();
        compose.get("secrets")
                .properties()
                .forEach(secret -> assertThat(
                                directory.resolve(secret.getValue().get("file").asText()))
                        .isNotEmptyFile());
        for (JsonNode service : services) {
            for (String volume : texts(service.path("volumes"))) {
                String from = volume.split(":", 2)[0];
                if (from.startsWith(".")) {
                    assertThat(HOME.resolve(from)).isRegularFile();
                } else {
                    assertThat(compose.get("volumes").has(from)).as(from).isTrue();
                }
            }
            service.path("secrets")
                    .forEach(secret -> assertThat(compose.get("secrets").has(secret.asText()))
                            .as(secret.asText())
                            .isTrue());
            service.path("depends_on")
                    .fieldNames()
                    .forEachRemaining(
                            other -> assertThat(services.has(other)).as(other).isTrue());
            service.path("ports")
                    .forEach(port -> assertThat(port.asText())
                            .as("open to this machine only")
                            .startsWith("127.0.0.1:"));
        }
        assertThat(Files.readString(HOME.resolve("compose.yaml"))).doesNotContain("replace-me", "PASSWORD=");
    }

    @Test
    void its_processes_of_longhaul_are_locked_down() {
        assertThat(ours()).hasSize(4).allSatisfy(entry -> {
            JsonNode service = entry.getValue();
            assertThat(service.get("read_only").asBoolean()).isTrue();
            assertThat(service.get("cap_drop").get(0).asText()).isEqualTo("ALL");
            assertThat(service.get("tmpfs").get(0).asText()).isEqualTo("/tmp:exec");
            assertThat(service.get("user").asText()).endsWith(":-10001:10001}");
        });
        assertThat(services.at("/worker/deploy/replicas").asInt()).isEqualTo(2);
    }

    @Test
    void prometheus_scrapes_every_process_of_longhaul_that_stays() throws IOException {
        JsonNode prometheus = JSON.valueToTree(new Yaml().load(Files.readString(HOME.resolve("prometheus.yml"))));
        JsonNode names = prometheus.at("/scrape_configs/0/dns_sd_configs/0");
        assertThat(texts(names.get("names")))
                .containsExactlyElementsOf(ours().map(Map.Entry::getKey)
                        .filter(name -> !name.equals("migrate"))
                        .toList());
        assertThat(ours())
                .allSatisfy(service -> assertThat(service.getValue()
                                .at("/environment/LONGHAUL_METRICS_PORT")
                                .asInt())
                        .isEqualTo(names.get("port").asInt()));
    }

    private void createSecrets() throws Exception {
        Files.copy(HOME.resolve("secrets.sh"), directory.resolve("secrets.sh"));
        try (var created = new Started(
                new ProcessBuilder("sh", directory.resolve("secrets.sh").toString()))) {
            assertThat(created.exitCode()).as(created.output()).isZero();
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("secrets"))))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("secrets/admin-key"))))
                .isEqualTo("rw-------");
    }

    private String secret(String name) throws IOException {
        return Files.readString(directory.resolve("secrets").resolve(name)).strip();
    }

    @Test
    @Tag("full")
    void its_services_run_a_job_together() throws Exception {
        createSecrets();
        try (var postgres = EmbeddedPostgres.start(EmbeddedPostgresConfig.in(directory.resolve("database")))) {
            createDatabase(postgres);
            assertThat(start("migrate", postgres).exitCode())
                    .as(processes.get(0).output())
                    .isZero();
            Started first = start("server-1", postgres);
            Started second = start("server-2", postgres);
            Started worker = start("worker", postgres);
            Started other = start("worker", postgres);
            String submitted = url(first);
            String read = url(second);
            worker.after("longhaul: ready");
            other.after("longhaul: ready");

            assertThat(send(submitted + "/v1/queues", null).statusCode()).isEqualTo(401);
            HttpResponse<String> job =
                    send(submitted + "/v1/jobs", "{\"definitionKey\": \"demo.echo\", \"params\": {\"n\": 7}}");
            assertThat(job.statusCode()).as(job.body()).isEqualTo(202);
            String id = JSON.readTree(job.body()).get("jobId").asText();
            HttpResponse<String> ended = send(read + "/v1/jobs/" + id + "?waitSeconds=60", "");
            assertThat(JSON.readTree(ended.body()).get("status").asText()).isEqualTo("succeeded");
            for (Started process : List.of(first, second, worker, other)) {
                String metrics = process.after("longhaul: metrics at ");
                assertThat(send(metrics, null).body()).contains("longhaul_leader");
                assertThat(send(metrics.replace("/metrics", "/readyz"), null).statusCode())
                        .isEqualTo(200);
                assertThat(process.output()).doesNotContain("WARN");
            }
            for (Started process : List.of(worker, other, first, second)) {
                assertThat(process.terminate()).as(process.output()).isIn(0, 143);
            }
        }
    }

    private static String url(Started server) {
        return server.after("longhaul: ready at ").split(" ", 2)[0];
    }

    /** As the image of PostgreSQL does from its environment: a superuser with a password, and its database. */
    private void createDatabase(EmbeddedPostgres postgres) throws SQLException, IOException {
        JsonNode environment = services.at("/postgres/environment");
        assertThat(environment.get("POSTGRES_USER").asText()).isEqualTo(postgres.user());
        try (var connection = DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
                var statement = connection.createStatement()) {
            statement.execute("alter role " + postgres.user() + " password '" + secret("postgres-password") + "'");
            statement.execute(
                    "create database " + environment.get("POSTGRES_DB").asText());
        }
    }

    /** Starts a service of the file. The ports are free ones, and the addresses those of this machine. */
    private Started start(String name, EmbeddedPostgres postgres) {
        JsonNode service = services.get(name);
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        for (String word : texts(service.get("command"))) {
            command.add(here(word, postgres));
            if (word.equals("server")) {
                command.add("--port=0");
            }
        }
        var builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().keySet().removeIf(one -> one.startsWith("LONGHAUL_") || one.startsWith("PG"));
        var environment = new HashMap<String, String>();
        service.get("environment")
                .properties()
                .forEach(
                        one -> environment.put(one.getKey(), here(one.getValue().asText(), postgres)));
        environment.put("LONGHAUL_METRICS_PORT", "0");
        environment.put("XDG_STATE_HOME", directory.resolve("state").toString());
        builder.environment().putAll(environment);
        var started = new Started(builder);
        processes.add(started);
        return started;
    }

    private String here(String text, EmbeddedPostgres postgres) {
        return text.replace("@postgres:5432/", "@127.0.0.1:" + postgres.port() + "/")
                .replace("/run/secrets/", directory.resolve("secrets") + "/")
                .replace("0.0.0.0", "127.0.0.1");
    }

    /** GET, or POST with a body; with the admin key unless the body is null. */
    private HttpResponse<String> send(String url, @Nullable String body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url));
        if (body != null) {
            request.header("Authorization", "Bearer " + secret("admin-key"));
        }
        if (body != null && !body.isEmpty()) {
            request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
        }
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }
}
