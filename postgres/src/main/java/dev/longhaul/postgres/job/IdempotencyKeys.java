package dev.longhaul.postgres.job;

import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Takes idempotency keys for new jobs. The first job with a key holds it for version {@link #FIRST}; a job of another
 * version that its caller chose additionally holds it for that version. The row of the first job serializes all inserts
 * with one key, so that two servers that resolve an omitted version differently still store one job.
 */
final class IdempotencyKeys {
    /** Stands for the version of the first job, whichever it is. */
    private static final int FIRST = 0;

    private final NamedSql insertVersionKeys = NamedSql.load("job/insert_version_keys");
    private final NamedSql takeOverKey = NamedSql.load("job/take_over_key");
    private final NamedSql insertKeys;
    private final NamedSql findKeys;
    private final NamedSql find;

    IdempotencyKeys(UnaryOperator<NamedSql> planning) {
        this.insertKeys = planning.apply(NamedSql.load("job/insert_keys"));
        this.findKeys = planning.apply(NamedSql.load("job/find_keys"));
        this.find = planning.apply(NamedSql.load("job/find"));
    }

    /** Takes the specs' keys; returns, for each spec whose key is taken, the job that holds the key. */
    Map<JobId, JobId> take(Connection connection, Collection<JobSpec> specs) throws SQLException {
        List<JobSpec> keyed =
                specs.stream().filter(spec -> spec.idempotencyKey() != null).toList();
        if (keyed.isEmpty()) {
            return Map.of();
        }
        Set<UUID> won = insert(connection, insertKeys, keyed);
        List<JobSpec> late = without(won, keyed);
        if (late.isEmpty()) {
            return Map.of();
        }
        var versions = new HashMap<JobId, Integer>();
        keyed.stream()
                .filter(spec -> won.contains(spec.id().value()))
                .forEach(spec -> versions.put(spec.id(), version(spec)));
        return ownersOf(connection, late, versions);
    }

    /** @param versions of the jobs that this transaction is about to store */
    private Map<JobId, JobId> ownersOf(Connection connection, List<JobSpec> late, Map<JobId, Integer> versions)
            throws SQLException {
        Map<String, Map<Integer, JobId>> held = held(connection, late);
        List<JobId> holders =
                held.values().stream().flatMap(one -> one.values().stream()).toList();
        Reads.find(connection, find, holders)
                .forEach((id, job) -> versions.put(id, job.spec().definition().version()));
        var owners = new HashMap<JobId, JobId>();
        var unheld = new ArrayList<JobSpec>();
        for (JobSpec spec : late) {
            Map<Integer, JobId> rows = rows(held, spec);
            Integer row = rowFor(spec, rows, versions);
            JobId owner = row == null ? null : rows.get(row);
            if (row == null || owner == null) {
                unheld.add(spec);
            } else if (versions.containsKey(owner)) {
                owners.put(spec.id(), owner);
            } else {
                takeOver(connection, spec, row, owner);
                rows.put(row, spec.id());
                versions.put(spec.id(), version(spec));
            }
        }
        owners.putAll(takeForVersions(connection, unheld));
        return owners;
    }

    /**
     * Returns the version of the key row that decides whether the spec is a duplicate; null if none does. The spec is a
     * duplicate of the job in that row, unless retention has removed that job.
     */
    private static @Nullable Integer rowFor(JobSpec spec, Map<Integer, JobId> rows, Map<JobId, Integer> versions) {
        JobId first = rows.get(FIRST);
        if (!spec.keyOfVersion()) {
            return first == null ? rows.keySet().iterator().next() : (Integer) FIRST;
        }
        int version = version(spec);
        if (rows.containsKey(version)) {
            return version;
        }
        boolean stands = first != null && versions.getOrDefault(first, version) == version;
        return stands ? (Integer) FIRST : null;
    }

    private Map<JobId, JobId> takeForVersions(Connection connection, List<JobSpec> specs) throws SQLException {
        if (specs.isEmpty()) {
            return Map.of();
        }
        List<JobSpec> late = without(insert(connection, insertVersionKeys, specs), specs);
        var owners = new HashMap<JobId, JobId>();
        Map<String, Map<Integer, JobId>> held = late.isEmpty() ? Map.of() : held(connection, late);
        for (JobSpec spec : late) {
            JobId owner = rows(held, spec).get(version(spec));
            if (owner == null) {
                throw removed();
            }
            owners.put(spec.id(), owner);
        }
        return owners;
    }

    private static Set<UUID> insert(Connection connection, NamedSql sql, List<JobSpec> specs) throws SQLException {
        try (Call call = sql.on(connection)) {
            bind(call, specs)
                    .uuids("ids", specs.stream().map(spec -> spec.id().value()).toList());
            if (sql.has("versions")) {
                call.ints(
                        "versions", specs.stream().map(IdempotencyKeys::version).toList());
            }
            return new HashSet<>(call.list(row -> row.uuid("job_id")));
        }
    }

    /** The rows of these specs' keys, by key and version, in the order of their jobs' ids. */
    private Map<String, Map<Integer, JobId>> held(Connection connection, List<JobSpec> specs) throws SQLException {
        var held = new HashMap<String, Map<Integer, JobId>>();
        try (Call call = findKeys.on(connection)) {
            bind(call, specs)
                    .list(row -> held.computeIfAbsent(
                                    row.text("definition_key") + "\0" + row.text("key"), key -> new LinkedHashMap<>())
                            .put(row.integer("definition_version"), new JobId(row.uuid("job_id"))));
        }
        return held;
    }

    private static Call bind(Call call, List<JobSpec> specs) throws SQLException {
        return call.texts(
                        "definitionKeys",
                        specs.stream().map(spec -> spec.definition().key()).toList())
                .texts("keys", specs.stream().map(JobSpec::idempotencyKey).toList());
    }

    /** Transfers a key to the spec after retention has removed the key's job. */
    private void takeOver(Connection connection, JobSpec spec, int version, JobId owner) throws SQLException {
        try (Call call = takeOverKey.on(connection)) {
            call.set("id", spec.id().value())
                    .set("definitionKey", spec.definition().key())
                    .set("key", spec.idempotencyKey())
                    .set("version", version)
                    .set("owner", owner.value())
                    .update();
        }
    }

    private static Map<Integer, JobId> rows(Map<String, Map<Integer, JobId>> held, JobSpec spec) throws SQLException {
        Map<Integer, JobId> rows = held.get(spec.definition().key() + "\0" + spec.idempotencyKey());
        if (rows == null) {
            throw removed();
        }
        return rows;
    }

    private static SQLException removed() {
        return new SQLException("an idempotency key has just been removed", Database.AGAIN);
    }

    private static List<JobSpec> without(Set<UUID> won, List<JobSpec> specs) {
        return specs.stream().filter(spec -> !won.contains(spec.id().value())).toList();
    }

    private static int version(JobSpec spec) {
        return spec.definition().version();
    }
}
