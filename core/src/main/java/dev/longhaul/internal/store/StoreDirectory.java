package dev.longhaul.internal.store;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.spi.WorkerDirectory;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The directory of a store that keeps definitions in its catalog, which applies their concurrency limits. */
public record StoreDirectory(Catalog catalog) implements WorkerDirectory {
    @Override
    public void register(List<KnownDefinition> definitions, Set<String> hooked) {
        catalog.register(definitions);
        hooked.forEach(key -> catalog.hooks(key, true));
    }

    @Override
    public void seen(WorkerReport report) {
        catalog.seen(report);
    }

    @Override
    public Map<String, Instant> heartbeats() {
        return catalog.workers().stream()
                .filter(worker -> worker.state() != KnownWorker.State.GONE)
                .collect(Collectors.toMap(worker -> worker.report().workerId(), KnownWorker::lastSeenAt));
    }

    @Override
    public void gone(String workerId) {
        catalog.gone(workerId);
    }
}
