package dev.longhaul.spi;

import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.WorkerReport;
import java.util.List;
import java.util.Set;

/** The directory of a store that keeps definitions in its catalog, which applies their concurrency limits. */
record StoreDirectory(JobStore store) implements WorkerDirectory {
    @Override
    public void register(List<KnownDefinition> definitions, Set<String> hooked) {
        store.catalog().register(definitions);
        hooked.forEach(key -> store.hooks(key, true));
    }

    @Override
    public void seen(WorkerReport report) {
        store.catalog().seen(report);
    }

    @Override
    public void gone(String workerId) {
        store.catalog().gone(workerId);
    }
}
