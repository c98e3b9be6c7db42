package dev.longhaul.postgres.intake;

import dev.longhaul.intake.IntakeProgress;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.job.Inserts;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The progress of an intake's writers, in the database. */
public final class PostgresIntakeProgress implements IntakeProgress {
    private final NamedSql takeOver = NamedSql.load("intake/take_over");
    private final NamedSql stored = NamedSql.load("intake/stored");
    private final NamedSql addAliases = NamedSql.load("intake/add_aliases");
    private final NamedSql aliasOf = NamedSql.load("intake/alias_of");
    private final NamedSql progress = NamedSql.load("intake/progress");
    private final Database database;
    private final Inserts inserts;

    public PostgresIntakeProgress(Database database, Inserts inserts) {
        this.database = database;
        this.inserts = inserts;
    }

    @Override
    public Map<Integer, Long> takeOver(String writer, Set<Integer> partitions) {
        return database
                .single(
                        takeOver,
                        call -> call.set("writer", writer)
                                .ints("partitions", partitions)
                                .list(row -> Map.entry(row.integer("partition"), row.bigint("next_offset"))))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    @Override
    public List<JobId> insert(List<JobSpec> specs) {
        return inserts.insertDeferred(specs).stream()
                .map(inserted -> inserted.job().id())
                .toList();
    }

    @Override
    public boolean stored(String writer, List<Stored> partitions) {
        return partitions.isEmpty()
                || database.single(
                                stored,
                                call -> call.set("writer", writer)
                                        .ints(
                                                "partitions",
                                                partitions.stream()
                                                        .map(Stored::partition)
                                                        .toList())
                                        .longs(
                                                "nextOffsets",
                                                partitions.stream()
                                                        .map(Stored::nextOffset)
                                                        .toList())
                                        .instants(
                                                "ats",
                                                partitions.stream()
                                                        .map(Stored::at)
                                                        .toList())
                                        .update())
                        > 0;
    }

    @Override
    public void alias(List<Alias> aliases) {
        if (!aliases.isEmpty()) {
            database.single(
                    addAliases,
                    call -> call.uuids(
                                    "ids",
                                    aliases.stream()
                                            .map(alias -> alias.id().value())
                                            .toList())
                            .uuids(
                                    "firsts",
                                    aliases.stream()
                                            .map(alias -> alias.first().value())
                                            .toList())
                            .update());
        }
    }

    @Override
    public Optional<JobId> aliasOf(JobId id) {
        return database
                .single(aliasOf, call -> call.set("id", id.value()).list(row -> new JobId(row.uuid("first_id"))))
                .stream()
                .findFirst();
    }

    @Override
    public List<Stored> progress() {
        return database.single(
                progress,
                call -> call.list(
                        row -> new Stored(row.integer("partition"), row.bigint("next_offset"), row.instant("at"))));
    }
}
