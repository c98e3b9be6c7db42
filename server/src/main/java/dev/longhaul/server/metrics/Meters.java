package dev.longhaul.server.metrics;

import dev.longhaul.store.JobStore;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Everything that is counted in this process. */
public final class Meters {
    /** As many names of definitions and of queues as get time series of their own. */
    static final int MOST_NAMES = 200;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final BoundedLabel definitions = new BoundedLabel(MOST_NAMES);
    private final Map<String, DefinitionMeters> byDefinition = new ConcurrentHashMap<>();
    private final Map<String, OperationMeters> byOperation = new ConcurrentHashMap<>();
    private final Counter expired;
    private final Counter events;
    private final Map<String, Counter> stale = new ConcurrentHashMap<>();

    public Meters() {
        this.expired = Counter.builder("longhaul.leases.expired")
                .description("Runs that were ended because nobody renewed their lease.")
                .register(registry);
        this.events = Counter.builder("longhaul.events.stored")
                .description("Events that runs reported and that were stored.")
                .register(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
    }

    /** Those of the store that a server works on; figures of its own if it is not a metered one. */
    public static Meters of(JobStore store) {
        return store instanceof MeteredStore metered ? metered.meters() : new Meters();
    }

    public PrometheusMeterRegistry registry() {
        return registry;
    }

    DefinitionMeters definition(String key) {
        DefinitionMeters known = byDefinition.get(key);
        if (known != null) {
            return known;
        }
        String label = definitions.of(key);
        return byDefinition.computeIfAbsent(label, name -> DefinitionMeters.of(registry, name));
    }

    OperationMeters operation(String name) {
        return byOperation.computeIfAbsent(name, operation -> OperationMeters.of(registry, operation));
    }

    /** Writes that were refused because their writer no longer owned the job. */
    Counter stale(String operation) {
        return stale.computeIfAbsent(
                operation,
                name -> Counter.builder("longhaul.writes.stale")
                        .description("Writes that changed nothing because their claim no longer held.")
                        .tag("operation", name)
                        .register(registry));
    }

    Counter expired() {
        return expired;
    }

    Counter events() {
        return events;
    }
}
