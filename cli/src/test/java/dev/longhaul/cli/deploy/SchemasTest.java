package dev.longhaul.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.longhaul.Isolation;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.kubernetes.job.JobManifest;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * The rendered chart and the compose file against published schemas, by npm packages: Kubernetes' OpenAPI with required
 * fields and types, KEDA, the Prometheus operator, the Compose specification.
 */
@Tag("full")
@Timeout(300)
@EnabledOnOs(value = OS.LINUX, architectures = "amd64", disabledReason = "the native Helm library is for linux amd64")
class SchemasTest {
    private static final Path PROJECT = Path.of("target", "schemas").toAbsolutePath();

    @TempDir
    private Path directory;

    @BeforeEach
    void install() throws Exception {
        Files.createDirectories(PROJECT);
        for (String file : List.of("package.json", "validate.js")) {
            try (var source = Objects.requireNonNull(SchemasTest.class.getResourceAsStream(file))) {
                Files.copy(source, PROJECT.resolve(file), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        if (!Files.exists(PROJECT.resolve("node_modules/kubernetes-models"))) {
            String output = run("npm", "install", "--no-package-lock", "--no-audit", "--no-fund");
            assumeTrue(
                    Files.exists(PROJECT.resolve("node_modules/kubernetes-models")),
                    "SKIPPED: npm could not install the schemas: " + output);
        }
    }

    private static String run(String... command) throws InterruptedException {
        try (var started = new Started(new ProcessBuilder(command).directory(PROJECT.toFile()))) {
            started.exitCode();
            return started.output();
        } catch (UncheckedIOException e) {
            assumeTrue(false, "SKIPPED: " + command[0] + " is not installed");
            throw e;
        }
    }

    private static String validate(String kind, Object content) throws IOException, InterruptedException {
        Path file = PROJECT.resolve(kind + ".json");
        new ObjectMapper().writeValue(file.toFile(), content);
        return run("node", "validate.js", kind, file.toString());
    }

    private static List<Object> documents(String yaml) {
        var documents = new ArrayList<Object>();
        new Yaml().loadAll(yaml).forEach(documents::add);
        documents.removeIf(Objects::isNull);
        return documents;
    }

    @Test
    void the_chart_fits_those_of_kubernetes_keda_and_the_prometheus_operator() throws Exception {
        String rendered = Chart.withHooks(directory).with("keda-values.yaml").render(Chart.NAMESPACE);
        List<Object> manifests = documents(rendered);
        assertThat(validate("kubernetes", manifests)).isEqualTo(manifests.size() + " valid");
        assertThat(rendered).contains("kind: ScaledObject", "kind: ServiceMonitor", "kind: NetworkPolicy", "kind: Job");
        String broken = rendered.replace("  selector:\n    matchLabels:", "  chooser:\n    matchLabels:")
                .replace("- type: metrics-api", "- kind: metrics-api");
        assertThat(validate("kubernetes", documents(broken)))
                .contains("must have required property selector", "must have required property type");
    }

    @Test
    void the_role_of_workers_and_the_example_fit() throws Exception {
        for (Path file : List.of(
                Path.of("..", "kubernetes", "role.yaml"), Path.of("..", "deploy", "kubernetes", "longhaul.yaml"))) {
            List<Object> manifests = documents(Files.readString(file));
            assertThat(validate("kubernetes", manifests)).isEqualTo(manifests.size() + " valid");
        }
        String broken =
                Files.readString(Path.of("..", "kubernetes", "role.yaml")).replace("roleRef:", "role:");
        assertThat(validate("kubernetes", documents(broken))).contains("must have required property roleRef");
    }

    @Test
    void the_job_and_the_secret_of_a_run_fit() throws Exception {
        try (var store = new MemoryStore()) {
            store.jobs()
                    .insert(List.of(
                            JobSpec.of(new DefinitionRef("report", 1), "{}").build()));
            ClaimedJob claimed = store.work()
                    .claim(ClaimRequest.of("worker", List.of(JobSpec.DEFAULT_QUEUE), null, 1, Duration.ofSeconds(15)))
                    .get(0);
            var pod = Isolation.pod("registry.example.org/report:3")
                    .memory("512m")
                    .cpu(0.5)
                    .serviceAccount("reports");
            var manifests = new ArrayList<Object>();
            for (String task : new String[] {null, "{}"}) {
                var manifest = new JobManifest(
                        "longhaul",
                        claimed.claim(),
                        claimed.job(),
                        "worker",
                        pod,
                        List.of("render", "--all"),
                        Map.of("REGION", "eu"),
                        Duration.ofSeconds(30),
                        task);
                Job job = manifest.toJob(null);
                job.getMetadata().setUid("0c7f3a70-0000-4000-8000-000000000000");
                manifests.add(new Yaml().load(Serialization.asJson(job)));
                manifests.add(new Yaml().load(Serialization.asJson(manifest.toSecret(job))));
            }
            assertThat(validate("kubernetes", manifests)).isEqualTo("4 valid");
        }
    }

    @Test
    void the_compose_file_fits_that_of_compose() throws Exception {
        String compose = Files.readString(Path.of("..", "deploy", "compose", "compose.yaml"));
        assertThat(validate("compose", documents(compose).get(0))).isEqualTo("1 valid");
        assertThat(validate(
                        "compose",
                        documents(compose.replace("  restart:", "  restrt:")).get(0)))
                .contains("\"additionalProperty\":\"restrt\"");
    }
}
