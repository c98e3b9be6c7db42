package dev.longhaul.kubernetes;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that {@code LONGHAUL_TEST_KUBECONFIG} names. Creates the namespaces {@code jobs} and {@code lh-test-quota} and
 * deletes what it ran there. Its pods run {@code LONGHAUL_TEST_IMAGE} (busybox), which the nodes must be able to pull.
 */
final class RealCluster implements TestCluster {
    static final String KUBECONFIG = "LONGHAUL_TEST_KUBECONFIG";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String JOBS = "jobs";
    private static final String FULL = "lh-test-quota";

    private final KubernetesClient client;
    private final SharedIndexInformer<Pod> evicting;
    private @Nullable Path template;

    private RealCluster(KubernetesClient client) {
        this.client = client;
        for (String namespace : List.of(JOBS, FULL)) {
            Namespace wanted = new NamespaceBuilder()
                    .withNewMetadata()
                    .withName(namespace)
                    .endMetadata()
                    .build();
            client.namespaces().resource(wanted).serverSideApply();
        }
        var none = new ResourceQuotaBuilder()
                .withNewMetadata()
                .withName("none")
                .endMetadata()
                .withNewSpec()
                .addToHard("pods", new Quantity("0"))
                .endSpec()
                .build();
        client.resourceQuotas().inNamespace(FULL).resource(none).serverSideApply();
        this.evicting = client.pods()
                .inNamespace(JOBS)
                .withLabel("longhaul.dev/definition", "evicted")
                .inform(new Evicting());
    }

    static boolean configured() {
        String path = System.getenv(KUBECONFIG);
        return path != null && !path.isBlank();
    }

    /** The image of pods: on a real cluster one that exists. */
    static String image(String simulated) {
        return configured() ? System.getenv().getOrDefault("LONGHAUL_TEST_IMAGE", "busybox:1.37") : simulated;
    }

    /** The cluster; without one, the test is skipped. */
    static RealCluster open() {
        if (!configured()) {
            System.out.println(
                    "SKIPPED: tests on a real cluster need " + KUBECONFIG + ", the path of a kubeconfig file");
        }
        assumeTrue(configured(), "tests on a real cluster need " + KUBECONFIG);
        return at(Path.of(System.getenv(KUBECONFIG)));
    }

    static RealCluster at(Path kubeconfig) {
        Config config = Config.fromKubeconfig(new File(kubeconfig.toString()));
        config.setHttp2Disable(true);
        config.setOnlyHttpWatches(true);
        return new RealCluster(new KubernetesClientBuilder()
                .withConfig(config)
                .withHttpClientFactory(new JdkHttpClientFactory())
                .build());
    }

    /** Evicts pods once their container runs, as a node drain does. */
    private final class Evicting implements ResourceEventHandler<Pod> {
        @Override
        public void onAdd(Pod pod) {
            evict(pod);
        }

        @Override
        public void onUpdate(Pod before, Pod pod) {
            evict(pod);
        }

        @Override
        public void onDelete(Pod pod, boolean unknown) {}

        private void evict(Pod pod) {
            if (Objects.equals(pod.getStatus().getPhase(), "Running")
                    && pod.getMetadata().getDeletionTimestamp() == null) {
                client.pods().resource(pod).evict();
            }
        }
    }

    @Override
    public Path kubeconfig(Path directory) {
        try {
            // The image's user may be root, and pods run as another one.
            template = Files.writeString(directory.resolve("template.yaml"), """
                    spec:
                      securityContext: {runAsNonRoot: true, runAsUser: 65534, seccompProfile: {type: RuntimeDefault}}
                    """);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Path.of(System.getenv(KUBECONFIG));
    }

    @Override
    public UnaryOperator<PodSettings> settings() {
        return settings -> settings.withTemplate(template);
    }

    @Override
    public Duration startTimeout() {
        return Duration.ofSeconds(60);
    }

    @Override
    public JobDefinition<JsonNode, JsonNode> faulty(String fault) {
        Isolation.InPod pod = Isolation.pod(PodBench.IMAGE).memory("64m");
        return switch (fault) {
            case "oom" -> PodBench.definition(fault, pod, "tail /dev/zero");
            case "image-pull" -> PodBench.definition(fault, Isolation.pod("registry.invalid/none:1"));
            case "invalid-name" -> PodBench.definition(fault, Isolation.pod("Invalid Name:x"));
            case "unschedulable" -> PodBench.definition(fault, pod.memory("9000g"));
            case "quota" -> PodBench.definition(fault, pod.namespace(FULL));
            case "no-account" -> PodBench.definition(fault, pod.serviceAccount("none"));
            case "unprocessable" -> PodBench.definition(fault, pod.environment("not=allowed", "x"));
            case "forbidden" -> PodBench.definition(fault, pod.namespace("lh-test-no-namespace"));
            default -> PodBench.definition(fault, pod);
        };
    }

    @Override
    public List<ObjectNode> jobs(String namespace) {
        return nodes(client.batch().v1().jobs().inNamespace(namespace).list().getItems().stream());
    }

    @Override
    public List<ObjectNode> pods(String namespace) {
        return nodes(client.pods().inNamespace(namespace).list().getItems().stream());
    }

    @Override
    public List<ObjectNode> secrets(String namespace) {
        return nodes(client.secrets().inNamespace(namespace).list().getItems().stream());
    }

    private static List<ObjectNode> nodes(Stream<? extends HasMetadata> objects) {
        return objects.map(object -> {
                    try {
                        return (ObjectNode) JSON.readTree(Serialization.asJson(object));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .toList();
    }

    @Override
    public void deletePod(String namespace, String name) {
        client.pods().inNamespace(namespace).withName(name).delete();
    }

    @Override
    public void deleteJob(String namespace, String name) {
        client.batch().v1().jobs().inNamespace(namespace).withName(name).delete();
    }

    @Override
    public void close() {
        evicting.stop();
        for (String namespace : List.of(JOBS, FULL)) {
            client.batch()
                    .v1()
                    .jobs()
                    .inNamespace(namespace)
                    .withLabel("longhaul.dev/cluster", "test")
                    .delete();
        }
        client.close();
    }
}
