package dev.longhaul.api.rest;

import dev.longhaul.JobQuery;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobPage;
import dev.longhaul.spi.Store;
import dev.longhaul.usecase.Jobs;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cancels or retries the jobs that match a filter, up to a limit per request. */
public final class BulkRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(BulkRoutes.class);
    private static final int MOST = 1000;

    private final Store store;
    private final Jobs jobs;

    public BulkRoutes(Store store, Jobs jobs) {
        this.store = store;
        this.jobs = jobs;
    }

    public List<Route> routes() {
        return List.of(
                Route.post("/v1/jobs/cancel", Role.OPERATOR, this::cancel).longRunning(),
                Route.post("/v1/jobs/retry", Role.OPERATOR, this::retry).longRunning());
    }

    private Response cancel(Call call) {
        Fields body = call.body();
        String reason = body.text("reason");
        String by = call.caller().name();
        return all(
                call,
                body,
                "cancel",
                List.of(
                        JobStatus.CREATED,
                        JobStatus.SCHEDULED,
                        JobStatus.QUEUED,
                        JobStatus.RETRYING,
                        JobStatus.RUNNING),
                job -> jobs.change(JobCommand.cancel(job.id(), by, reason, null)));
    }

    private Response retry(Call call) {
        String by = call.caller().name();
        return all(
                call,
                call.body(),
                "retry",
                List.of(JobStatus.FAILED, JobStatus.CANCELLED),
                job -> jobs.execute(JobCommand.retry(job.id(), by)));
    }

    private Response all(Call call, Fields body, String step, List<JobStatus> possible, Consumer<Job> action) {
        Filter filter = filter(body, possible);
        var done = new AtomicInteger();
        boolean more;
        try {
            more = each(filter, action, done);
        } catch (RuntimeException e) {
            // Jobs that were changed before the failure stay changed; each has its own audit entry.
            ErrorCode why = e instanceof LonghaulException known ? known.code() : ErrorCode.INTERNAL;
            summarize(call, step, done.get(), filter.toJson(why));
            throw e;
        }
        summarize(call, step, done.get(), filter.toJson(null));
        return Answer.ok(out -> out.object(() -> {
            out.number("count", done.get());
            out.flag("more", more);
        }));
    }

    /** Applies the action to one job after another and counts them. Returns whether more jobs may match. */
    private boolean each(Filter filter, Consumer<Job> action, AtomicInteger done) {
        JobId cursor = null;
        do {
            JobPage page = store.jobs().list(filter.query(cursor, Math.min(Limits.PAGE, filter.most - done.get())));
            for (Job job : page.jobs()) {
                done.addAndGet(applied(job, action) ? 1 : 0);
            }
            cursor = page.nextCursor();
        } while (cursor != null && done.get() < filter.most);
        return cursor != null;
    }

    /** Records the filter and the count. A failure is only logged, because each job has its own audit entry. */
    private void summarize(Call call, String step, int done, String detail) {
        try {
            store.access().record(call.caller().actor(), "jobs." + step, done + " jobs", detail);
        } catch (RuntimeException e) {
            LOG.warn("writing the audit summary of {} ({} jobs) failed; each job has its own entry", step, done, e);
        }
    }

    /** Applies the action and returns whether it took effect. Skips a job whose state has changed meanwhile. */
    private static boolean applied(Job job, Consumer<Job> action) {
        try {
            action.accept(job);
            return true;
        } catch (LonghaulException e) {
            if (e.code() == ErrorCode.FAILED_PRECONDITION || e.code() == ErrorCode.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    /** The jobs to change, and their maximum number. */
    private record Filter(
            List<JobStatus> statuses,
            @Nullable String definitionKey,
            @Nullable String queue,
            @Nullable String name,
            Map<String, String> labels,
            @Nullable String correlationId,
            @Nullable Instant createdAfter,
            @Nullable Instant createdBefore,
            @Nullable Instant finishedAfter,
            @Nullable Instant finishedBefore,
            int most) {
        JobQuery query(@Nullable JobId cursor, int limit) {
            return JobQuery.where()
                    .statuses(statuses.toArray(JobStatus[]::new))
                    .definitionKey(definitionKey)
                    .queue(queue)
                    .namePrefix(name)
                    .labels(labels)
                    .correlationId(correlationId)
                    .createdAfter(createdAfter)
                    .createdBefore(createdBefore)
                    .finishedAfter(finishedAfter)
                    .finishedBefore(finishedBefore)
                    .order(JobQuery.Order.OLDEST)
                    .brief(true)
                    .fresh(true)
                    .limit(limit)
                    .cursor(cursor)
                    .build();
        }

        /** @param brokenOff the error that stopped the request early; null if it completed */
        String toJson(@Nullable ErrorCode brokenOff) {
            return Answer.json(out -> out.object(() -> {
                out.texts("status", statuses.stream().map(JobStatus::wireName).toList());
                out.text("definitionKey", definitionKey);
                out.text("queue", queue);
                out.text("name", name);
                out.map("labels", labels);
                out.text("correlationId", correlationId);
                out.time("createdAfter", createdAfter);
                out.time("createdBefore", createdBefore);
                out.time("finishedAfter", finishedAfter);
                out.time("finishedBefore", finishedBefore);
                out.number("limit", most);
                out.text("brokenOff", brokenOff == null ? null : brokenOff.wireName());
            }));
        }
    }

    private static Filter filter(Fields body, List<JobStatus> possible) {
        Map<String, String> labels = body.texts("labels");
        Integer most = body.integer("limit");
        var filter = new Filter(
                statuses(body, possible),
                notBlank(body, "definitionKey"),
                notBlank(body, "queue"),
                notBlank(body, "name"),
                labels == null ? Map.of() : labels,
                notBlank(body, "correlationId"),
                body.time("createdAfter"),
                body.time("createdBefore"),
                body.time("finishedAfter"),
                body.time("finishedBefore"),
                most == null ? MOST : most);
        if (filter.most < 1 || filter.most > MOST) {
            body.problem("limit", String.valueOf(most), "1 to " + MOST);
        }
        boolean any = body.has("status")
                || filter.definitionKey != null
                || filter.queue != null
                || filter.name != null
                || !filter.labels.isEmpty()
                || filter.correlationId != null
                || filter.createdAfter != null
                || filter.createdBefore != null
                || filter.finishedAfter != null
                || filter.finishedBefore != null;
        if (!any) {
            body.problem(
                    "filter",
                    "none",
                    "at least one of status, definitionKey, queue, name, labels, correlationId, createdAfter, createdBefore,"
                            + " finishedAfter, finishedBefore");
        }
        body.check(() -> filter.query(null, 1));
        body.done();
        return filter;
    }

    /** Returns a field and rejects an empty text: it could come from an unset variable, and would match all jobs. */
    private static @Nullable String notBlank(Fields body, String field) {
        String text = body.text(field);
        if (text != null && text.isBlank()) {
            body.problem(field, "empty", "a value, or no field");
        }
        return text;
    }

    private static List<JobStatus> statuses(Fields body, List<JobStatus> possible) {
        String text = body.text("status");
        if (text == null) {
            return possible;
        }
        return Arrays.stream(text.split(",", -1))
                .map(one -> status(body, one, possible))
                .toList();
    }

    private static JobStatus status(Fields body, String text, List<JobStatus> possible) {
        for (JobStatus status : possible) {
            if (status.wireName().equals(text)) {
                return status;
            }
        }
        body.problem(
                "status",
                text,
                "some of " + possible.stream().map(JobStatus::wireName).toList());
        return possible.get(0);
    }
}
