package dev.longhaul.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** The cluster that tests run pods on: a simulated one, or a real one. */
interface TestCluster extends AutoCloseable {
    /** A kubeconfig file of the cluster, whose namespace is {@code jobs}. */
    Path kubeconfig(Path directory);

    List<ObjectNode> jobs(String namespace);

    List<ObjectNode> pods(String namespace);

    List<ObjectNode> secrets(String namespace);

    void deletePod(String namespace, String name);

    void deleteJob(String namespace, String name);

    /** How pods of this cluster run. */
    default UnaryOperator<PodSettings> settings() {
        return settings -> settings;
    }

    /** How long a container may take to start or to fail. */
    default Duration startTimeout() {
        return Duration.ofSeconds(2);
    }

    /** A definition whose pods get that fault. */
    default JobDefinition<JsonNode, JsonNode> faulty(String fault) {
        Isolation.InPod pod = Isolation.pod("registry.example.org/" + fault).memory("64m");
        return PodBench.definition(fault, fault.equals("forbidden") ? pod.namespace(fault) : pod);
    }

    @Override
    void close();
}
