package dev.longhaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.kubernetes.PodExecutor;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PodMetricsTest {
    @TempDir
    private Path directory;

    /** The executor sends no request, so no cluster is needed. */
    @Test
    void are_those_of_the_reference() throws Exception {
        Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: test, cluster: {server: "http://127.0.0.1:1"}}]
                users: [{name: worker, user: {token: secret}}]
                contexts: [{name: test, context: {cluster: test, user: worker, namespace: jobs}}]
                current-context: test
                """);
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var meters = new PodsConfig.Meters(registry);
        PodExecutor executor = new PodsConfig(kubeconfig.toString(), null, null, Duration.ofMinutes(10), false, null)
                .executor("test", Duration.ofSeconds(30));
        try {
            meters.add(executor);
            List<String> samples = registry.scrape()
                    .lines()
                    .filter(line -> line.startsWith("longhaul_"))
                    .toList();
            assertThat(samples).contains("longhaul_pods{phase=\"Running\"} 0.0", "longhaul_pod_takeovers_total 0.0");
            String reference = Files.readString(Path.of("..", "docs", "reference", "metrics.md"));
            assertThat(samples)
                    .extracting(sample -> sample.replaceAll("[{ ].*", ""))
                    .hasSizeGreaterThan(8)
                    .allMatch(name -> reference.contains("`" + name + "`"));
        } finally {
            executor.shutdown();
        }
    }
}
