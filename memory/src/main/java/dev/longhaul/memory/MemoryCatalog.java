package dev.longhaul.memory;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.catalog.Registration;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.error.Problems;
import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.DefinitionRef;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The definitions and workers of this process. */
final class MemoryCatalog implements Catalog {
    private static final Comparator<KnownWorker> BY_HOST_AND_ID = Comparator.comparing(
                    (KnownWorker worker) -> worker.report().host())
            .thenComparing(worker -> worker.report().workerId());

    private final Map<DefinitionRef, KnownDefinition> registered = new TreeMap<>();
    private final Map<DefinitionRef, Declared> declared = new TreeMap<>();
    private final Map<String, Seen> workers = new HashMap<>();
    private final StoreLock lock;
    private final DueHooks hooks;
    private final Settings settings;
    /** Whether jobs of a definition are held, wait or run. */
    private final Predicate<DefinitionRef> busy;

    private record Declared(Declaration declaration, String by, Instant at) {}

    private record Seen(WorkerReport report, Instant startedAt, Instant lastSeenAt, boolean gone) {
        KnownWorker at(Instant now) {
            return KnownWorker.of(report, startedAt, lastSeenAt, gone, now);
        }
    }

    MemoryCatalog(StoreLock lock, Settings settings, DueHooks hooks, Predicate<DefinitionRef> busy) {
        this.lock = lock;
        this.settings = settings;
        this.hooks = hooks;
        this.busy = busy;
    }

    @Override
    public void register(List<KnownDefinition> definitions) {
        definitions.forEach(KnownDefinition::checkRegistered);
        lock.update(now -> {
            definitions.forEach(one -> store(one, null, now));
            definitions.forEach(one -> limit(one.ref()));
        });
    }

    /** Applies the limit of the key's highest version. */
    private void limit(DefinitionRef ref) {
        settings.concurrencyLimit(
                ref.key(),
                highest(ref.key()).map(one -> one.defaults().concurrencyLimit()).orElse(0));
    }

    @Override
    public List<KnownDefinition> decide(List<Registration> registrations) {
        return lock.write(now -> {
            List<KnownDefinition> decided = registrations.stream()
                    .map(one -> one.decide(versions(one.ref().key())))
                    .toList();
            decided.forEach(KnownDefinition::checkRegistered);
            List<KnownDefinition> changed =
                    decided.stream().filter(one -> audited(one, now)).toList();
            decided.forEach(one -> limit(one.ref()));
            return changed;
        });
    }

    private boolean audited(KnownDefinition definition, Instant now) {
        KnownDefinition before = registered.get(definition.ref());
        boolean changed = store(definition, definition.registeredBy(), now);
        if (changed) {
            lock.audit()
                    .add(now, "definition.register", definition.ref(), () -> AuditDetails.changed(before, definition));
        }
        return changed;
    }

    /** Returns whether it changed anything. A definition owned by code stays owned by it. */
    private boolean store(KnownDefinition definition, @Nullable String by, Instant now) {
        KnownDefinition before = registered.get(definition.ref());
        boolean byCode = by == null || (before != null && before.registeredBy() == null);
        boolean sameOwner = before != null && (!byCode || before.registeredBy() == null);
        if (before != null && sameOwner && before.sameAs(definition)) {
            return false;
        }
        registered.put(
                definition.ref(),
                new KnownDefinition(
                        definition.ref(),
                        definition.paramsSchema(),
                        definition.resultSchema(),
                        definition.defaults(),
                        null,
                        now,
                        byCode ? null : by));
        return true;
    }

    private List<Registration.Present> versions(String key) {
        return refs().stream()
                .filter(ref -> ref.key().equals(key))
                .map(ref -> new Registration.Present(effective(ref), registered.get(ref)))
                .toList();
    }

    @Override
    public KnownDefinition declare(Declaration change, Set<Declaration.Field> named, String by) {
        change.check(by);
        return lock.write(now -> {
            DefinitionRef ref = change.ref();
            KnownDefinition was = refs().contains(ref) ? effective(ref) : null;
            Declared before = declared.get(ref);
            Declaration all = (before == null ? Declaration.nothing(ref) : before.declaration()).with(change, named);
            if (all.empty() && registered.containsKey(ref)) {
                declared.remove(ref);
            } else {
                declared.put(ref, new Declared(all, by, now));
            }
            KnownDefinition is = effective(ref);
            limit(ref);
            lock.audit().add(now, "definition.declare", ref, () -> AuditDetails.declared(was, is, named));
            return is;
        });
    }

    @Override
    public boolean delete(DefinitionRef ref) {
        return lock.write(now -> {
            if (busy.test(ref)) {
                throw Refusal.definitionInUse(ref);
            }
            List<String> running = runningWorkers(ref, now);
            if (!running.isEmpty()) {
                throw Refusal.definitionRunBy(ref, running);
            }
            boolean wasRegistered = registered.remove(ref) != null;
            boolean gone = declared.remove(ref) != null || wasRegistered;
            if (gone) {
                limit(ref);
                lock.audit().add(now, "definition.delete", ref);
            }
            return gone;
        });
    }

    private List<String> runningWorkers(DefinitionRef ref, Instant now) {
        return workers.values().stream()
                .filter(worker -> worker.report().definitions().contains(ref)
                        && worker.at(now).state() == KnownWorker.State.ACTIVE)
                .map(worker -> worker.report().workerId())
                .sorted()
                .toList();
    }

    /** The effective definition: declared values override registered ones. */
    private KnownDefinition effective(DefinitionRef ref) {
        KnownDefinition worker = registered.get(ref);
        Declared operator = declared.get(ref);
        if (operator == null) {
            return Objects.requireNonNull(worker);
        }
        Declaration declaration = operator.declaration();
        Instant registeredAt = worker == null ? Instant.MIN : worker.updatedAt();
        var effective = new KnownDefinition(
                ref,
                declaration.paramsSchemaOver(worker == null ? null : worker.paramsSchema()),
                declaration.resultSchemaOver(worker == null ? null : worker.resultSchema()),
                declaration.over(worker == null ? null : worker.defaults()),
                operator.by(),
                registeredAt.isAfter(operator.at()) ? registeredAt : operator.at(),
                worker == null ? null : worker.registeredBy());
        return worker == null ? effective : effective.over(worker.paramsSchema(), worker.resultSchema());
    }

    private NavigableSet<DefinitionRef> refs() {
        var all = new TreeSet<>(registered.keySet());
        all.addAll(declared.keySet());
        return all;
    }

    @Override
    public List<KnownDefinition> definitions() {
        return lock.read(() -> refs().stream().map(this::effective).toList());
    }

    @Override
    public Optional<KnownDefinition> find(DefinitionRef ref) {
        return lock.read(() -> Optional.of(ref).filter(refs()::contains).map(this::effective));
    }

    @Override
    public Optional<KnownDefinition> latest(String key) {
        return lock.read(() -> highest(key));
    }

    private Optional<KnownDefinition> highest(String key) {
        return refs().stream()
                .filter(ref -> ref.key().equals(key))
                .reduce((lower, higher) -> higher)
                .map(this::effective);
    }

    @Override
    public void hooks(String definitionKey, boolean any) {
        new Problems()
                .require(Names.valid(definitionKey), "definitionKey", definitionKey, Names.RULE)
                .throwIfAny();
        lock.update(now -> hooks.register(definitionKey, any));
    }

    @Override
    public void seen(WorkerReport report) {
        lock.update(now -> {
            workers.values()
                    .removeIf(old -> !old.lastSeenAt().plus(FORGOTTEN_AFTER).isAfter(now));
            Seen before = workers.get(report.workerId());
            workers.put(report.workerId(), new Seen(report, before == null ? now : before.startedAt(), now, false));
        });
    }

    @Override
    public void gone(String workerId) {
        lock.update(now -> workers.computeIfPresent(
                workerId, (id, worker) -> new Seen(worker.report(), worker.startedAt(), now, true)));
    }

    @Override
    public List<KnownWorker> workers() {
        return lock.read(() -> {
            Instant now = lock.now();
            return workers.values().stream()
                    .filter(worker -> worker.lastSeenAt().plus(FORGOTTEN_AFTER).isAfter(now))
                    .map(worker -> worker.at(now))
                    .sorted(BY_HOST_AND_ID)
                    .toList();
        });
    }
}
