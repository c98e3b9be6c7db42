package dev.longhaul.api.rest;

import dev.longhaul.Longhaul;
import dev.longhaul.TickReport;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobStatus;
import dev.longhaul.queue.Pause;
import dev.longhaul.queue.QueueRules;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.spi.Store;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads and changes queues; lists workers; reports the state of the cluster. */
public final class ClusterRoutes {
    private final Longhaul longhaul;
    private final Store store;
    private final Catalog catalog;

    public ClusterRoutes(Longhaul longhaul) {
        this.longhaul = longhaul;
        this.store = longhaul.store();
        this.catalog = store.catalog();
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/queues", Role.VIEWER, this::queues),
                Route.put("/v1/queues/{name}", Role.OPERATOR, this::bound),
                Route.post("/v1/queues/{name}/pause", Role.OPERATOR, this::pause),
                Route.post("/v1/queues/{name}/resume", Role.OPERATOR, this::resume),
                Route.get("/v1/workers", Role.OPERATOR, this::workers),
                Route.get("/v1/stats", Role.VIEWER, this::stats),
                Route.post("/v1/tick", Role.WORKER, this::tick).longRunning());
    }

    // Queues

    private Response queues(Call call) {
        call.query().done();
        List<QueueStats> queues = store.queues().all();
        return Answer.ok(out -> out.object(() -> out.list("queues", queues, one -> write(out, one))));
    }

    private static void write(Answer out, QueueStats queue) {
        out.object(() -> {
            out.text("name", queue.queue());
            StatsRoutes.counts(out, queue.counts());
            out.flag("estimated", queue.estimated());
            out.number("running", queue.count(JobStatus.RUNNING) + queue.count(JobStatus.CANCELLING));
            out.number("oldestDueSeconds", oldestDueSeconds(queue));
            Pause pause = queue.pause();
            out.flag("paused", pause != null);
            if (pause != null) {
                out.object("pause", () -> {
                    out.time("since", pause.since());
                    out.text("by", pause.by());
                    out.text("note", pause.note());
                });
            }
            out.number("maxDepth", queue.maxDepth());
        });
    }

    private static @Nullable Double oldestDueSeconds(QueueStats queue) {
        Duration oldest = queue.oldestDue();
        return oldest == null ? null : Double.valueOf(oldest.toMillis() / 1e3);
    }

    private Response bound(Call call) {
        String name = call.path("name");
        Fields body = call.body();
        boolean given = body.has("maxDepth");
        Integer maxDepth = body.integer("maxDepth");
        body.check(() -> QueueRules.require(name, maxDepth));
        body.done();
        if (given) {
            store.queues().maxDepth(name, maxDepth);
        }
        return queue(name);
    }

    private Response pause(Call call) {
        String name = call.path("name");
        Fields body = call.optionalBody();
        String note = body.text("note");
        body.check(() -> QueueRules.require(name, null));
        body.done();
        store.queues().pause(name, call.caller().name(), note);
        return queue(name);
    }

    private Response resume(Call call) {
        String name = call.path("name");
        call.optionalBody().done();
        store.queues().resume(name);
        return queue(name);
    }

    private Response queue(String name) {
        QueueStats stats = store.queues().all().stream()
                .filter(one -> one.queue().equals(name))
                .findFirst()
                .orElse(new QueueStats(name, Map.of(), null, null, null));
        return Answer.ok(out -> write(out, stats));
    }

    // Workers and cluster

    private Response workers(Call call) {
        call.query().done();
        List<KnownWorker> workers = catalog.workers();
        return Answer.ok(out -> out.object(() -> out.list(
                "workers",
                workers,
                one -> out.object(() -> {
                    out.text("workerId", one.report().workerId());
                    out.text("state", one.state().name().toLowerCase(Locale.ROOT));
                    out.text("host", one.report().host());
                    out.number("pid", one.report().pid());
                    out.text("version", one.report().version());
                    out.number("slots", one.report().slots());
                    // The running jobs are from the worker's last report; a worker that shut down runs nothing.
                    boolean stopped = one.state() == KnownWorker.State.GONE;
                    out.number("running", stopped ? 0 : one.report().running());
                    out.number("stuck", stopped ? 0 : one.report().stuck());
                    out.texts("queues", one.report().queues());
                    out.texts(
                            "definitions",
                            one.report().definitions().stream()
                                    .map(DefinitionRef::toString)
                                    .sorted()
                                    .toList());
                    out.time("startedAt", one.startedAt());
                    out.time("lastSeenAt", one.lastSeenAt());
                }))));
    }

    private Response stats(Call call) {
        call.query().done();
        var counts = new EnumMap<JobStatus, Long>(JobStatus.class);
        List<QueueStats> queues = store.queues().all();
        queues.forEach(queue -> queue.counts().forEach((status, count) -> counts.merge(status, count, Long::sum)));
        List<QueueStats> due =
                queues.stream().filter(queue -> queue.oldestDue() != null).toList();
        // Jobs of paused queues are not late.
        QueueStats oldest = due.stream()
                .filter(queue -> queue.pause() == null)
                .max(Comparator.comparing(queue -> Objects.requireNonNull(queue.oldestDue())))
                .orElse(null);
        List<KnownWorker> workers = catalog.workers().stream()
                .filter(one -> one.state() == KnownWorker.State.ACTIVE || one.state() == KnownWorker.State.DRAINING)
                .toList();
        return Answer.ok(out -> out.object(() -> {
            StatsRoutes.counts(out, counts);
            out.flag("estimated", queues.stream().anyMatch(QueueStats::estimated));
            out.number("oldestDueSeconds", oldest == null ? Double.valueOf(0) : oldestDueSeconds(oldest));
            out.text("oldestDueQueue", oldest == null ? null : oldest.queue());
            out.number(
                    "pausedQueues",
                    due.stream().filter(queue -> queue.pause() != null).count());
            out.number("workers", workers.size());
            out.number(
                    "slots",
                    workers.stream().mapToInt(one -> one.report().slots()).sum());
            out.time("at", store.now());
        }));
    }

    private Response tick(Call call) {
        call.caller().requireEveryQueue("a tick, which runs jobs of all queues");
        Fields body = call.optionalBody();
        Integer max = body.integer("max");
        if (max != null && (max < 1 || max > 100)) {
            body.problem("max", max.toString(), "1 to 100");
        }
        body.done();
        TickReport report = longhaul.tick(max == null ? 5 : max);
        return Answer.ok(out -> out.object(() -> {
            out.number("fired", report.fired());
            out.number("expired", report.expired());
            out.number("hooks", report.hooks());
            out.list(
                    "executed",
                    report.executed(),
                    one -> out.object(() -> {
                        out.text("jobId", one.jobId().toString());
                        out.flag("success", one.success());
                        out.number("durationMs", one.durationMs());
                        Failure error = one.error();
                        if (error != null) {
                            out.object("error", () -> {
                                out.text("code", error.code());
                                out.text("message", error.message());
                            });
                        }
                    }));
            out.number("waiting", report.waiting());
        }));
    }
}
