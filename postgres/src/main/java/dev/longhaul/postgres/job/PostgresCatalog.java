package dev.longhaul.postgres.job;

import static dev.longhaul.postgres.database.Call.column;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.catalog.Registration;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.postgres.access.Audit;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.postgres.work.Hooks;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The definitions and workers of all processes on the database. */
public final class PostgresCatalog implements Catalog {
    private final NamedSql register = NamedSql.load("work/register_definitions");
    private final NamedSql lock = NamedSql.load("work/lock_definitions");
    private final NamedSql present = NamedSql.load("work/present_definitions");
    private final NamedSql declare = NamedSql.load("work/declare_definition");
    private final NamedSql forget = NamedSql.load("work/forget_declaration");
    private final NamedSql inUse = NamedSql.load("work/definition_in_use");
    private final NamedSql running = NamedSql.load("work/definition_workers");
    private final NamedSql delete = NamedSql.load("work/delete_definition");
    private final NamedSql definitions = NamedSql.load("work/definitions");
    private final NamedSql find = NamedSql.load("work/find_definition");
    private final NamedSql latest = NamedSql.load("work/latest_definition");
    private final NamedSql seen = NamedSql.load("work/worker_seen");
    private final NamedSql gone = NamedSql.load("work/worker_gone");
    private final NamedSql workers = NamedSql.load("work/workers");
    private final NamedSql forgetWorkers = NamedSql.load("work/forget_workers");
    private final Database database;
    private final PostgresQueues queues;
    private final Hooks hooks;

    public PostgresCatalog(Database database, PostgresQueues queues, Hooks hooks) {
        this.database = database;
        this.queues = queues;
        this.hooks = hooks;
    }

    @Override
    public void register(List<KnownDefinition> registered) {
        registered.forEach(KnownDefinition::checkRegistered);
        if (!registered.isEmpty()) {
            List<KnownDefinition> all = eachOnce(registered);
            List<String> keys = all.stream().map(one -> one.ref().key()).toList();
            changing(keys, (connection, again) -> register(connection, all, one -> null));
        }
    }

    /**
     * Changes definitions of these keys, one transaction at a time, and applies the resulting limits: otherwise
     * concurrent changes of two versions could each miss the limit that the other one sets.
     */
    private <T> T changing(List<String> keys, Database.RepeatableWork<T> change) {
        T done = database.transaction((connection, again) -> {
            try (Call call = lock.on(connection)) {
                call.update();
            }
            T changed = change.on(connection, again);
            queues.followLimits(connection, keys);
            return changed;
        });
        queues.countRunning(keys);
        return done;
    }

    /**
     * Sorts the definitions by name and keeps each name once, so that processes that start at the same time lock their
     * rows in the same order.
     */
    private static List<KnownDefinition> eachOnce(List<KnownDefinition> definitions) {
        var byName = new TreeMap<DefinitionRef, KnownDefinition>();
        definitions.forEach(definition -> byName.put(definition.ref(), definition));
        return List.copyOf(byName.values());
    }

    @Override
    public List<KnownDefinition> decide(List<Registration> registrations) {
        if (registrations.isEmpty()) {
            return List.of();
        }
        List<Audit> audits = registrations.stream()
                .map(one -> Audit.of("definition.register"))
                .toList();
        List<String> keys = registrations.stream().map(one -> one.ref().key()).toList();
        return changing(keys, (connection, again) -> {
            Map<String, List<Registration.Present>> present = present(connection, registrations);
            List<KnownDefinition> decided = eachOnce(registrations.stream()
                    .map(one -> one.decide(present.getOrDefault(one.ref().key(), List.of())))
                    .toList());
            decided.forEach(KnownDefinition::checkRegistered);
            Set<DefinitionRef> changed = register(connection, decided, KnownDefinition::registeredBy);
            List<KnownDefinition> stored =
                    decided.stream().filter(one -> changed.contains(one.ref())).toList();
            for (int i = 0; i < stored.size(); i++) {
                KnownDefinition after = stored.get(i);
                KnownDefinition before =
                        registered(present.getOrDefault(after.ref().key(), List.of()), after.ref());
                audits.get(i).write(connection, after.ref(), () -> AuditDetails.changed(before, after));
            }
            return stored;
        });
    }

    private static @Nullable KnownDefinition registered(List<Registration.Present> versions, DefinitionRef ref) {
        return versions.stream()
                .filter(one -> one.effective().ref().equals(ref))
                .map(Registration.Present::registered)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private Map<String, List<Registration.Present>> present(Connection connection, List<Registration> registrations)
            throws SQLException {
        var byKey = new HashMap<String, List<Registration.Present>>();
        try (Call call = present.on(connection)) {
            call.texts(
                            "keys",
                            registrations.stream().map(one -> one.ref().key()).toList())
                    .list(row -> new Registration.Present(
                            definition(row, ""),
                            row.textOrNull("registered_definition_key") == null
                                    ? null
                                    : definition(row, "registered_")))
                    .forEach(one -> byKey.computeIfAbsent(one.effective().ref().key(), key -> new ArrayList<>())
                            .add(one));
        }
        return byKey;
    }

    /** Stores the definitions; returns those that have changed. */
    private Set<DefinitionRef> register(
            Connection connection, List<KnownDefinition> all, Function<KnownDefinition, @Nullable String> by)
            throws SQLException {
        try (Call call = register.on(connection)) {
            return Set.copyOf(call.texts("keys", column(all, one -> one.ref().key()))
                    .ints("versions", column(all, one -> one.ref().version()))
                    .ints("timeouts", column(all, one ->
                            (int) one.defaults().timeout().toSeconds()))
                    .ints("limits", column(all, one -> one.defaults().concurrencyLimit()))
                    .shorts("attempts", column(all, one ->
                            (short) one.defaults().maxAttempts()))
                    .texts("queues", column(all, one -> one.defaults().queue()))
                    .texts("paramsSchemas", column(all, KnownDefinition::paramsSchema))
                    .texts("resultSchemas", column(all, KnownDefinition::resultSchema))
                    .texts("registeredBys", column(all, by))
                    .list(row -> new DefinitionRef(row.text("definition_key"), row.integer("definition_version"))));
        }
    }

    @Override
    public KnownDefinition declare(Declaration change, Set<Declaration.Field> named, String by) {
        change.check(by);
        DefinitionRef ref = change.ref();
        Declaration given = Declaration.nothing(ref).with(change, named);
        Duration timeout = given.timeout();
        Audit audit = Audit.of("definition.declare");
        return changing(List.of(ref.key()), (connection, again) -> {
            KnownDefinition before = audit.wanted() ? found(connection, ref) : null;
            try (Call call = declare.on(connection)) {
                call.set("key", ref.key())
                        .set("version", (Integer) ref.version())
                        .set("timeout", timeout == null ? null : (Integer) (int) timeout.toSeconds())
                        .set("limit", given.concurrencyLimit())
                        .set("attempts", given.maxAttempts())
                        .set("queue", given.queue())
                        .set("paramsSchema", given.paramsSchema())
                        .set("resultSchema", given.resultSchema())
                        .set("by", by)
                        .set("namesTimeout", named.contains(Declaration.Field.TIMEOUT))
                        .set("namesLimit", named.contains(Declaration.Field.CONCURRENCY_LIMIT))
                        .set("namesAttempts", named.contains(Declaration.Field.MAX_ATTEMPTS))
                        .set("namesQueue", named.contains(Declaration.Field.QUEUE))
                        .set("namesParams", named.contains(Declaration.Field.PARAMS_SCHEMA))
                        .set("namesResult", named.contains(Declaration.Field.RESULT_SCHEMA))
                        .update();
            }
            try (Call call = of(forget, connection, ref)) {
                call.update();
            }
            KnownDefinition after = Objects.requireNonNull(found(connection, ref));
            audit.write(connection, ref, () -> AuditDetails.declared(before, after, named));
            return after;
        });
    }

    private @Nullable KnownDefinition found(Connection connection, DefinitionRef ref) throws SQLException {
        try (Call call = of(find, connection, ref)) {
            return call.list(PostgresCatalog::effective).stream().findFirst().orElse(null);
        }
    }

    @Override
    public boolean delete(DefinitionRef ref) {
        Audit audit = Audit.of("definition.delete");
        return changing(List.of(ref.key()), (connection, again) -> {
            try (Call call = of(inUse, connection, ref)) {
                if (call.list(row -> row.flag("in_use")).get(0)) {
                    throw Refusal.definitionInUse(ref);
                }
            }
            requireNotRunning(connection, ref);
            try (Call call = of(delete, connection, ref)) {
                // On a retry, the first attempt may already have removed the definition.
                boolean gone = call.list(row -> row.flag("deleted")).get(0);
                if (gone) {
                    audit.write(connection, ref);
                }
                return gone || again;
            }
        });
    }

    private void requireNotRunning(Connection connection, DefinitionRef ref) throws SQLException {
        try (Call call = running.on(connection)) {
            List<String> workers = call.set("name", ref.toString())
                    .set("lost", micros(LOST_AFTER))
                    .list(row -> row.text("id"));
            if (!workers.isEmpty()) {
                throw Refusal.definitionRunBy(ref, workers);
            }
        }
    }

    private static Call of(NamedSql statement, Connection connection, DefinitionRef ref) throws SQLException {
        return statement.on(connection).set("key", ref.key()).set("version", (Integer) ref.version());
    }

    @Override
    public List<KnownDefinition> definitions() {
        return database.single((connection, again) -> {
            try (Call call = definitions.on(connection)) {
                return call.list(PostgresCatalog::effective);
            }
        });
    }

    @Override
    public Optional<KnownDefinition> find(DefinitionRef ref) {
        List<KnownDefinition> found = database.single((connection, again) -> {
            try (Call call = of(find, connection, ref)) {
                return call.list(PostgresCatalog::effective);
            }
        });
        return found.stream().findFirst();
    }

    @Override
    public Optional<KnownDefinition> latest(String key) {
        List<KnownDefinition> found = database.single((connection, again) -> {
            try (Call call = latest.on(connection)) {
                return call.set("key", key).list(PostgresCatalog::effective);
            }
        });
        return found.stream().findFirst();
    }

    @Override
    public void hooks(String definitionKey, boolean any) {
        hooks.register(definitionKey, any);
    }

    @Override
    public void seen(WorkerReport report) {
        boolean first = database.single((connection, again) -> {
            try (Call call = seen.on(connection)) {
                return call.set("id", report.workerId())
                        .set("pid", (Long) report.pid())
                        .set("slots", (Integer) report.slots())
                        .set("running", (Integer) report.running())
                        .set("stuck", (Integer) report.stuck())
                        .set("draining", report.draining())
                        .set("host", report.host())
                        .set("version", report.version())
                        .texts("queues", report.queues())
                        .texts(
                                "definitions",
                                report.definitions().stream()
                                        .sorted()
                                        .map(DefinitionRef::toString)
                                        .toList())
                        .list(row -> row.flag("is_new"))
                        .get(0);
            }
        });
        if (first) {
            forgetOld();
        }
    }

    private void forgetOld() {
        database.single((connection, again) -> {
            try (Call call = forgetWorkers.on(connection)) {
                return call.set("forgotten", micros(FORGOTTEN_AFTER)).update();
            }
        });
    }

    @Override
    public void gone(String workerId) {
        database.single((connection, again) -> {
            try (Call call = gone.on(connection)) {
                return call.set("id", workerId).update();
            }
        });
    }

    @Override
    public List<KnownWorker> workers() {
        return database.single((connection, again) -> {
            try (Call call = workers.on(connection)) {
                return call.set("forgotten", micros(FORGOTTEN_AFTER)).list(PostgresCatalog::worker);
            }
        });
    }

    private static Long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }

    /**
     * The definition in the columns with that prefix; fields set by neither a worker nor an operator have their
     * defaults.
     */
    private static KnownDefinition definition(Row row, String prefix) throws SQLException {
        var ref = new DefinitionRef(row.text(prefix + "definition_key"), row.integer(prefix + "definition_version"));
        Integer timeout = row.integerOrNull(prefix + "timeout_seconds");
        var known = new Declaration(
                ref,
                row.textOrNull(prefix + "params_schema"),
                row.textOrNull(prefix + "result_schema"),
                row.textOrNull(prefix + "queue"),
                row.integerOrNull(prefix + "max_attempts"),
                timeout == null ? null : Duration.ofSeconds(timeout),
                row.integerOrNull(prefix + "concurrency_limit"));
        return new KnownDefinition(
                ref,
                known.paramsSchemaOver(null),
                known.resultSchemaOver(null),
                known.over(null),
                row.textOrNull(prefix + "declared_by"),
                row.instant(prefix + "updated_at"),
                row.textOrNull(prefix + "registered_by"));
    }

    /** The definition with its registered schemas where a declaration replaces them. */
    private static KnownDefinition effective(Row row) throws SQLException {
        return definition(row, "")
                .over(row.textOrNull("registered_params_schema"), row.textOrNull("registered_result_schema"));
    }

    private static KnownWorker worker(Row row) throws SQLException {
        Set<DefinitionRef> known = new HashSet<>();
        row.texts("definitions").forEach(name -> known.add(DefinitionRef.parse(name)));
        var report = new WorkerReport(
                row.text("id"),
                row.text("host"),
                row.bigint("pid"),
                row.text("version"),
                row.texts("queues"),
                known,
                row.integer("slots"),
                row.integer("running"),
                row.integer("stuck"),
                row.flag("draining"));
        return KnownWorker.of(
                report, row.instant("started_at"), row.instant("last_seen_at"), row.flag("gone"), row.instant("now"));
    }
}
