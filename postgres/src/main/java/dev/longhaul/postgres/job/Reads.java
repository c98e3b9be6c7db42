package dev.longhaul.postgres.job;

import dev.longhaul.JobQuery;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.event.Payload;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Step;
import dev.longhaul.postgres.database.Call;
import dev.longhaul.postgres.database.Database;
import dev.longhaul.postgres.database.NamedSql;
import dev.longhaul.postgres.database.Row;
import dev.longhaul.spi.JobCounts;
import dev.longhaul.spi.JobPage;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads jobs, their runs, steps and events: the reading half of {@link PostgresJobs}. */
public class Reads {
    private static final String BRIEF_OCTETS = octets("error_message");
    private static final String FAILURE_OCTETS = BRIEF_OCTETS + " + " + octets("error_stack");
    private static final String JOB_OCTETS = FAILURE_OCTETS + " + " + octets("params") + " + " + octets("result");

    private final NamedSql readOnly = NamedSql.load("upkeep/read_only");
    private final NamedSql find = NamedSql.load("job/find");
    private final NamedSql lastSequence = NamedSql.load("work/last_sequence");
    private final NamedSql findByKey = NamedSql.load("job/find_by_key");
    private final Map<JobQuery.Order, NamedSql> list = pages("{job_columns}", JOB_OCTETS);
    private final Map<JobQuery.Order, NamedSql> listBrief = pages("{brief_job_columns}", BRIEF_OCTETS);
    private final NamedSql count = NamedSql.load(
            "job/count", Map.of("list", list(JobQuery.Order.NEWEST, "j.status").source()));
    private final NamedSql runs = NamedSql.load("job/runs").bounded("run", FAILURE_OCTETS);
    private final NamedSql steps = NamedSql.load("job/steps");
    private final NamedSql events =
            NamedSql.load("job/events").bounded("position", octets("payload") + " + " + octets("error_message"));
    private final Database database;
    private final Database forLists;
    private final PostgresQueues queues;

    Reads(Database database, Database forLists, PostgresQueues queues) {
        this.database = database;
        this.forLists = forLists;
        this.queues = queues;
    }

    /** Fails if the database accepts no writes, as far as that can be determined without writing. */
    public void checkWritable() {
        boolean refuses = database.single((connection, again) -> {
            try (Call call = readOnly.on(connection)) {
                return call.list(row -> row.flag("read_only")).get(0);
            }
        });
        String refusal = refuses
                ? "it is read-only, perhaps a standby"
                : database.refusals().recent();
        if (refusal != null) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "the database refuses writes: " + refusal);
        }
    }

    public Optional<Job> find(JobId id) {
        return database.single((connection, again) ->
                Optional.ofNullable(find(connection, List.of(id)).get(id)));
    }

    public OptionalInt lastSequence(Claim claim) {
        return database.single((connection, again) -> {
            try (Call call = lastSequence.on(connection)) {
                return Rows.bindClaims(call, List.of(claim)).list(row -> row.integer("last_sequence")).stream()
                        .mapToInt(Integer::intValue)
                        .findFirst();
            }
        });
    }

    public Optional<Job> find(String definitionKey, @Nullable Integer version, String idempotencyKey) {
        return database.single((connection, again) -> {
            try (Call call = findByKey.on(connection)) {
                return call
                        .set("definitionKey", definitionKey)
                        .set("version", version)
                        .set("key", idempotencyKey)
                        .list(Rows::job)
                        .stream()
                        .findFirst();
            }
        });
    }

    /** Returns those of the given jobs that exist. */
    public Map<JobId, Job> find(Connection connection, Collection<JobId> ids) throws SQLException {
        return find(connection, find, ids);
    }

    static Map<JobId, Job> find(Connection connection, NamedSql find, Collection<JobId> ids) throws SQLException {
        var found = new HashMap<JobId, Job>();
        if (!ids.isEmpty()) {
            try (Call call = find.on(connection)) {
                call.uuids("ids", ids.stream().map(JobId::value).toList())
                        .list(Rows::job)
                        .forEach(job -> found.put(job.id(), job));
            }
        }
        return found;
    }

    private static String octets(String column) {
        return "coalesce(octet_length(p." + column + "), 0)";
    }

    private static NamedSql list(JobQuery.Order order, String columns) {
        boolean newest = order == JobQuery.Order.NEWEST;
        return NamedSql.load(
                "job/list", Map.of("order", newest ? "desc" : "asc", "beyond", newest ? "<" : ">", "columns", columns));
    }

    private static Map<JobQuery.Order, NamedSql> pages(String columns, String octets) {
        var pages = new EnumMap<JobQuery.Order, NamedSql>(JobQuery.Order.class);
        for (JobQuery.Order order : JobQuery.Order.values()) {
            String direction = order == JobQuery.Order.NEWEST ? "desc" : "asc";
            pages.put(order, list(order, columns).bounded("id " + direction, octets));
        }
        return pages;
    }

    public JobPage list(JobQuery query) {
        NamedSql sql = Objects.requireNonNull((query.brief() ? listBrief : list).get(query.order()));
        var found = new AtomicInteger();
        List<Job> jobs = (query.fresh() ? database : forLists).single((connection, again) -> {
            try (Call call = sql.on(connection)) {
                bind(call, query);
                return call.list(row -> {
                    found.set(row.integer("found"));
                    return Rows.job(row);
                });
            }
        });
        return JobPage.of(jobs, jobs.isEmpty() ? 0 : found.get(), query.limit());
    }

    public JobCounts count(JobQuery query) {
        return query.onlyByStatus() ? queues.count(query.statuses()) : countNewest(query);
    }

    /**
     * Counts the newest matches up to a limit, because a filter with very many matches need not be counted completely.
     */
    private JobCounts countNewest(JobQuery query) {
        var all = query.forCounting();
        var counts = new EnumMap<JobStatus, Long>(JobStatus.class);
        forLists.single((connection, again) -> {
            try (Call call = count.on(connection)) {
                bind(call, all);
                call.set("limit", (Integer) (JobCounts.MOST_COUNTED + 1));
                return call.list(row -> counts.put(JobStatus.parse(row.text("status")), row.bigint("jobs")));
            }
        });
        long found = counts.values().stream().mapToLong(Long::longValue).sum();
        return new JobCounts(counts, found <= JobCounts.MOST_COUNTED);
    }

    private static void bind(Call call, JobQuery query) throws SQLException {
        JobId cursor = query.cursor();
        boolean all = query.statuses().isEmpty();
        call.set("cursor", cursor == null ? null : cursor.value())
                .shorts(
                        "states",
                        all
                                ? null
                                : query.statuses().stream()
                                        .map(status -> status.state().code())
                                        .collect(Collectors.toSet()))
                .texts(
                        "statuses",
                        all
                                ? null
                                : query.statuses().stream()
                                        .map(JobStatus::wireName)
                                        .toList())
                .set("definitionKey", query.definitionKey())
                .set("queue", query.queue())
                .set("namePrefix", query.namePrefix())
                .texts("labels", Rows.labels(query.labels()))
                .set("correlationId", query.correlationId())
                .set("createdBy", query.createdBy())
                .set("createdAfter", query.createdAfter())
                .set("createdBefore", query.createdBefore())
                .set("lowestId", idBound(query.createdAfter(), -1))
                .set("finishedAfter", query.finishedAfter())
                .set("finishedBefore", query.finishedBefore())
                .set("highestId", idBound(earlier(query.createdBefore(), query.finishedBefore()), 1))
                // One more than requested shows whether there is a next page.
                .set("limit", query.limit() + 1);
    }

    /** The earlier of two bounds: a job was created before it finished, so both bound its id. */
    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        return one == null || (other != null && other.isBefore(one)) ? other : one;
    }

    private static @Nullable UUID idBound(@Nullable Instant at, int direction) {
        if (at == null) {
            return null;
        }
        Instant bound = at.plus(Limits.CLOCK_SKEW.multipliedBy(direction));
        // Ids start in 1970.
        return Uuid7.lowest(Math.max(0, bound.toEpochMilli()));
    }

    public List<Run> runs(JobId id, int after, int limit) {
        return database.single((connection, again) -> {
            try (Call call = runs.on(connection)) {
                return call.set("id", id.value())
                        .set("after", (Integer) after)
                        .set("limit", (Integer) limit)
                        .list(row -> new Run(
                                id,
                                row.integer("run"),
                                row.integer("attempt"),
                                RunStatus.ofCode(row.integer("status")),
                                row.text("worker_id"),
                                row.instant("started_at"),
                                row.instantOrNull("ended_at"),
                                row.instant("updated_at"),
                                Rows.failure(row)));
            }
        });
    }

    public List<Step> steps(JobId id) {
        return database.single((connection, again) -> {
            try (Call call = steps.on(connection)) {
                return call.set("id", id.value()).list(row -> new Step(row.text("name"), row.text("result")));
            }
        });
    }

    public List<JobEvent> events(EventQuery query) {
        return database.single((connection, again) -> {
            try (Call call = events.on(connection)) {
                return call.set("id", query.jobId().value())
                        .set("after", query.after())
                        .set("run", query.run())
                        .set("fromSequence", query.fromSequence())
                        .set("from", query.from())
                        .texts(
                                "types",
                                query.types().isEmpty()
                                        ? null
                                        : query.types().stream()
                                                .map(EventType::wireName)
                                                .toList())
                        .set("limit", query.limit())
                        .list(row -> event(query.jobId(), row));
            }
        });
    }

    private static JobEvent event(JobId id, Row row) throws SQLException {
        String code = row.textOrNull("error_code");
        String payload =
                code == null ? row.textOrNull("payload") : Payload.of(Failure.of(code, row.text("error_message")));
        return new JobEvent(
                id,
                row.integer("position"),
                row.integer("run"),
                row.integer("sequence"),
                EventType.parse(row.text("type")),
                row.instant("at"),
                payload);
    }
}
