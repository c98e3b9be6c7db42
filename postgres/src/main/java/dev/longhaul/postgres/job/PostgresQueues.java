package dev.longhaul.postgres.job;

import dev.longhaul.access.AuditDetail;
import dev.longhaul.internal.store.AuditDetails;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.postgres.access.Audit;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.postgres.database.Signals;
import dev.longhaul.postgres.work.Lanes;
import dev.longhaul.queue.Pause;
import dev.longhaul.queue.QueuePosition;
import dev.longhaul.queue.QueueRules;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.spi.JobCounts;
import dev.longhaul.spi.QueueStore;
import dev.longhaul.spi.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Queues and the limits of definitions: their job counts, pauses and other settings. */
public final class PostgresQueues implements QueueStore {
    private final NamedSql find = NamedSql.load("job/find");
    private final NamedSql queues = NamedSql.load("stats/queues");
    private final NamedSql pages = NamedSql.load("stats/job_pages");
    private final NamedSql position = NamedSql.load("stats/queue_position");
    private final NamedSql pause = NamedSql.load("work/pause");
    private final NamedSql resume = NamedSql.load("work/resume");
    private final NamedSql maxDepth = NamedSql.load("work/max_depth");
    private final NamedSql lockQueue = NamedSql.load("work/lock_queue");
    private final NamedSql followLimits = NamedSql.load("work/follow_limits");
    private final NamedSql runsCounted = NamedSql.load("work/runs_counted");
    private final NamedSql countRunning = NamedSql.load("work/count_running");
    private final Database database;
    private final Database forLists;
    private final Lanes lanes;
    private final Signals signals;

    /** @param forLists the database for counting jobs: the read replica if there is one */
    public PostgresQueues(Database database, Database forLists, Lanes lanes, Signals signals) {
        this.database = database;
        this.forLists = forLists;
        this.lanes = lanes;
        this.signals = signals;
    }

    private record StatusCount(
            String queue,
            @Nullable String status,
            long jobs,
            @Nullable Instant oldest,
            @Nullable Pause pause,
            @Nullable Integer maxDepth,
            Instant now) {}

    /** The percentage of each table that is read to estimate its number of jobs. */
    private record Sample(double live, double finished) {
        /** The most pages to read for an estimate: about fifty thousand jobs, which take tens of milliseconds. */
        private static final double MOST_PAGES = 2000;

        static Sample of(long livePages, long finishedPages) {
            return new Sample(percent(livePages), percent(finishedPages));
        }

        private static double percent(long pages) {
            return pages <= MOST_PAGES ? 100 : 100 * MOST_PAGES / pages;
        }

        boolean whole() {
            return live == 100 && finished == 100;
        }
    }

    private Sample sample() {
        return forLists.single((connection, again) -> {
            try (Call call = pages.on(connection)) {
                return call.list(row -> Sample.of(row.bigint("live_pages"), row.bigint("finished_pages")))
                        .get(0);
            }
        });
    }

    /** Counts jobs of these statuses; of every status when none is given. */
    JobCounts count(Set<JobStatus> statuses) {
        var counts = new EnumMap<JobStatus, Long>(JobStatus.class);
        boolean exact = true;
        for (QueueStats queue : all()) {
            queue.counts().forEach((status, jobs) -> counts.merge(status, jobs, Long::sum));
            exact &= !queue.estimated();
        }
        if (!statuses.isEmpty()) {
            counts.keySet().retainAll(statuses);
        }
        return new JobCounts(counts, exact);
    }

    @Override
    public Optional<QueuePosition> position(JobId id) {
        Optional<Job> found = database.single((connection, again) ->
                Optional.ofNullable(Reads.find(connection, find, List.of(id)).get(id)));
        return found.map(this::position);
    }

    private QueuePosition position(Job job) {
        return database.single((connection, again) -> {
            try (Call call = position.on(connection)) {
                return call
                        .set("id", job.id().value())
                        .set("most", (Integer) QueuePosition.MOST_COUNTED)
                        .list(row -> position(job, row))
                        .stream()
                        .findFirst()
                        .orElse(new QueuePosition(job, null, 0, 0, 0, 0));
            }
        });
    }

    private static QueuePosition position(Job job, Row row) throws SQLException {
        return new QueuePosition(
                job,
                pause(row),
                row.integer("max_running"),
                row.integer("running"),
                row.integer("ahead"),
                row.integer("ahead_by_priority"));
    }

    @Override
    public long dueCount(List<String> of, @Nullable Set<DefinitionRef> definitions) {
        return lanes.dueCount(of, definitions);
    }

    @Override
    public List<QueueStats> all() {
        Sample sample = sample();
        List<StatusCount> rows = forLists.single((connection, again) -> {
            try (Call call = queues.on(connection)) {
                call.set("live", String.valueOf(sample.live())).set("finished", String.valueOf(sample.finished()));
                return call.list(row -> new StatusCount(
                        row.text("queue"),
                        row.textOrNull("status"),
                        row.bigint("jobs"),
                        row.instantOrNull("oldest"),
                        pause(row),
                        row.integerOrNull("max_depth"),
                        row.instant("now")));
            }
        });
        var stats = new LinkedHashMap<String, QueueStats>();
        for (StatusCount row : rows) {
            stats.merge(row.queue(), stats(row, !sample.whole()), PostgresQueues::merged);
        }
        return List.copyOf(stats.values());
    }

    private static @Nullable Pause pause(Row row) throws SQLException {
        Instant since = row.instantOrNull("paused_at");
        return since == null ? null : new Pause(since, row.textOrNull("paused_by"), row.textOrNull("paused_note"));
    }

    private static QueueStats stats(StatusCount row, boolean estimated) {
        String status = row.status();
        Instant oldest = row.oldest();
        return new QueueStats(
                row.queue(),
                status == null ? Map.of() : Map.of(JobStatus.parse(status), row.jobs()),
                oldest == null ? null : Duration.between(oldest, row.now()),
                row.pause(),
                row.maxDepth(),
                estimated);
    }

    private static QueueStats merged(QueueStats one, QueueStats other) {
        var counts = new EnumMap<JobStatus, Long>(JobStatus.class);
        counts.putAll(one.counts());
        other.counts().forEach((status, jobs) -> counts.merge(status, jobs, Long::sum));
        Duration oldest = one.oldestDue() == null ? other.oldestDue() : one.oldestDue();
        return new QueueStats(one.queue(), counts, oldest, one.pause(), one.maxDepth(), one.estimated());
    }

    @Override
    public void pause(String queue, @Nullable String by, @Nullable String note) {
        QueueRules.require(queue, null);
        var tidy = new Pause(Instant.EPOCH, by, note);
        audited("queue.pause", queue, () -> AuditDetails.of(tidy), connection -> {
            try (Call call = pause.on(connection)) {
                call.set("queue", queue)
                        .set("by", tidy.by())
                        .set("note", tidy.note())
                        .update();
            }
        });
    }

    @Override
    public void resume(String queue) {
        audited("queue.resume", queue, AuditDetail::new, connection -> {
            try (Call call = resume.on(connection)) {
                call.set("queue", queue).update();
            }
        });
        signals.send(new Signal(Signal.Kind.WORK, queue));
    }

    @Override
    public void maxDepth(String queue, @Nullable Integer depth) {
        QueueRules.require(queue, depth);
        var detail = new AuditDetail();
        audited("queue.maxDepth", queue, () -> detail, connection -> {
            try (Call call = lockQueue.on(connection)) {
                Integer before =
                        call
                                .set("queue", queue)
                                .list(row -> Optional.ofNullable(row.integerOrNull("max_depth")))
                                .stream()
                                .flatMap(Optional::stream)
                                .findFirst()
                                .orElse(null);
                detail.change("maxDepth", before, depth);
            }
            try (Call call = maxDepth.on(connection)) {
                call.set("queue", queue).set("maxDepth", depth).update();
            }
        });
    }

    /** Sets the limits of these keys to those of the catalog, in the transaction that changes the catalog. */
    void followLimits(Connection connection, List<String> keys) throws SQLException {
        try (Call call = followLimits.on(connection)) {
            call.texts("keys", keys).update();
        }
    }

    /**
     * Counts runs that began before their definition had a limit. Call after the limit is committed: claims see it only
     * then.
     */
    void countRunning(List<String> keys) {
        for (String key : Set.copyOf(keys)) {
            boolean counted = database.single((connection, again) -> {
                try (Call call = runsCounted.on(connection)) {
                    return call.set("key", key).list(row -> row.flag("counted")).get(0);
                }
            });
            if (!counted) {
                database.single((connection, again) -> {
                    try (Call call = countRunning.on(connection)) {
                        return call.set("key", key).update();
                    }
                });
            }
        }
    }

    /** A change of settings. */
    private interface Change {
        void on(Connection connection) throws SQLException;
    }

    private void audited(String action, String subject, Supplier<AuditDetail> detail, Change change) {
        Audit audit = Audit.of(action);
        database.transaction((connection, again) -> {
            change.on(connection);
            audit.write(connection, subject, detail);
            return true;
        });
    }
}
