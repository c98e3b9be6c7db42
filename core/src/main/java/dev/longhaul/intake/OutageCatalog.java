package dev.longhaul.intake;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.catalog.Registration;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The store's catalog, which fails at once during an outage where definitions are looked up. Otherwise, each new job
 * would wait for the store to learn that it must use the cached definition.
 */
final class OutageCatalog implements Catalog {
    private final Catalog catalog;
    private final Outage outage;

    OutageCatalog(Catalog catalog, Outage outage) {
        this.catalog = catalog;
        this.outage = outage;
    }

    private <T> T read(Supplier<T> query) {
        T found = outage.ifAvailable(query);
        if (found == null) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "database unavailable");
        }
        return found;
    }

    @Override
    public List<KnownDefinition> definitions() {
        return read(catalog::definitions);
    }

    @Override
    public Optional<KnownDefinition> find(DefinitionRef ref) {
        return read(() -> catalog.find(ref));
    }

    @Override
    public Optional<KnownDefinition> latest(String key) {
        return read(() -> catalog.latest(key));
    }

    @Override
    public void register(List<KnownDefinition> definitions) {
        catalog.register(definitions);
    }

    @Override
    public List<KnownDefinition> decide(List<Registration> registrations) {
        return catalog.decide(registrations);
    }

    @Override
    public KnownDefinition declare(Declaration change, Set<Declaration.Field> named, String by) {
        return catalog.declare(change, named, by);
    }

    @Override
    public boolean delete(DefinitionRef ref) {
        return catalog.delete(ref);
    }

    @Override
    public void hooks(String definitionKey, boolean any) {
        catalog.hooks(definitionKey, any);
    }

    @Override
    public void seen(WorkerReport report) {
        catalog.seen(report);
    }

    @Override
    public void gone(String workerId) {
        catalog.gone(workerId);
    }

    @Override
    public List<KnownWorker> workers() {
        return catalog.workers();
    }
}
