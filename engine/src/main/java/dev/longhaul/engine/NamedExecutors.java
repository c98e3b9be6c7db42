package dev.longhaul.engine;

import dev.longhaul.JobDefinition;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.Closing;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Executor;
import dev.longhaul.spi.Health;
import dev.longhaul.spi.Outcome;
import java.util.Map;
import java.util.TreeMap;

/** The executors of a worker by name; each definition runs in the one that its isolation names. */
public final class NamedExecutors implements Executor {
    private final Map<String, Executor> byName;

    public NamedExecutors(Map<String, Executor> byName) {
        this.byName = new TreeMap<>(byName);
    }

    @Override
    public String name() {
        return String.join(", ", byName.keySet());
    }

    @Override
    public void initialize() {
        byName.values().forEach(Executor::initialize);
    }

    @Override
    public void prepare(JobDefinition<?, ?> definition) {
        of(definition).prepare(definition);
    }

    @Override
    public boolean endsCode(JobDefinition<?, ?> definition) {
        return of(definition).endsCode(definition);
    }

    @Override
    public Outcome execute(Execution execution) {
        return of(execution.definition()).execute(execution);
    }

    /** The first problem that an executor reports. */
    @Override
    public Health health() {
        return byName.values().stream()
                .map(Executor::health)
                .filter(health -> !health.healthy())
                .findFirst()
                .orElse(Health.OK);
    }

    @Override
    public void shutdown() {
        var closing = new Closing();
        byName.values().forEach(executor -> closing.part(executor::shutdown));
        closing.throwIfAny();
    }

    private Executor of(JobDefinition<?, ?> definition) {
        String name = definition.isolation().executor();
        Executor executor = byName.get(name);
        if (executor == null) {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION,
                    definition.ref() + ": isolation: " + name + " (expected: a registered executor: " + name() + ")");
        }
        return executor;
    }
}
