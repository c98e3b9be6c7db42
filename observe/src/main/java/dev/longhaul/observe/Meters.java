package dev.longhaul.observe;

import dev.longhaul.loop.Loops;
import dev.longhaul.process.ProcessFigures;
import dev.longhaul.schedule.Fire;
import dev.longhaul.store.JobStore;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The meters of one process in a registry of the caller's choice, which must outlive the process's jobs. {@link MeteredStore} writes them. */
public final class Meters {
    /** As many names of definitions and of queues as get time series of their own. */
    static final int MOST_NAMES = 200;

    private static final Duration[] LATENESS = {
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Duration.ofMinutes(1)
    };

    private final MeterRegistry registry;
    private final BoundedLabel definitions = new BoundedLabel(MOST_NAMES);
    private final Map<String, DefinitionMeters> byDefinition = new ConcurrentHashMap<>();
    private final Map<String, OperationMeters> byOperation = new ConcurrentHashMap<>();
    private final Counter expired;
    private final Counter events;
    private final Timer lateness;
    private final AtomicBoolean leads = new AtomicBoolean();
    private final Map<String, Counter> fires = new ConcurrentHashMap<>();
    private final Map<String, Counter> stale = new ConcurrentHashMap<>();

    public Meters(MeterRegistry registry) {
        this.registry = registry;
        this.expired = Counter.builder("longhaul.leases.expired")
                .description("Runs that were ended because nobody renewed their lease.")
                .register(registry);
        this.events = Counter.builder("longhaul.events.stored")
                .description("Events that runs reported and that were stored.")
                .register(registry);
        this.lateness = Timer.builder("longhaul.schedule.lateness")
                .description("From when a schedule was to fire until it had.")
                .serviceLevelObjectives(LATENESS)
                .register(registry);
        Gauge.builder("longhaul.leader", leads, one -> one.get() ? 1 : 0)
                .description("Whether this process does the duties that one does for all.")
                .register(registry);
        processes();
        // There from the start: what never happened is 0, not unknown.
        Arrays.stream(Fire.Outcome.values()).forEach(this::fires);
    }

    private void processes() {
        FunctionCounter.builder("longhaul.processes.started", this, same -> ProcessFigures.started())
                .description("Processes that were started for runs, JVMs that wait for one among them.")
                .register(registry);
        FunctionCounter.builder("longhaul.processes.killed", this, same -> ProcessFigures.killed())
                .description("Processes of runs that were ended by force.")
                .register(registry);
        Gauge.builder("longhaul.processes.alive", ProcessFigures::alive)
                .description("Processes of runs that are there now.")
                .register(registry);
        Gauge.builder("longhaul.processes.waiting", ProcessFigures::waiting)
                .description("JVMs that wait for a run.")
                .register(registry);
    }

    /** The meters of a metered store; empty for other stores. */
    public static Optional<Meters> of(JobStore store) {
        return store instanceof MeteredStore metered ? Optional.of(metered.meters()) : Optional.empty();
    }

    public MeterRegistry registry() {
        return registry;
    }

    /** Adds meters of background loops that were started since the last call. Call before the registry is published. */
    public void refresh() {
        for (String loop : Loops.names()) {
            FunctionCounter.builder("longhaul.loop.failures", loop, Loops::failures)
                    .description("Passes of a background loop that ended with an unexpected error.")
                    .tag("loop", loop)
                    .register(registry);
        }
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

    void leads(boolean does) {
        leads.set(does);
    }

    void fired(Fire fire) {
        if (fire.cause() == Fire.Cause.SCHEDULED) {
            Duration late = Duration.between(fire.fireAt(), fire.firedAt());
            lateness.record(late.isNegative() ? Duration.ZERO : late);
        }
        fires(fire.outcome()).increment();
    }

    private Counter fires(Fire.Outcome outcome) {
        return fires.computeIfAbsent(
                outcome.wireName(),
                name -> Counter.builder("longhaul.schedule.fires")
                        .description("Fires of schedules, by what came of them.")
                        .tag("outcome", name)
                        .register(registry));
    }

    Counter expired() {
        return expired;
    }

    Counter events() {
        return events;
    }
}
