package dev.longhaul.cli.deploy;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.longhaul.Longhaul;
import dev.longhaul.cli.Main;
import dev.longhaul.kubernetes.cluster.Right;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.ServerConfig;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The Helm chart, rendered by Helm: valid manifests that fit each other, the image and the command line. */
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, architectures = "amd64", disabledReason = "the native Helm library is for linux amd64")
class ChartTest {
    private static final Path PLAIN = Path.of("..", "deploy", "kubernetes", "longhaul.yaml");
    private static final Pattern VALUE_ROW = Pattern.compile("^\\| `([A-Za-z.]+)` \\| ([^|]*)\\|", Pattern.MULTILINE);

    @Test
    void passes_lint() {
        assertThat(Chart.lint().isFailed())
                .as(Chart.lint().getMessages().toString())
                .isFalse();
    }

    /** For users without Helm. Without the hook: the first server migrates the schema. */
    @Test
    void is_also_available_as_plain_manifests() throws IOException {
        String rendered = new Chart()
                .render("default")
                .replaceAll("(?m)^# Source: .*\n", "")
                .replaceAll("(?m)^ *(helm.sh/chart|app.kubernetes.io/managed-by): .*\n", "");
        String plain = """
                # Longhaul on Kubernetes without Helm. Printed by ChartTest from deploy/helm/longhaul with its default values; do not edit.
                # Set the image, create the secret (deploy/helm/longhaul/README.md), then: kubectl apply -f longhaul.yaml
                """ + rendered;
        if ("write".equals(System.getProperty("longhaul.docs"))) {
            Files.writeString(PLAIN, plain);
        }
        assertThat(PLAIN)
                .as("%s (rewrite it: -Dtest=ChartTest -Dlonghaul.docs=write)", PLAIN)
                .hasContent(plain);
        assertThat(Manifests.read(plain).pods()).hasSize(2);
    }

    @Nested
    class Manifest {
        @TempDir
        private Path directory;

        private String rendered = "";
        private Manifests all = Manifests.read("");

        @BeforeEach
        void render() {
            rendered = Chart.withHooks(directory)
                    .with("keda-values.yaml")
                    .with(Map.of(
                            "ingress.enabled", true, "ingress.host", "jobs.example.com", "ingress.tlsSecret", "tls"))
                    .render(Chart.NAMESPACE);
            all = Manifests.read(rendered);
        }

        @Test
        void of_every_pod_is_locked_down() {
            assertThat(all.pods().size()).isEqualTo(4);
            assertThat(all.pods()).allSatisfy(pod -> {
                assertThat(pod.getSpec().getSecurityContext().getRunAsNonRoot()).isTrue();
                assertThat(pod.getSpec()
                                .getSecurityContext()
                                .getSeccompProfile()
                                .getType())
                        .isEqualTo("RuntimeDefault");
                assertThat(pod.getSpec().getAutomountServiceAccountToken()).isFalse();
                Container container = pod.getSpec().getContainers().get(0);
                assertThat(container.getSecurityContext().getReadOnlyRootFilesystem())
                        .isTrue();
                assertThat(container.getSecurityContext().getAllowPrivilegeEscalation())
                        .isFalse();
                assertThat(container.getSecurityContext().getCapabilities().getDrop())
                        .containsExactly("ALL");
                assertThat(container.getResources().getRequests()).containsKeys("cpu", "memory");
                assertThat(container.getVolumeMounts())
                        .as("the one directory that the image writes")
                        .anyMatch(mount -> mount.getMountPath().equals("/tmp"));
            });
        }

        @Test
        void selectors_find_their_pods_and_no_others() {
            for (Deployment deployment : all.all(Deployment.class)) {
                Map<String, String> selector =
                        deployment.getSpec().getSelector().getMatchLabels();
                assertThat(all.pods().stream()
                                .filter(pod ->
                                        pod.getMetadata().getLabels().entrySet().containsAll(selector.entrySet())))
                        .containsExactly(deployment.getSpec().getTemplate());
                PodDisruptionBudget budget = all.named(
                        PodDisruptionBudget.class, deployment.getMetadata().getName());
                assertThat(budget.getSpec().getSelector().getMatchLabels()).isEqualTo(selector);
            }
            assertThat(all.named(Deployment.class, "longhaul-server")
                            .getSpec()
                            .getSelector()
                            .getMatchLabels())
                    .isEqualTo(all.named(Service.class, "longhaul").getSpec().getSelector());
        }

        @Test
        void probes_are_those_that_the_ports_serve() {
            for (Deployment deployment : all.all(Deployment.class)) {
                Container container = deployment
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .get(0);
                assertThat(container.getArgs()).contains("--metrics-port=9090", "--metrics-host=0.0.0.0");
                assertThat(container.getLivenessProbe().getHttpGet().getPath()).isEqualTo("/healthz");
                assertThat(container.getReadinessProbe().getHttpGet().getPath()).isEqualTo("/readyz");
                List<String> ports = container.getPorts().stream()
                        .map(port -> port.getName())
                        .toList();
                for (var probe : List.of(
                        container.getStartupProbe(), container.getLivenessProbe(), container.getReadinessProbe())) {
                    assertThat(ports).contains(probe.getHttpGet().getPort().getStrVal());
                }
                assertThat(container.getPorts())
                        .anyMatch(port -> port.getName().equals("metrics") && port.getContainerPort() == 9090);
            }
        }

        @Test
        void pods_have_time_to_drain() {
            for (Deployment deployment : all.all(Deployment.class)) {
                var pod = deployment.getSpec().getTemplate().getSpec();
                String drain = pod.getContainers().get(0).getArgs().stream()
                        .filter(word -> word.startsWith("--drain="))
                        .findFirst()
                        .orElseThrow();
                assertThat(pod.getTerminationGracePeriodSeconds())
                        .isEqualTo(Long.parseLong(drain.replaceAll("[^0-9]", "")) + 60);
            }
        }

        @Test
        void refers_to_secrets_and_contains_none() {
            assertThat(rendered).doesNotContain("kind: Secret", "replace-me", "password");
            assertThat(all.pods()).allSatisfy(pod -> {
                var store = pod.getSpec().getContainers().get(0).getEnv().get(0);
                assertThat(store.getName()).isEqualTo("LONGHAUL_STORE");
                assertThat(store.getValueFrom().getSecretKeyRef().getName()).isEqualTo("longhaul");
                assertThat(store.getValueFrom().getSecretKeyRef().getKey()).isEqualTo("store");
            });
        }

        @Test
        void commands_are_accepted() {
            var nowhere = new PrintWriter(Writer.nullWriter());
            all.pods().stream()
                    .map(pod -> pod.getSpec().getContainers().get(0).getArgs())
                    .forEach(words -> assertThatCode(
                                    () -> Main.commandLine(nowhere, nowhere).parseArgs(words.toArray(String[]::new)))
                            .as(words.toString())
                            .doesNotThrowAnyException());
        }

        @Test
        void migrates_before_an_installation_and_an_upgrade() {
            Job job = all.named(Job.class, "longhaul-migrate");
            assertThat(job.getMetadata().getAnnotations()).containsEntry("hook", "pre-install,pre-upgrade");
            assertThat(job.getSpec()
                            .getTemplate()
                            .getSpec()
                            .getContainers()
                            .get(0)
                            .getArgs())
                    .containsExactly("migrate");
        }

        @Test
        void only_prometheus_reaches_the_metrics_which_need_no_key() {
            for (NetworkPolicy policy : all.all(NetworkPolicy.class)) {
                assertThat(policy.getSpec().getIngress())
                        .filteredOn(rule ->
                                rule.getPorts().get(0).getPort().getStrVal().equals("metrics"))
                        .singleElement()
                        .satisfies(rule -> assertThat(rule.getFrom()).isNotEmpty());
            }
            assertThat(all.all(NetworkPolicy.class)).hasSize(2);
            assertThat(all.named(Service.class, "longhaul").getSpec().getPorts())
                    .extracting(port -> port.getName())
                    .containsExactly("http");
            JsonNode monitor = custom("ServiceMonitor");
            assertThat(all.named(Service.class, "longhaul-metrics")
                            .getMetadata()
                            .getLabels())
                    .containsAllEntriesOf(new ObjectMapper()
                            .convertValue(
                                    monitor.at("/spec/selector/matchLabels"),
                                    new TypeReference<Map<String, String>>() {}));
        }

        @Test
        void ingress_host_is_a_host_that_the_server_accepts() {
            assertThat(all.named(Ingress.class, "longhaul")
                            .getSpec()
                            .getRules()
                            .get(0)
                            .getHost())
                    .isEqualTo("jobs.example.com");
            assertThat(serverHosts()).contains("jobs.example.com");
        }

        private List<String> serverHosts() {
            return all
                    .named(Deployment.class, "longhaul-server")
                    .getSpec()
                    .getTemplate()
                    .getSpec()
                    .getContainers()
                    .get(0)
                    .getArgs()
                    .stream()
                    .filter(word -> word.startsWith("--allowed-hosts="))
                    .flatMap(word -> List.of(word.substring(16).split(",", -1)).stream())
                    .toList();
        }

        private JsonNode custom(String kind) {
            return all.custom().stream()
                    .filter(one -> one.get("kind").asText().equals(kind))
                    .findFirst()
                    .orElseThrow();
        }

        /** The request that KEDA would send, to a real server. */
        @Test
        void keda_scales_to_zero_by_a_response_of_the_server() throws Exception {
            JsonNode scaled = custom("ScaledObject").get("spec");
            assertThat(scaled.get("minReplicaCount").asInt()).isZero();
            assertThat(all.named(
                                    Deployment.class,
                                    scaled.at("/scaleTargetRef/name").asText())
                            .getSpec()
                            .getReplicas())
                    .as("not set by the chart, or an upgrade would reset it")
                    .isNull();
            JsonNode trigger = scaled.at("/triggers/0");
            assertThat(trigger.at("/authenticationRef/name").asText())
                    .isEqualTo(
                            custom("TriggerAuthentication").at("/metadata/name").asText());
            URI url = URI.create(trigger.at("/metadata/url").asText());
            assertThat(serverHosts()).contains(url.getHost());
            try (var longhaul = Longhaul.builder().memory().start();
                    var server = LonghaulServer.start(longhaul, ServerConfig.LOCAL.withDrain(Duration.ZERO))) {
                var there = URI.create("http://127.0.0.1:" + server.port() + url.getPath() + "?" + url.getQuery());
                var response = HttpClient.newHttpClient()
                        .send(HttpRequest.newBuilder(there).build(), BodyHandlers.ofString());
                assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
                JsonNode value = new ObjectMapper()
                        .readTree(response.body())
                        .get(trigger.at("/metadata/valueLocation").asText());
                assertThat(value.isIntegralNumber()).isTrue();
                assertThat(value.asInt()).isZero();
            }
        }
    }

    @Test
    void scales_by_cpu_without_keda() {
        var all = Manifests.read(
                new Chart().with(Map.of("worker.autoscaling.type", "hpa")).render(Chart.NAMESPACE));
        assertThat(all.named(HorizontalPodAutoscaler.class, "longhaul-worker-default")
                        .getSpec()
                        .getScaleTargetRef()
                        .getName())
                .isEqualTo("longhaul-worker-default");
    }

    /** The role of the chart and the role without it grant what workers check for, and nothing else. */
    @Test
    void workers_with_pods_get_exactly_the_rights_that_they_need(@TempDir Path directory) throws IOException {
        var all = rendered(
                directory,
                "worker: {pods: {enabled: true, namespace: pods, images: [\"example.org/*\"], keySecret: pod-key}}");
        Role role = all.named(Role.class, "longhaul-worker-default");
        assertThat(role.getMetadata().getNamespace()).isEqualTo("pods");
        var expected = Right.ALL.stream().map(Right::toString).collect(toCollection(TreeSet::new));
        assertThat(rights(role)).isEqualTo(expected);
        Role plain = Manifests.read(Files.readString(Path.of("..", "kubernetes", "role.yaml")))
                .named(Role.class, "longhaul-worker");
        assertThat(rights(plain)).isEqualTo(expected);
        var binding = all.named(RoleBinding.class, "longhaul-worker-default");
        var pod = all.named(Deployment.class, "longhaul-worker-default")
                .getSpec()
                .getTemplate()
                .getSpec();
        assertThat(binding.getSubjects().get(0).getName()).isEqualTo(pod.getServiceAccountName());
        assertThat(pod.getAutomountServiceAccountToken()).isTrue();
        assertThat(pod.getContainers().get(0).getArgs())
                .contains("--kubernetes=auto", "--namespace=pods", "--pod-images=example.org/*")
                .contains("--pod-server=http://longhaul.jobs.svc:80", "--pod-server-key-file=/etc/longhaul/pods/key");
        var nowhere = new PrintWriter(Writer.nullWriter());
        String[] words = pod.getContainers().get(0).getArgs().toArray(String[]::new);
        assertThatCode(() -> Main.commandLine(nowhere, nowhere).parseArgs(words))
                .doesNotThrowAnyException();
    }

    private static Set<String> rights(Role role) {
        return role.getRules().stream()
                .flatMap(rule -> rule.getVerbs().stream()
                        .map(verb -> verb + " " + rule.getResources().get(0)))
                .collect(toCollection(TreeSet::new));
    }

    private static Manifests rendered(Path directory, String values) throws IOException {
        Path file = Files.writeString(directory.resolve("own.yaml"), values);
        return Manifests.read(new Chart().with(file.toAbsolutePath().toString()).render(Chart.NAMESPACE));
    }

    /** A rule with an empty list of peers would admit all of them. */
    @Test
    void no_peer_reaches_the_metrics_if_none_is_listed(@TempDir Path directory) throws IOException {
        var policies = rendered(directory, "networkPolicy: {metricsFrom: []}").all(NetworkPolicy.class);
        assertThat(policies).hasSize(2).allSatisfy(policy -> {
            assertThat(policy.getSpec().getPolicyTypes()).containsExactly("Ingress");
            assertThat(policy.getSpec().getIngress())
                    .noneMatch(
                            rule -> rule.getPorts().get(0).getPort().getStrVal().equals("metrics"));
        });
    }

    @Test
    void only_workers_with_a_service_account_get_its_token(@TempDir Path directory) throws IOException {
        var all = rendered(directory, "workers: {pods: {serviceAccountName: longhaul-worker}}");
        assertThat(all.all(Deployment.class)).hasSize(3).allSatisfy(deployment -> {
            var pod = deployment.getSpec().getTemplate().getSpec();
            boolean pods = deployment.getMetadata().getName().equals("longhaul-worker-pods");
            assertThat(pod.getAutomountServiceAccountToken()).isEqualTo(pods);
            assertThat(pod.getServiceAccountName()).isEqualTo(pods ? "longhaul-worker" : null);
        });
    }

    @Test
    void further_volumes_are_mounted(@TempDir Path directory) throws IOException {
        String volumes = """
                %s:
                  extraVolumes: [{name: ca, secret: {secretName: ca}}]
                  extraVolumeMounts: [{name: ca, mountPath: /etc/ca, readOnly: true}]
                """;
        var all = rendered(directory, volumes.formatted("server") + volumes.formatted("worker"));
        assertThat(all.pods()).hasSize(2).allSatisfy(pod -> {
            assertThat(pod.getSpec().getVolumes())
                    .anyMatch(volume -> volume.getName().equals("ca")
                            && volume.getSecret().getSecretName().equals("ca"));
            assertThat(pod.getSpec().getContainers().get(0).getVolumeMounts())
                    .anyMatch(mount ->
                            mount.getName().equals("ca") && mount.getMountPath().equals("/etc/ca"));
        });
    }

    @Test
    void scaling_counts_the_slots_that_the_queues_may_use(@TempDir Path directory) throws IOException {
        String values = "workers: {default: {queues: [%s], slots: 8, autoscaling: {type: keda}}}";
        Map.of("'a:2', 'b:3'", 5, "'a:2', b", 8, "'a:20'", 8, "a", 8).forEach((queues, slots) -> {
            try {
                assertThat(rendered(directory, values.formatted(queues))
                                .custom()
                                .toString())
                        .contains("&slotsPerWorker=" + slots + "&");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Nested
    class Values {
        @Test
        void are_rejected_if_unknown_or_wrong() {
            for (Map<String, Object> wrong : List.<Map<String, Object>>of(
                    Map.of("server.replica", 3),
                    Map.of("workers.mail.slot", 3),
                    Map.of("worker.autoscaling.type", "magic"),
                    Map.of("worker.autoscaling.targetSeconds", 86_401),
                    Map.of("worker.slots", 0))) {
                assertThatThrownBy(() -> new Chart().with(wrong).render(Chart.NAMESPACE))
                        .as(wrong.toString())
                        .hasMessageContaining("schema");
            }
        }

        @Test
        void are_all_in_the_readme_with_their_defaults() throws IOException {
            JsonNode values = new ObjectMapper(new YAMLFactory())
                    .readTree(Chart.HOME.resolve("values.yaml").toFile());
            var documented = new TreeSet<String>();
            String readme = Files.readString(Chart.HOME.resolve("README.md"));
            var rows = VALUE_ROW.matcher(readme.substring(readme.indexOf("## Values")));
            while (rows.find()) {
                documented.add(rows.group(1));
                JsonNode value = values.at("/" + rows.group(1).replace('.', '/'));
                String shown = rows.group(2).strip().replace("`", "");
                if (value.isValueNode()) {
                    assertThat(shown).as(rows.group(1)).isEqualTo(value.asText());
                }
            }
            assertThat(documented).isEqualTo(leaves("", values).stream().collect(toCollection(TreeSet::new)));
        }

        /** The names of all values; maps that users fill in, resources and lists are one value. */
        private List<String> leaves(String name, JsonNode value) {
            boolean whole =
                    !value.isObject() || value.isEmpty() || name.endsWith("resources") || name.equals("workers");
            if (whole) {
                return List.of(name);
            }
            return value.properties().stream()
                    .flatMap(entry ->
                            leaves(name.isEmpty() ? entry.getKey() : name + "." + entry.getKey(), entry.getValue())
                                    .stream())
                    .toList();
        }
    }
}
