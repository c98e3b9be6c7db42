package dev.longhaul.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The deployment files: the launcher of the distribution, the systemd unit, the Kubernetes manifests. */
@Timeout(120)
class DeployTest {
    private static final Path DEPLOY = Path.of("..", "deploy");
    private static final Map<String, Class<? extends HasMetadata>> KINDS = Map.of(
            "Secret", Secret.class,
            "Service", Service.class,
            "Deployment", Deployment.class,
            "PodDisruptionBudget", PodDisruptionBudget.class);

    /** Rejects unknown fields, which the models would otherwise keep. */
    private static final ObjectMapper STRICT = new ObjectMapper()
            .setAnnotationIntrospector(new JacksonAnnotationIntrospector() {
                private static final long serialVersionUID = 1;

                @Override
                public Boolean hasAnyGetter(Annotated annotated) {
                    return false;
                }
            });

    private static List<HasMetadata> manifests() throws IOException {
        var found = new ArrayList<HasMetadata>();
        var yaml = new YAMLFactory();
        try (var documents = new ObjectMapper(yaml)
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(yaml.createParser(
                        DEPLOY.resolve("kubernetes/longhaul.yaml").toFile()))) {
            while (documents.hasNext()) {
                JsonNode document = documents.next();
                Class<? extends HasMetadata> kind =
                        KINDS.get(document.path("kind").asText());
                assertThat(kind).as(document.path("kind").asText()).isNotNull();
                HasMetadata read = new ObjectMapper().convertValue(document, kind);
                missing("", document, STRICT.valueToTree(read));
                found.add(read);
            }
        }
        return found;
    }

    /** Checks that the type has every field of the file. */
    private static void missing(String path, JsonNode file, JsonNode typed) {
        if (file.isObject()) {
            file.properties().forEach(entry -> {
                JsonNode known = typed.get(entry.getKey());
                assertThat(known).as(path + "/" + entry.getKey()).isNotNull();
                missing(path + "/" + entry.getKey(), entry.getValue(), known);
            });
        } else if (file.isArray()) {
            for (int i = 0; i < file.size(); i++) {
                missing(path + "/" + i, file.get(i), typed.get(i));
            }
        }
    }

    @Test
    void manifests_are_valid_and_consistent() throws IOException {
        List<HasMetadata> all = manifests();
        Service service = one(all, Service.class);
        Secret secret = one(all, Secret.class);
        List<Deployment> deployments = all.stream()
                .filter(Deployment.class::isInstance)
                .map(Deployment.class::cast)
                .toList();
        assertThat(deployments).hasSize(2);
        for (Deployment deployment : deployments) {
            var template = deployment.getSpec().getTemplate();
            assertThat(template.getMetadata().getLabels())
                    .containsAllEntriesOf(deployment.getSpec().getSelector().getMatchLabels());
            Container container = template.getSpec().getContainers().get(0);
            container.getEnv().stream()
                    .filter(variable -> variable.getValueFrom() != null)
                    .forEach(variable -> assertThat(secret.getStringData())
                            .containsKey(
                                    variable.getValueFrom().getSecretKeyRef().getKey()));
            assertThat(container.getLivenessProbe().getHttpGet().getPath()).isEqualTo("/healthz");
            assertThat(container.getArgs().stream().filter(word -> word.startsWith("--role=")))
                    .as("the API responds to the probes")
                    .allMatch(role -> role.contains("api"))
                    .hasSize(1);
            String scraped = template.getMetadata().getAnnotations().get("prometheus.io/port");
            assertThat(container.getArgs()).contains("--metrics-port=" + scraped);
            assertThat(container.getPorts())
                    .anyMatch(port -> port.getName().equals("metrics")
                            && port.getContainerPort().toString().equals(scraped));
            assertThat(container.getSecurityContext().getAllowPrivilegeEscalation())
                    .isFalse();
        }
        Deployment server = deployments.get(0);
        assertThat(server.getSpec().getTemplate().getMetadata().getLabels())
                .containsAllEntriesOf(service.getSpec().getSelector());
        Container container =
                server.getSpec().getTemplate().getSpec().getContainers().get(0);
        assertThat(container.getReadinessProbe().getHttpGet().getPath()).isEqualTo("/readyz");
        assertThat(container.getPorts().get(0).getName())
                .isEqualTo(service.getSpec().getPorts().get(0).getTargetPort().getStrVal());
        assertThat(one(all, PodDisruptionBudget.class).getSpec().getSelector().getMatchLabels())
                .isEqualTo(server.getSpec().getSelector().getMatchLabels());
    }

    private static <T extends HasMetadata> T one(List<HasMetadata> all, Class<T> kind) {
        return all.stream().filter(kind::isInstance).map(kind::cast).findFirst().orElseThrow();
    }

    /** The command line accepts every argument in the manifests and the unit. */
    @Test
    void commands_are_accepted() throws IOException {
        var commands = new HashMap<String, List<String>>();
        manifests().stream()
                .filter(Deployment.class::isInstance)
                .map(Deployment.class::cast)
                .forEach(deployment -> commands.put(
                        deployment.getMetadata().getName(),
                        deployment
                                .getSpec()
                                .getTemplate()
                                .getSpec()
                                .getContainers()
                                .get(0)
                                .getArgs()));
        String unit = Files.readString(DEPLOY.resolve("systemd/longhaul.service"));
        String start = unit.lines()
                .filter(line -> line.startsWith("ExecStart="))
                .findFirst()
                .orElseThrow();
        commands.put("unit", List.of(start.replaceFirst("ExecStart=\\S+ ", "").split(" ", -1)));
        var nowhere = new PrintWriter(Writer.nullWriter());
        commands.forEach((name, words) -> assertThatCode(
                        () -> Main.commandLine(nowhere, nowhere).parseArgs(words.toArray(String[]::new)))
                .as(name)
                .doesNotThrowAnyException());
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the launcher is a POSIX shell script")
    void the_launcher_runs_from_wherever_it_was_unpacked(@TempDir Path directory) throws Exception {
        Path home = Files.createDirectories(directory.resolve("some where"));
        Files.createDirectories(home.resolve("lib"));
        Path script = Files.createDirectories(home.resolve("bin")).resolve("longhaul");
        Files.copy(Path.of("src", "tar", "bin", "longhaul"), script);
        script.toFile().setExecutable(true);
        Checkout.writeJar(home.resolve("lib").resolve("longhaul.jar"), StandIn.class);
        Path link = Files.createSymbolicLink(directory.resolve("linked"), script);

        var process = new ProcessBuilder(link.toString(), "one", "two words")
                .directory(directory.toFile())
                .redirectErrorStream(true);
        process.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process started = process.start();
        assertThat(new String(started.getInputStream().readAllBytes(), UTF_8)).isEqualTo("<one>\n<two words>\n");
        assertThat(started.waitFor()).isZero();
    }
}
