package dev.longhaul.store.memory;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.job.DefinitionRef;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Definitions and workers as this process knows them. */
final class MemoryCatalog implements Catalog {
    private static final Comparator<KnownWorker> LAST_HEARD_OF_FIRST = Comparator.comparing(KnownWorker::lastSeenAt)
            .reversed()
            .thenComparing(worker -> worker.report().workerId());

    private final NavigableMap<DefinitionRef, KnownDefinition> definitions = new TreeMap<>();
    private final Map<String, Seen> workers = new HashMap<>();
    private final Gate gate;

    private record Seen(WorkerReport report, Instant startedAt, Instant lastSeenAt, boolean gone) {
        KnownWorker at(Instant now) {
            return KnownWorker.of(report, startedAt, lastSeenAt, gone, now);
        }
    }

    MemoryCatalog(Gate gate) {
        this.gate = gate;
    }

    @Override
    public void register(List<KnownDefinition> registered) {
        registered.forEach(KnownDefinition::checkRegistered);
        gate.update(now -> registered.forEach(definition -> definitions.compute(definition.ref(), (ref, before) -> {
            if (before == null) {
                return definition.storedAs(null, now);
            }
            boolean same = before.equals(definition.storedAs(null, before.updatedAt()));
            return before.declared() || same ? before : definition.storedAs(null, now);
        })));
    }

    @Override
    public KnownDefinition declare(KnownDefinition definition) {
        definition.checkDeclared();
        return gate.write(now -> {
            KnownDefinition stored = definition.storedAs(definition.declaredBy(), now);
            definitions.put(stored.ref(), stored);
            return stored;
        });
    }

    @Override
    public List<KnownDefinition> definitions() {
        return gate.read(() -> List.copyOf(definitions.values()));
    }

    @Override
    public Optional<KnownDefinition> find(DefinitionRef ref) {
        return gate.read(() -> Optional.ofNullable(definitions.get(ref)));
    }

    @Override
    public Optional<KnownDefinition> latest(String key) {
        return gate.read(() -> definitions.values().stream()
                .filter(one -> one.ref().key().equals(key))
                .reduce((lower, higher) -> higher));
    }

    @Override
    public void seen(WorkerReport report) {
        gate.update(now -> {
            workers.values()
                    .removeIf(old -> !old.lastSeenAt().plus(FORGOTTEN_AFTER).isAfter(now));
            Seen before = workers.get(report.workerId());
            workers.put(report.workerId(), new Seen(report, before == null ? now : before.startedAt(), now, false));
        });
    }

    @Override
    public void gone(String workerId) {
        gate.update(now -> workers.computeIfPresent(
                workerId, (id, worker) -> new Seen(worker.report(), worker.startedAt(), now, true)));
    }

    @Override
    public List<KnownWorker> workers() {
        return gate.read(() -> {
            Instant now = gate.now();
            return workers.values().stream()
                    .filter(worker -> worker.lastSeenAt().plus(FORGOTTEN_AFTER).isAfter(now))
                    .map(worker -> worker.at(now))
                    .sorted(LAST_HEARD_OF_FIRST)
                    .toList();
        });
    }
}
