package dev.longhaul.store;

import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.WorkerReport;
import java.util.HashMap;
import java.util.List;
import java.util.Set;

/** The directory of a store that keeps definitions in its catalog and their limits with its queues. */
record StoreDirectory(JobStore store) implements WorkerDirectory {
    @Override
    public void register(List<KnownDefinition> definitions, Set<String> hooked) {
        store.catalog().register(definitions);
        var limits = new HashMap<String, Integer>();
        // By version, so that the highest decides; a declared limit comes before that of any code.
        definitions.stream()
                .sorted((one, other) ->
                        Integer.compare(one.ref().version(), other.ref().version()))
                .forEach(known -> limits.put(known.ref().key(), known.defaults().concurrencyLimit()));
        if (!definitions.isEmpty()) {
            store.catalog().definitions().stream()
                    .filter(KnownDefinition::declared)
                    .forEach(known -> limits.computeIfPresent(
                            known.ref().key(), (key, limit) -> known.defaults().concurrencyLimit()));
        }
        limits.forEach(store::concurrencyLimit);
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
