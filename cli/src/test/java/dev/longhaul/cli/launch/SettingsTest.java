package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.longhaul.Isolation;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.IntakeMode;
import dev.longhaul.kafka.IntakeSettings;
import dev.longhaul.kafka.KafkaCluster;
import dev.longhaul.server.ServerConfig;
import dev.longhaul.server.access.Callers;
import dev.longhaul.server.access.RequestRates;
import dev.longhaul.server.tracing.TraceConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private static final Set<Setting> ALL = EnumSet.allOf(Setting.class);

    @TempDir
    Path directory;

    private final Map<Setting, String> flags = new HashMap<>();
    private final Map<String, String> environment = new HashMap<>();

    @Nested
    class Defaults {
        @Test
        void of_the_transports() {
            assertThat(server().server())
                    .isEqualTo(ServerConfig.LOCAL.withPort(8080).withDrain(Duration.ofSeconds(30)));
            assertThat(server().server().listen().host()).isEqualTo("127.0.0.1");
        }

        @Test
        void of_the_work() {
            int cores = Runtime.getRuntime().availableProcessors();
            assertThat(server().work())
                    .isEqualTo(new WorkConfig(
                            Math.max(4, 2 * cores),
                            Map.of(),
                            Duration.ofSeconds(15),
                            Duration.ofSeconds(30),
                            Duration.ofSeconds(30),
                            Duration.ofDays(7),
                            null,
                            true,
                            null))
                    .isEqualTo(WorkConfig.DEFAULT);
        }

        @Test
        void of_the_store() {
            assertThat(server().store()).isEqualTo(new StoreConfig.Embedded(Path.of(".longhaul")));
        }

        @Test
        void of_the_jobs() {
            assertThat(server().jobs()).isEqualTo(JobsConfig.NONE);
        }

        @Test
        void of_the_roles() {
            assertThat(server().roles())
                    .containsExactlyInAnyOrder(ProcessRole.API, ProcessRole.SCHEDULER, ProcessRole.WORKER);
        }

        @Test
        void of_dev_are_everything_with_demo_jobs_and_commands() {
            LaunchConfig dev = new LaunchSettings(settings()).dev();
            assertThat(dev.jobs())
                    .isEqualTo(new JobsConfig(List.of(), true, true, true, null, null, List.of(), List.of()));
            assertThat(dev.roles()).isEqualTo(ProcessRole.ALL);
            assertThat(dev.server().listen().host()).isEqualTo("127.0.0.1");
        }

        @Test
        void of_webhooks_reach_loopback_with_dev_only() {
            assertThat(new LaunchSettings(settings()).dev().server().webhooks().networks())
                    .containsExactly("127.0.0.0/8", "::1/128");
            assertThat(server().server().webhooks().networks()).isEmpty();
        }

        @Test
        void of_metrics_are_no_port_of_their_own_and_loopback_if_one_is_set() {
            assertThat(server().metrics()).isNull();
            flags.put(Setting.METRICS_PORT, "9090");
            assertThat(server().metrics()).isEqualTo(new MetricsPort.Config("127.0.0.1", 9090));
        }
    }

    @Nested
    class Values {
        @Test
        void are_read_from_every_flag() throws IOException {
            Path file = Files.writeString(directory.resolve("pem"), "");
            flags.putAll(Map.of(
                    Setting.PORT, "0",
                    Setting.HOST, "::1",
                    Setting.STORE, "postgres://ann:secret@db:5432/jobs",
                    Setting.READ_DATABASE_URL, "postgres://replica/jobs",
                    Setting.ROLE, "api, worker",
                    Setting.SLOTS, "7",
                    Setting.QUEUES, "mail, reports:4",
                    Setting.LEASE, "500ms",
                    Setting.CANCEL_GRACE, "0s",
                    Setting.DRAIN, "2m"));
            flags.putAll(Map.of(
                    Setting.RETENTION, "12h",
                    Setting.TLS_CERT, file.toString(),
                    Setting.TLS_KEY, file.toString(),
                    Setting.PUBLIC_URL, "https://jobs.example.org",
                    Setting.ALLOWED_HOSTS, "a.example.org,b.example.org",
                    Setting.TRUSTED_PROXIES, "10.0.0.0/8,fd00::/8",
                    Setting.DEMO, "true",
                    Setting.ALLOW_COMMANDS, "true",
                    Setting.COMMANDS, file.toString(),
                    Setting.JOBS, directory + "," + file));
            flags.put(Setting.PROCESS_USER, "jobs");
            flags.put(Setting.LOG_FAILURES, "false");
            flags.put(Setting.DEFAULT_ISOLATION, "process");
            flags.put(Setting.ALLOW_HTTP, "true");
            flags.put(Setting.HTTP_NETWORKS, "10.1.0.0/16");
            flags.put(Setting.ADMIN_KEY_FILE, file.toString());
            flags.put(Setting.OTLP_ENDPOINT, "http://collector:4318/v1/traces");
            Path headers =
                    Files.writeString(directory.resolve("headers"), "Authorization: Bearer abc \n\nx-tenant:7\n");
            flags.put(Setting.OTLP_HEADERS_FILE, headers.toString());
            flags.put(Setting.TRACE_RATIO, "0.1");
            flags.put(Setting.METRICS_PORT, "9090");
            flags.put(Setting.METRICS_HOST, "0.0.0.0");
            flags.put(Setting.MAX_CONNECTIONS, "300");
            flags.put(Setting.RATE_LIMIT, "50");
            flags.put(Setting.RATE_LIMIT_ADDRESS, "0");
            flags.put(Setting.RATE_LIMIT_FAILURES, "3");
            flags.put(Setting.RATE_LIMIT_BURST, "5");
            flags.put(Setting.KUBERNETES, "auto");
            flags.put(Setting.NAMESPACE, "jobs");
            flags.put(Setting.POD_IMAGES, "registry.example.org/*");
            flags.put(Setting.POD_START_TIMEOUT, "5m");
            flags.put(Setting.POD_UNREACHABLE, "force");
            flags.put(Setting.KAFKA, "kafka1:9092,kafka2:9092");
            Path kafka = Files.writeString(directory.resolve("kafka"), "security.protocol=SSL\n");
            flags.put(Setting.KAFKA_CONFIG, kafka.toString());
            flags.put(Setting.INTAKE, "longhaul.jobs");
            flags.put(Setting.INTAKE_WHEN, "slow");
            flags.put(Setting.INTAKE_UNSAFE, "true");
            var cluster = new KafkaCluster("kafka1:9092,kafka2:9092", Map.of("security.protocol", "SSL"));
            assertThat(server())
                    .isEqualTo(new LaunchConfig(
                            Set.of(ProcessRole.API, ProcessRole.WORKER),
                            new StoreConfig.Postgres(
                                    "jdbc:postgresql://db:5432/jobs?user=ann&password=secret",
                                    "jdbc:postgresql://replica/jobs"),
                            ServerConfig.LOCAL
                                    .withListen(
                                            new ServerConfig.Listen("::1", 0, new ServerConfig.Tls(file, file), 300))
                                    .withCallers(new Callers(
                                            URI.create("https://jobs.example.org"),
                                            List.of("a.example.org", "b.example.org"),
                                            List.of("10.0.0.0/8", "fd00::/8")))
                                    .withRates(new RequestRates(
                                            new RequestRates.Rate(50, 250),
                                            RequestRates.Rate.UNLIMITED,
                                            new RequestRates.Rate(3, 15)))
                                    .withDrain(Duration.ofMinutes(2)),
                            new LaunchConfig.Access(file, Path.of(".longhaul")),
                            new WorkConfig(
                                    7,
                                    Map.of("mail", WorkerConfig.ANY, "reports", 4),
                                    Duration.ofMillis(500),
                                    Duration.ZERO,
                                    Duration.ofMinutes(2),
                                    Duration.ofHours(12),
                                    "jobs",
                                    false,
                                    new PodsConfig("auto", "jobs", null, Duration.ofMinutes(5), true, null)),
                            new JobsConfig(
                                    List.of(directory, file),
                                    false,
                                    true,
                                    true,
                                    file,
                                    Isolation.process(),
                                    List.of("10.1.0.0/16"),
                                    List.of("registry.example.org/*")),
                            new TraceConfig(
                                    URI.create("http://collector:4318/v1/traces"),
                                    Map.of("Authorization", "Bearer abc", "x-tenant", "7"),
                                    0.1),
                            new MetricsPort.Config("0.0.0.0", 9090),
                            new KafkaConfig(
                                    cluster,
                                    new KafkaConfig.Intake(
                                            IntakeSettings.of(cluster)
                                                    .withTopics(new IntakeSettings.Topics(
                                                            "longhaul.jobs", "longhaul.jobs.parked"))
                                                    .withUnsafe(true),
                                            IntakeMode.SLOW))));
        }

        @Test
        void of_the_intake_need_brokers_a_topic_and_a_store_that_lasts() {
            flags.put(Setting.INTAKE, "orders");
            flags.put(Setting.INTAKE_WHEN, "often");
            assertThat(problems())
                    .extracting(FieldError::field, FieldError::expected)
                    .containsExactlyInAnyOrder(
                            tuple("--intake", "brokers too, as --kafka"),
                            tuple("--intake", "the name of a topic that begins with longhaul."),
                            tuple("--intake-when", "one of unavailable, slow, always"));

            flags.clear();
            flags.put(Setting.INTAKE_UNSAFE, "true");
            assertThat(problems()).extracting(FieldError::field).containsExactly("--intake-unsafe");

            flags.clear();
            flags.put(Setting.KAFKA, "kafka1:9092");
            flags.put(Setting.INTAKE, "longhaul.jobs");
            assertThat(server().intake()).isNotNull();
            flags.put(Setting.STORE, "memory");
            assertThat(problems()).extracting(FieldError::field).containsExactly("--intake");
        }

        @ParameterizedTest
        @ValueSource(strings = {"Bearer hunter2", "host: hunter2"})
        void of_headers_are_not_shown_when_they_are_invalid(String line) throws IOException {
            Path headers = Files.writeString(directory.resolve("headers"), line + "\n");
            flags.put(Setting.OTLP_HEADERS_FILE, headers.toString());
            assertThat(problems())
                    .containsExactly(new FieldError(
                            "--otlp-headers-file",
                            headers.toString(),
                            "a file with lines such as authorization: Bearer abc"));
        }

        @Test
        void of_a_flag_go_before_the_environment_and_that_before_the_file() throws IOException {
            file("port=1\nslots = 1 \nlease=1s\n# a comment\n");
            environment.put("LONGHAUL_PORT", "2");
            environment.put("LONGHAUL_SLOTS", "2");
            flags.put(Setting.PORT, "3");
            LaunchConfig config = server();
            assertThat(config.server().listen().port()).isEqualTo(3);
            assertThat(config.work().slots()).isEqualTo(2);
            assertThat(config.work().lease()).isEqualTo(Duration.ofSeconds(1));
        }

        @Test
        void have_one_name_in_three_spellings() {
            assertThat(Setting.CANCEL_GRACE.flag()).isEqualTo("--cancel-grace");
            assertThat(Setting.CANCEL_GRACE.variable()).isEqualTo("LONGHAUL_CANCEL_GRACE");
            assertThat(Setting.CANCEL_GRACE.key()).isEqualTo("cancel-grace");
        }

        @Test
        void that_are_empty_in_the_environment_are_not_set() {
            environment.put("LONGHAUL_PORT", "");
            assertThat(server().server().listen().port()).isEqualTo(8080);
        }

        @Test
        void of_the_file_may_be_named_by_the_environment() throws IOException {
            environment.put("LONGHAUL_CONFIG", file("port=1"));
            flags.clear();
            assertThat(server().server().listen().port()).isEqualTo(1);
        }

        @ParameterizedTest
        @CsvSource({"500ms,500", "15s,15000", "5m,300000", "12h,43200000", "7d,604800000"})
        void that_are_times_have_a_unit(String text, long millis) {
            assertThat(DurationText.parse(text, Duration.ZERO)).isEqualTo(Duration.ofMillis(millis));
        }

        @ParameterizedTest
        @CsvSource({"500", "1.5s", "-1s", "s", "1 s", "1w", "99999999999s"})
        void that_are_not_times_are_rejected(String text) {
            flags.put(Setting.DRAIN, text);
            assertThat(problems())
                    .containsExactly(
                            new FieldError("--drain", text, "a time of at least 0s such as 500ms, 15s, 5m, 12h, 7d"));
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {"a,,b", "a:0", "a:b", "a:1:2", "a,a", "-a", "a:99999"})
        void that_are_not_queues_are_rejected(String text) {
            flags.put(Setting.QUEUES, text);
            assertThat(problems()).singleElement().extracting(FieldError::field).isEqualTo("--queues");
        }
    }

    @Nested
    class Problems {
        @Test
        void are_all_reported_with_their_source() throws IOException {
            String file = file("slotz=4\ndrain=soon\ndemo=perhaps\n");
            environment.put("LONGHAUL_LEASE", "1ms");
            flags.put(Setting.PORT, "70000");
            flags.put(Setting.ROLE, "api,cook");
            flags.put(Setting.TLS_CERT, directory.resolve("none.pem").toString());
            flags.put(Setting.PUBLIC_URL, "jobs.example.org");
            flags.put(Setting.TRUSTED_PROXIES, "everybody");
            flags.put(Setting.JOBS, directory.resolve("none.jar").toString());
            assertThat(problems())
                    .extracting(FieldError::field)
                    .containsExactlyInAnyOrder(
                            "slotz in " + Path.of(file).getFileName(),
                            "drain in " + Path.of(file).getFileName(),
                            "demo in " + Path.of(file).getFileName(),
                            "LONGHAUL_LEASE",
                            "--port",
                            "--role",
                            "--tls-cert",
                            "--tls-cert",
                            "--public-url",
                            "--trusted-proxies",
                            "--jobs");
        }

        @Test
        void name_value_and_expectation() {
            flags.put(Setting.SLOTS, "0");
            assertThat(problems()).containsExactly(new FieldError("--slots", "0", "a whole number, 1 to 10000"));
        }

        @ParameterizedTest
        @CsvSource({
            "MAX_CONNECTIONS, 0, '1 to 1000000'",
            "RATE_LIMIT, -1, '0 to 1000000'",
            "RATE_LIMIT_ADDRESS, many, '0 to 1000000'",
            "RATE_LIMIT_FAILURES, 0, '1 to 1000000'",
            "RATE_LIMIT_BURST, 0, '1 to 60'"
        })
        void are_limits_out_of_range(Setting setting, String value, String range) {
            flags.put(setting, value);
            assertThat(problems()).containsExactly(new FieldError(setting.flag(), value, "a whole number, " + range));
        }

        @Test
        void of_a_database_never_show_its_password() {
            flags.put(Setting.STORE, "postgres:/ann:secret@db");
            flags.put(Setting.READ_DATABASE_URL, "postgres://ann:secret@db/jobs");
            assertThat(problems())
                    .hasSize(2)
                    .noneMatch(problem -> problem.toString().contains("secret"));
        }

        @Test
        void are_an_address_for_metrics_without_a_port() {
            flags.put(Setting.METRICS_HOST, "0.0.0.0");
            assertThat(problems()).singleElement().asString().contains("--metrics-host", "--metrics-port");
        }

        @Test
        void are_a_file_that_does_not_exist() {
            flags.put(Setting.CONFIG, directory.resolve("none.properties").toString());
            assertThat(problems()).singleElement().extracting(FieldError::field).isEqualTo("--config");
        }

        @Test
        void are_a_worker_whose_jobs_no_client_could_submit() {
            flags.put(Setting.STORE, "memory");
            var failure = catchThrowableOfType(LonghaulException.class, () -> new LaunchSettings(settings()).worker());
            assertThat(failure.errors())
                    .singleElement()
                    .extracting(FieldError::field)
                    .isEqualTo("--store");
        }

        @Test
        void are_a_worker_without_a_database() {
            var failure = catchThrowableOfType(LonghaulException.class, () -> new LaunchSettings(settings()).worker());
            assertThat(failure).hasMessageStartingWith("--store: missing (expected: postgres://");
        }

        @Test
        void are_found_without_starting_anything() {
            environment.put("LONGHAUL_SLOTS", "zero");
            environment.put("LONGHAUL_STORE", "foo");
            environment.put("LONGHAUL_LOG", "loud");
            environment.put("LONGHAUL_DRAIN", "5s");
            SettingsCheck check = SettingsCheck.of(environment, null);
            assertThat(check.given()).contains("LONGHAUL_DRAIN");
            assertThat(check.problems())
                    .extracting(FieldError::field)
                    .containsExactlyInAnyOrder("LONGHAUL_SLOTS", "LONGHAUL_STORE", "LONGHAUL_LOG");
        }

        @Test
        void of_the_store_are_found_without_checking_other_settings() {
            environment.put("LONGHAUL_SLOTS", "zero");
            assertThat(StoreConfig.of(environment, null, null)).isNull();
            environment.put("LONGHAUL_DATA_DIR", "here");
            var here = new StoreConfig.Embedded(Path.of("here"));
            assertThat(StoreConfig.of(environment, null, null)).isEqualTo(here);
            environment.put("LONGHAUL_STORE", "postgres://db/jobs");
            assertThat(StoreConfig.of(environment, null, null))
                    .isEqualTo(new StoreConfig.Postgres("jdbc:postgresql://db/jobs", null));
            assertThat(StoreConfig.of(environment, "embedded", null)).isEqualTo(here);
            environment.put("LONGHAUL_STORE", "foo");
            assertThat(catchThrowableOfType(LonghaulException.class, () -> StoreConfig.of(environment, null, null))
                            .errors())
                    .extracting(FieldError::field)
                    .containsExactly("LONGHAUL_STORE");
        }

        @Test
        void are_settings_that_the_command_does_not_accept() throws IOException {
            flags.put(Setting.CONFIG, file("host=0.0.0.0"));
            var settings = Settings.of(Set.of(Setting.PORT, Setting.CONFIG), flags, environment);
            var failure = catchThrowableOfType(LonghaulException.class, settings::throwIfWrong);
            assertThat(failure)
                    .hasMessageContaining("host in longhaul.properties: 0.0.0.0")
                    .hasMessageContaining("port");
        }
    }

    private String file(String text) throws IOException {
        String file = Files.writeString(directory.resolve("longhaul.properties"), text)
                .toString();
        flags.put(Setting.CONFIG, file);
        return file;
    }

    private Settings settings() {
        return Settings.of(ALL, flags, environment);
    }

    private LaunchConfig server() {
        return new LaunchSettings(settings()).server();
    }

    private List<FieldError> problems() {
        var failure = catchThrowableOfType(LonghaulException.class, this::server);
        assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        return failure.errors();
    }
}
