package dev.longhaul.postgres.work;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.job.Rows;
import dev.longhaul.work.WorkFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The lanes of waiting jobs: when the first job of each is due, and how many jobs are due. */
public final class Lanes {
    private final NamedSql lastLifeDue = NamedSql.load("work/last_life_due");
    private final NamedSql lanes = NamedSql.load("work/lanes");
    private final NamedSql dueCount = NamedSql.load("work/due_count");
    private final NamedSql snapshot = NamedSql.load("work/snapshot");
    private final Database database;

    public Lanes(Database database) {
        this.database = database;
    }

    /** One lane of waiting jobs: all waiting jobs with the same definition, version, priority and queue. */
    record Lane(
            String queue, String definitionKey, int definitionVersion, short rank, Instant firstRunAt, Instant now) {

        Lane raisedTo(Instant runAt) {
            return runAt.isAfter(firstRunAt) ? startingAt(runAt) : this;
        }

        Lane loweredTo(Instant runAt) {
            return runAt.isBefore(firstRunAt) ? startingAt(runAt) : this;
        }

        private Lane startingAt(Instant runAt) {
            return new Lane(queue, definitionKey, definitionVersion, rank, runAt, now);
        }
    }

    Optional<Duration> untilNextDue(WorkFilter filter) {
        if (filter.lastLife()) {
            return lastLifeDue(filter) ? Optional.of(Duration.ZERO) : Optional.empty();
        }
        return of(filter.queues(), filter.definitions()).stream()
                .map(lane -> Duration.between(lane.now(), lane.firstRunAt()))
                .min(Comparator.naturalOrder())
                .map(wait -> wait.isNegative() ? Duration.ZERO : wait);
    }

    private boolean lastLifeDue(WorkFilter filter) {
        return database.single((connection, again) -> {
            try (Call call = lastLifeDue.on(connection)) {
                return Rows.bindDefinitions(call.texts("queues", filter.queues()), filter.definitions())
                        .list(row -> row.flag("due"))
                        .get(0);
            }
        });
    }

    public long dueCount(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        List<Lane> known = of(queues, definitions);
        return database.single((connection, again) -> {
            try (Call call = dueCount.on(connection)) {
                return call.texts("queues", known.stream().map(Lane::queue).toList())
                        .texts("keys", known.stream().map(Lane::definitionKey).toList())
                        .ints(
                                "versions",
                                known.stream().map(Lane::definitionVersion).toList())
                        .shorts("ranks", known.stream().map(Lane::rank).toList())
                        .list(row -> row.bigint("jobs"))
                        .get(0);
            }
        });
    }

    private List<Lane> of(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return database.single((connection, again) -> {
            try (Call call = lanes.on(connection)) {
                return Rows.bindDefinitions(call.texts("queues", queues).set("most", (Integer) null), definitions)
                        .list(row -> new Lane(
                                row.text("queue"),
                                row.text("definition_key"),
                                row.integer("definition_version"),
                                (short) row.integer("rank"),
                                row.instant("run_at"),
                                row.instant("now")));
            }
        });
    }

    /** Reads the lanes of these queues and the running transactions. */
    ClaimFloor.Probe probe(List<String> queues) {
        return new ClaimFloor.Probe() {
            @Override
            public List<Lane> lanes() {
                return of(queues, null);
            }

            @Override
            public ClaimFloor.Snapshot snapshot() {
                return database.single((connection, again) -> {
                    try (Call call = snapshot.on(connection)) {
                        return call.list(row -> ClaimFloor.Snapshot.parse(row.text("snapshot"), row.instant("now")))
                                .get(0);
                    }
                });
            }
        };
    }
}
