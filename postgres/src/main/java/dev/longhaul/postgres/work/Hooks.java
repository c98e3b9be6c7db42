package dev.longhaul.postgres.work;

import static dev.longhaul.postgres.database.Call.column;

import dev.longhaul.error.Problems;
import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.job.Reads;
import dev.longhaul.spi.HookSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Returns ended jobs whose hooks are due: effects that {@code finish.sql} inserts together with the end of a job. */
public final class Hooks implements HookSource {
    private final NamedSql addHooks = NamedSql.load("work/add_hooks");
    private final NamedSql removeHooks = NamedSql.load("work/remove_hooks");
    private final NamedSql takeHooks = NamedSql.load("work/take_hooks");
    private final NamedSql forgetHooks = NamedSql.load("work/forget_hooks");
    private final NamedSql lockFinished = NamedSql.load("job/lock_finished");
    private final NamedSql appendAfterEnd = NamedSql.load("job/append_after_end");
    private final Database database;
    private final Reads reads;
    private final Signals signals;

    public Hooks(Database database, Reads reads, Signals signals) {
        this.database = database;
        this.reads = reads;
        this.signals = signals;
    }

    public void register(String definitionKey, boolean any) {
        new Problems()
                .require(Names.valid(definitionKey), "definitionKey", definitionKey, Names.RULE)
                .throwIfAny();
        database.single((connection, again) -> {
            try (Call call = (any ? addHooks : removeHooks).on(connection)) {
                return call.set("key", definitionKey).update();
            }
        });
    }

    @Override
    public List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold) {
        List<DefinitionRef> known = List.copyOf(definitions);
        return database.transaction((connection, again) -> {
            List<JobId> taken;
            try (Call call = takeHooks.on(connection)) {
                taken = call.texts(
                                "keys", known.stream().map(DefinitionRef::key).toList())
                        .ints(
                                "versions",
                                known.stream().map(DefinitionRef::version).toList())
                        .set("max", (Integer) max)
                        .set("hold", (Long) (hold.toNanos() / 1000))
                        .list(row -> new JobId(row.uuid("job_id")));
            }
            return ended(connection, taken);
        });
    }

    /** Returns those of the given jobs that are still ended, because the hooks of a retried job must not run. */
    private List<Job> ended(Connection connection, List<JobId> ids) throws SQLException {
        Map<JobId, Job> found = reads.find(connection, ids);
        var ended = new ArrayList<Job>();
        var stale = new ArrayList<JobId>();
        for (JobId id : ids) {
            Job job = found.get(id);
            if (job != null && job.state().terminal()) {
                ended.add(job);
            } else {
                stale.add(id);
            }
        }
        forget(connection, stale);
        return ended;
    }

    @Override
    public void hooksDone(JobId id, List<String> failures) {
        database.transaction((connection, again) -> {
            boolean ended;
            try (Call call = lockFinished.on(connection)) {
                ended = !call.set("id", id.value()).list(row -> true).isEmpty();
            }
            // No row exists if the hooks were reported already, by a call whose response was lost or by another worker.
            boolean due = forget(connection, List.of(id)) > 0;
            return due && ended && !failures.isEmpty() && append(connection, id, failures);
        });
        if (!failures.isEmpty()) {
            signals.changed(id);
        }
    }

    private boolean append(Connection connection, JobId id, List<String> failures) throws SQLException {
        String type = EventType.HOOK_FAILED.wireName();
        try (Call call = appendAfterEnd.on(connection)) {
            call.set("id", id.value())
                    .set("type", type)
                    .texts("payloads", column(failures, message -> Payload.of(Failure.of(type, message))))
                    .update();
            return true;
        }
    }

    private int forget(Connection connection, Collection<JobId> ids) throws SQLException {
        if (ids.isEmpty()) {
            return 0;
        }
        try (Call call = forgetHooks.on(connection)) {
            return call.uuids("ids", ids.stream().map(JobId::value).toList()).update();
        }
    }
}
