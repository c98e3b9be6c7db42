package dev.longhaul.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.kubernetes.simulated.SimulatedCluster;
import java.nio.file.Path;
import java.util.List;

/** The simulated cluster as a {@link TestCluster}. */
record Simulation(SimulatedCluster simulated) implements TestCluster {
    @Override
    public Path kubeconfig(Path directory) {
        return simulated.kubeconfig(directory);
    }

    @Override
    public List<ObjectNode> jobs(String namespace) {
        return simulated.jobs(namespace);
    }

    @Override
    public List<ObjectNode> pods(String namespace) {
        return simulated.pods(namespace);
    }

    @Override
    public List<ObjectNode> secrets(String namespace) {
        return simulated.secrets(namespace);
    }

    @Override
    public void deletePod(String namespace, String name) {
        simulated.deletePod(namespace, name);
    }

    @Override
    public void deleteJob(String namespace, String name) {
        simulated.deleteJob(namespace, name);
    }

    @Override
    public void close() {
        simulated.close();
    }
}
