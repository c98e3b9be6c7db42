package dev.longhaul.api.rest;

import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Query;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Run;
import dev.longhaul.queue.QueuePosition;
import dev.longhaul.spi.JobCounts;
import dev.longhaul.spi.Store;
import dev.longhaul.stats.DatabaseHealth;
import dev.longhaul.stats.Meter;
import dev.longhaul.stats.Numbers;
import dev.longhaul.stats.SeriesQuery;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.stats.TimeSeries;
import dev.longhaul.usecase.WhyWaiting;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Routes for statistics, and for the reasons why a job is still waiting. */
public final class StatsRoutes {
    private static final int AN_HOUR = 3600;
    private static final int LONGEST = (int) StatsStore.KEEP_COARSE.toSeconds();
    private static final double MEDIAN = 0.5;
    private static final double MOST = 0.95;

    private final Store store;

    public StatsRoutes(Store store) {
        this.store = store;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/jobs/count", Role.VIEWER, this::count),
                Route.get("/v1/jobs/{id}/why", Role.VIEWER, this::why),
                Route.get("/v1/stats/timeseries", Role.VIEWER, this::timeSeries),
                Route.get("/v1/stats/failures", Role.VIEWER, this::failures),
                Route.get("/v1/stats/database", Role.OPERATOR, this::database));
    }

    private Response count(Call call) {
        JobCounts found = store.jobs().count(JobFilter.page(call.query(), call.caller(), true));
        return Answer.ok(out -> out.object(() -> {
            counts(out, found.counts());
            out.number(
                    "total",
                    found.counts().values().stream().mapToLong(Long::longValue).sum());
            out.flag("exact", found.exact());
        }));
    }

    static void counts(Answer out, Map<JobStatus, Long> counts) {
        out.object("counts", () -> {
            for (JobStatus status : JobStatus.values()) {
                out.number(status.wireName(), counts.getOrDefault(status, 0L));
            }
        });
    }

    private Response why(Call call) {
        call.query().done();
        QueuePosition position =
                store.queues().position(call.jobId()).orElseThrow(() -> Refusal.notFound(call.jobId()));
        List<KnownWorker> workers = store.catalog().workers();
        List<WhyWaiting.Reason> reasons = WhyWaiting.of(position, workers, lastWorker(call, position), store.now());
        return Answer.ok(out -> out.object(() -> {
            out.text("jobId", position.job().id().toString());
            out.text("status", position.job().status().wireName());
            out.list(
                    "reasons",
                    reasons,
                    one -> out.object(() -> {
                        out.text("code", one.code());
                        out.text("message", one.message());
                    }));
        }));
    }

    private @Nullable String lastWorker(Call call, QueuePosition position) {
        boolean shown = position.job().failure() != null && JobJson.View.of(call.caller()) != JobJson.View.PUBLIC;
        List<Run> runs = shown ? store.jobs().runs(position.job().id()) : List.of();
        return runs.isEmpty() ? null : runs.get(runs.size() - 1).workerId();
    }

    private Response timeSeries(Call call) {
        Query query = call.query();
        int range = query.number("rangeSeconds", AN_HOUR, 60, LONGEST);
        SeriesQuery.By by = by(query);
        query.done();
        TimeSeries found = store.stats().timeSeries(new SeriesQuery(Duration.ofSeconds(range), by));
        Instant since = store.now().minusSeconds(range);
        Map<String, Instant> versions = versions(since);
        return Answer.ok(out -> out.object(() -> {
            out.number("stepSeconds", found.stepSeconds());
            out.list("series", found.series(), one -> write(out, one, range));
            out.list(
                    "versions",
                    versions.entrySet(),
                    one -> out.object(() -> {
                        out.text("version", one.getKey());
                        out.time("at", one.getValue());
                    }));
        }));
    }

    private static SeriesQuery.By by(Query query) {
        String text = query.text("by");
        if (text == null) {
            return SeriesQuery.By.NOTHING;
        }
        if (!text.equals("queue") && !text.equals("definition")) {
            query.problem("by", text, "queue or definition");
            return SeriesQuery.By.NOTHING;
        }
        return SeriesQuery.By.valueOf(text.toUpperCase(Locale.ROOT));
    }

    /**
     * Returns the deploys since a time, by version. A worker's start is a deploy if the worker is the first to run its
     * definitions with this version of the program. The first version of a program does not count as a deploy, and
     * neither does the start of another program, because that has its own versions.
     */
    private Map<String, Instant> versions(Instant since) {
        var deploys = new LinkedHashMap<String, Instant>();
        var known = new HashMap<String, Set<String>>();
        List<KnownWorker> byStart = store.catalog().workers().stream()
                .sorted(Comparator.comparing(KnownWorker::startedAt))
                .toList();
        for (KnownWorker worker : byStart) {
            String version = worker.report().version();
            for (DefinitionRef definition : worker.report().definitions()) {
                Set<String> versions = known.computeIfAbsent(definition.key(), key -> new HashSet<>());
                if (versions.add(version) && versions.size() > 1) {
                    deploys.putIfAbsent(version, worker.startedAt());
                }
            }
        }
        deploys.values().removeIf(at -> at.isBefore(since));
        return deploys;
    }

    private static void write(Answer out, TimeSeries.Series series, int range) {
        long ended = series.points().stream()
                .map(TimeSeries.Point::numbers)
                .mapToLong(one -> one.count(Meter.End.SUCCEEDED) + one.count(Meter.End.FAILED))
                .sum();
        out.object(() -> {
            out.text("name", series.name());
            out.number("perSecond", Double.valueOf(Math.round(1000.0 * ended / range) / 1000.0));
            out.list("points", series.points(), point -> write(out, point));
        });
    }

    private static void write(Answer out, TimeSeries.Point point) {
        Numbers numbers = point.numbers();
        out.object(() -> {
            out.time("at", point.at());
            for (Meter.End end : Meter.End.values()) {
                out.number(end.name().toLowerCase(Locale.ROOT), numbers.count(end));
            }
            out.number("waitP50", seconds(numbers.waits().percentile(MEDIAN)));
            out.number("waitP95", seconds(numbers.waits().percentile(MOST)));
            out.number("runP50", seconds(numbers.runs().percentile(MEDIAN)));
            out.number("runP95", seconds(numbers.runs().percentile(MOST)));
        });
    }

    private static @Nullable Double seconds(@Nullable Duration span) {
        return span == null ? null : Double.valueOf(Math.round(span.toNanos() / 1e3) / 1e6);
    }

    private Response failures(Call call) {
        Query query = call.query();
        int range = query.number("rangeSeconds", AN_HOUR, 60, LONGEST);
        query.done();
        StatsStore.Failures found = store.stats().failures(Duration.ofSeconds(range));
        boolean operator = call.caller().role().covers(Role.OPERATOR);
        return Answer.ok(out -> out.object(() -> {
            out.list(
                    "failures",
                    found.groups(),
                    one -> out.object(() -> {
                        out.text("definitionKey", one.definitionKey());
                        out.text("code", one.code());
                        out.text("type", operator ? one.type() : null);
                        out.text("message", one.message());
                        out.number("count", one.jobs());
                        out.text("latestJobId", one.latest().toString());
                        out.time("latestAt", one.latestAt());
                    }));
            out.flag("complete", found.complete());
        }));
    }

    private Response database(Call call) {
        call.query().done();
        DatabaseHealth health = store.stats()
                .database()
                .orElseThrow(() -> new LonghaulException(
                        ErrorCode.FAILED_PRECONDITION, "this server keeps jobs in memory and has no database"));
        return Answer.ok(out -> out.object(() -> {
            out.text("version", health.version());
            out.number("oldestSnapshotSeconds", seconds(health.oldestSnapshot()));
            out.text("snapshotHolder", health.snapshotHolder());
            out.number("liveBytes", health.liveBytes());
            out.number("deadRows", health.deadRows());
            out.number("finishedBytes", health.finishedBytes());
            out.number("partitions", health.partitions());
            out.number("connections", health.connections());
            out.number("maxConnections", health.maxConnections());
        }));
    }
}
