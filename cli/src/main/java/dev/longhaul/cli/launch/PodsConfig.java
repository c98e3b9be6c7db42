package dev.longhaul.cli.launch;

import dev.longhaul.kubernetes.HandlerPods;
import dev.longhaul.kubernetes.PodExecutor;
import dev.longhaul.kubernetes.PodSettings;
import dev.longhaul.kubernetes.PodStats;
import dev.longhaul.kubernetes.cluster.Cluster;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the Kubernetes executor.
 *
 * @param cluster {@code auto} or the path of a kubeconfig file
 * @param namespace the namespace of pods; null means the namespace of the cluster's configuration
 * @param forceUnreachable whether pods of unreachable nodes are deleted by force
 * @param handlers settings for pods of handlers in Java; null disables them
 */
record PodsConfig(
        String cluster,
        @Nullable String namespace,
        @Nullable Path template,
        Duration startTimeout,
        boolean forceUnreachable,
        @Nullable HandlerPods handlers) {

    /**
     * Creates the executor of one worker.
     *
     * @param label distinguishes the pods of this database
     * @param cancelGrace time between TERM and KILL
     */
    PodExecutor executor(String label, Duration cancelGrace) {
        Cluster open = Cluster.open(cluster, label);
        String in = namespace == null ? open.defaultNamespace() : namespace;
        return new PodExecutor(
                open,
                PodSettings.of(label, in)
                        .withTemplate(template)
                        .withStartTimeout(startTimeout)
                        .withForceUnreachable(forceUnreachable)
                        .withCancelGrace(cancelGrace)
                        .withHandlers(handlers));
    }

    /**
     * Metrics of the pods of this process. They are the sum over all its workers, because each reload of code replaces
     * the worker.
     */
    static final class Meters {
        private final List<PodStats> all = new CopyOnWriteArrayList<>();

        Meters(MeterRegistry registry) {
            for (String phase : List.of("Pending", "Running", "Succeeded", "Failed", "Unknown")) {
                Gauge.builder("longhaul.pods", all, list -> phase(list, phase))
                        .tag("phase", phase)
                        .register(registry);
            }
            FunctionTimer.builder(
                            "longhaul.pod.start",
                            all,
                            list -> (long) sum(list, PodStats::started),
                            list -> sum(list, PodStats::startSeconds),
                            TimeUnit.SECONDS)
                    .register(registry);
            counter(registry, "longhaul.pod.takeovers", PodStats::takeovers);
            counter(registry, "longhaul.pod.disruptions", PodStats::disruptions);
            counter(registry, "longhaul.pod.orphans.deleted", PodStats::orphans);
        }

        private void counter(MeterRegistry registry, String name, ToDoubleFunction<PodStats> number) {
            FunctionCounter.builder(name, all, list -> sum(list, number)).register(registry);
        }

        private static double sum(List<PodStats> list, ToDoubleFunction<PodStats> number) {
            return list.stream().mapToDouble(number).sum();
        }

        /**
         * Returns the number of pods in a phase. Only the executor of the newest worker is read, because each executor
         * counts the pods of all workers.
         */
        private static double phase(List<PodStats> list, String phase) {
            return list.isEmpty() ? 0 : list.get(list.size() - 1).phases().getOrDefault(phase, 0);
        }

        void add(PodExecutor executor) {
            all.add(executor.stats());
        }
    }
}
