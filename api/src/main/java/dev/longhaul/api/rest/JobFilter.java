package dev.longhaul.api.rest;

import dev.longhaul.JobQuery;
import dev.longhaul.access.Role;
import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Query;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Parses query parameters into a {@link JobQuery}. */
public final class JobFilter {
    private static final String LABEL = "label.<key>";

    private JobFilter() {}

    /**
     * Returns whether the list includes results: in a full view, or with {@code fields=result}, the only supported
     * value of that parameter.
     */
    static boolean asksForResults(Query query, JobJson.View view) {
        if (view == JobJson.View.FULL) {
            String fields = query.text("fields");
            if (fields != null) {
                query.problem("fields", fields, "no fields with view=full, which includes the result");
            }
            return true;
        }
        boolean results = false;
        for (String field : query.list("fields")) {
            if (field.equals("result")) {
                results = true;
            } else {
                query.problem("fields", field, "result");
            }
        }
        return results;
    }

    static JobQuery page(Query query, Caller caller, boolean brief) {
        String createdBy = query.text("createdBy");
        if (createdBy != null) {
            // Viewers do not see createdBy, so they must not filter by it.
            caller.require(Role.OPERATOR, "createdBy");
        }
        var where = JobQuery.where()
                .statuses(statuses(query))
                .definitionKey(query.text("definitionKey"))
                .queue(query.text("queue"))
                .namePrefix(query.text("name"))
                .labels(labels(query))
                .correlationId(query.text("correlationId"))
                .createdBy(createdBy)
                .createdAfter(query.time("createdAfter"))
                .createdBefore(query.time("createdBefore"))
                .finishedAfter(query.time("finishedAfter"))
                .finishedBefore(query.time("finishedBefore"))
                .order(order(query))
                .brief(brief)
                .limit(query.number("limit", JobQuery.DEFAULT_LIMIT, 1, Limits.PAGE));
        String cursor = query.text("cursor");
        if (cursor != null) {
            try {
                where.cursor(JobId.parse(cursor));
            } catch (LonghaulException e) {
                query.problem("cursor", cursor, "the nextCursor of an earlier page");
            }
        }
        return query.done(where::build);
    }

    /**
     * Returns labels given as {@code label.team=a}, or as {@code label[team]=a}, the form that generated clients send.
     */
    private static Map<String, String> labels(Query query) {
        Map<String, String> labels = query.startingWith("label.", LABEL);
        query.startingWith("label[", LABEL).forEach((name, value) -> {
            String key = name.endsWith("]") ? name.substring(0, name.length() - 1) : name + "[";
            String other = labels.putIfAbsent(key, value);
            if (other != null && !other.equals(value)) {
                query.problem("label." + key, value, "one value, not " + other + " as well");
            }
        });
        return labels;
    }

    public static JobStatus[] statuses(Query query) {
        List<JobStatus> statuses = new ArrayList<>();
        for (String text : query.list("status")) {
            try {
                statuses.add(JobStatus.parse(text));
            } catch (LonghaulException e) {
                e.errors().forEach(error -> query.problem("status", text, error.expected()));
            }
        }
        return statuses.toArray(JobStatus[]::new);
    }

    private static JobQuery.Order order(Query query) {
        String order = query.text("order");
        if (order == null || order.equals("newest")) {
            return JobQuery.Order.NEWEST;
        }
        if (!order.equals("oldest")) {
            query.problem("order", order, "newest or oldest");
        }
        return JobQuery.Order.OLDEST;
    }
}
