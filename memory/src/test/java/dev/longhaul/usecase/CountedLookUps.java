package dev.longhaul.usecase;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.catalog.Registration;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.job.DefinitionRef;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** A catalog that counts how often definitions are looked up and listed. */
final class CountedLookUps implements Catalog {
    final AtomicLong lookUps = new AtomicLong();
    final AtomicLong listings = new AtomicLong();
    private final Catalog catalog;

    CountedLookUps(Catalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public Optional<KnownDefinition> find(DefinitionRef ref) {
        lookUps.incrementAndGet();
        return catalog.find(ref);
    }

    @Override
    public Optional<KnownDefinition> latest(String key) {
        lookUps.incrementAndGet();
        return catalog.latest(key);
    }

    @Override
    public List<KnownDefinition> definitions() {
        listings.incrementAndGet();
        return catalog.definitions();
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
