package dev.longhaul.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
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
    void the_compose_file_fits_that_of_compose() throws Exception {
        String compose = Files.readString(Path.of("..", "deploy", "compose", "compose.yaml"));
        assertThat(validate("compose", documents(compose).get(0))).isEqualTo("1 valid");
        assertThat(validate(
                        "compose",
                        documents(compose.replace("  restart:", "  restrt:")).get(0)))
                .contains("\"additionalProperty\":\"restrt\"");
    }
}
