package dev.longhaul.postgres;

import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.job.DefinitionRef;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The definitions and workers of all processes on the database. */
final class PostgresCatalog implements Catalog {
    private final NamedSql register = NamedSql.load("register_definitions");
    private final NamedSql declare = NamedSql.load("declare_definition");
    private final NamedSql definitions = NamedSql.load("definitions");
    private final NamedSql find = NamedSql.load("find_definition");
    private final NamedSql latest = NamedSql.load("latest_definition");
    private final NamedSql seen = NamedSql.load("worker_seen");
    private final NamedSql gone = NamedSql.load("worker_gone");
    private final NamedSql workers = NamedSql.load("workers");
    private final NamedSql forgetWorkers = NamedSql.load("forget_workers");
    private final Database database;

    PostgresCatalog(Database database) {
        this.database = database;
    }

    @Override
    public void register(List<KnownDefinition> registered) {
        registered.forEach(KnownDefinition::checkRegistered);
        if (registered.isEmpty()) {
            return;
        }
        // By name, so that two processes that start at once lock their rows in the same order; each name once.
        var byName = new TreeMap<DefinitionRef, KnownDefinition>();
        registered.forEach(definition -> byName.put(definition.ref(), definition));
        List<KnownDefinition> all = List.copyOf(byName.values());
        database.single((connection, again) -> {
            try (Call call = register.on(connection)) {
                return call.texts(
                                "keys", all.stream().map(one -> one.ref().key()).toList())
                        .ints(
                                "versions",
                                all.stream().map(one -> one.ref().version()).toList())
                        .ints(
                                "timeouts",
                                all.stream().map(PostgresCatalog::timeout).toList())
                        .ints(
                                "limits",
                                all.stream()
                                        .map(one -> one.defaults().concurrencyLimit())
                                        .toList())
                        .shorts(
                                "attempts",
                                all.stream()
                                        .map(one -> (short) one.defaults().maxAttempts())
                                        .toList())
                        .texts(
                                "queues",
                                all.stream().map(one -> one.defaults().queue()).toList())
                        .texts(
                                "paramsSchemas",
                                all.stream().map(KnownDefinition::paramsSchema).toList())
                        .texts(
                                "resultSchemas",
                                all.stream().map(KnownDefinition::resultSchema).toList())
                        .update();
            }
        });
    }

    @Override
    public KnownDefinition declare(KnownDefinition definition) {
        definition.checkDeclared();
        return database.single((connection, again) -> {
            try (Call call = declare.on(connection)) {
                return call.set("key", definition.ref().key())
                        .set("version", (Integer) definition.ref().version())
                        .set("timeout", (Integer) timeout(definition))
                        .set("limit", (Integer) definition.defaults().concurrencyLimit())
                        .set("attempts", (Integer) definition.defaults().maxAttempts())
                        .set("queue", definition.defaults().queue())
                        .set("paramsSchema", definition.paramsSchema())
                        .set("resultSchema", definition.resultSchema())
                        .set("by", definition.declaredBy())
                        .list(PostgresCatalog::definition)
                        .get(0);
            }
        });
    }

    @Override
    public List<KnownDefinition> definitions() {
        return database.single((connection, again) -> {
            try (Call call = definitions.on(connection)) {
                return call.list(PostgresCatalog::definition);
            }
        });
    }

    @Override
    public Optional<KnownDefinition> find(DefinitionRef ref) {
        List<KnownDefinition> found = database.single((connection, again) -> {
            try (Call call = find.on(connection)) {
                return call.set("key", ref.key())
                        .set("version", (Integer) ref.version())
                        .list(PostgresCatalog::definition);
            }
        });
        return found.stream().findFirst();
    }

    @Override
    public Optional<KnownDefinition> latest(String key) {
        List<KnownDefinition> found = database.single((connection, again) -> {
            try (Call call = latest.on(connection)) {
                return call.set("key", key).list(PostgresCatalog::definition);
            }
        });
        return found.stream().findFirst();
    }

    @Override
    public void seen(WorkerReport report) {
        boolean first = database.single((connection, again) -> {
            try (Call call = seen.on(connection)) {
                return call.set("id", report.workerId())
                        .set("pid", (Long) report.pid())
                        .set("slots", (Integer) report.slots())
                        .set("running", (Integer) report.running())
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
                        .list(row -> row.getBoolean(1))
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

    private static int timeout(KnownDefinition definition) {
        return (int) definition.defaults().timeout().toSeconds();
    }

    private static Long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }

    private static KnownDefinition definition(ResultSet row) throws SQLException {
        var defaults = new KnownDefinition.Defaults(
                row.getString(5), row.getInt(6), Duration.ofSeconds(row.getInt(7)), row.getInt(8));
        return new KnownDefinition(
                new DefinitionRef(row.getString(1), row.getInt(2)),
                row.getString(3),
                row.getString(4),
                defaults,
                row.getString(9),
                Call.instantOf(row, 10));
    }

    private static KnownWorker worker(ResultSet row) throws SQLException {
        Set<DefinitionRef> known = new HashSet<>();
        texts(row, 6).forEach(name -> known.add(DefinitionRef.parse(name)));
        var report = new WorkerReport(
                row.getString(1),
                row.getString(2),
                row.getLong(3),
                row.getString(4),
                texts(row, 5),
                known,
                row.getInt(7),
                row.getInt(8),
                row.getBoolean(9));
        return KnownWorker.of(
                report, Call.instantOf(row, 10), Call.instantOf(row, 11), row.getBoolean(12), Call.instantOf(row, 13));
    }

    private static List<String> texts(ResultSet row, int column) throws SQLException {
        Array array = row.getArray(column);
        return List.of((String[]) array.getArray());
    }
}
