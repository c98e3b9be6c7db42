package dev.longhaul.internal.store;

import dev.longhaul.access.ApiKey;
import dev.longhaul.access.AuditDetail;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.json.Json;
import dev.longhaul.queue.Pause;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing;
import dev.longhaul.schedule.Timing.Cron;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.webhook.Delivery;
import dev.longhaul.webhook.Webhook;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The details of audit entries by kind of action, the same for every store. They never contain values of params or
 * secrets.
 */
public final class AuditDetails {
    private AuditDetails() {}

    public static AuditDetail of(JobCommand.Cancel cancel) {
        return new AuditDetail().with("reason", cancel.reason()).with("grace", cancel.grace());
    }

    /** @param runAt the run time after the edit */
    public static AuditDetail edited(Job before, JobSpec after, Instant runAt) {
        var detail = new AuditDetail()
                .change("name", before.spec().name(), after.name())
                .change("runAt", before.times().runAt(), runAt)
                .change("priority", before.spec().priority(), after.priority())
                .change("maxAttempts", before.spec().maxAttempts(), after.maxAttempts())
                .change("labels", before.spec().labels(), after.labels());
        return params(detail, before.spec().params(), after.params());
    }

    /** Names the members of params that differ; any of their values may be a secret. */
    private static AuditDetail params(AuditDetail detail, String before, String after) {
        if (before.equals(after)) {
            return detail;
        }
        Object from = Json.read(before, Object.class);
        Object to = Json.read(after, Object.class);
        if (from instanceof Map<?, ?> was && to instanceof Map<?, ?> is) {
            var names = new TreeSet<String>();
            was.keySet().forEach(name -> names.add(String.valueOf(name)));
            is.keySet().forEach(name -> names.add(String.valueOf(name)));
            names.forEach(name -> detail.hiddenChange("params." + name, was.get(name), is.get(name)));
            return detail;
        }
        return detail.hiddenChange("params", from, to);
    }

    /** @param paused null when nothing was paused */
    public static AuditDetail of(@Nullable Pause paused) {
        return paused == null ? new AuditDetail() : new AuditDetail().with("note", paused.note());
    }

    public static AuditDetail created(Webhook webhook) {
        return new AuditDetail()
                .with("url", webhook.spec().url())
                .with("events", events(webhook))
                .with("definitionKeys", some(webhook.spec().definitionKeys()))
                .with("queues", some(webhook.spec().queues()));
    }

    public static AuditDetail edited(Webhook before, Webhook after) {
        return new AuditDetail()
                .change("url", before.spec().url(), after.spec().url())
                .change("events", events(before), events(after))
                .change(
                        "definitionKeys",
                        before.spec().definitionKeys(),
                        after.spec().definitionKeys())
                .change("queues", before.spec().queues(), after.spec().queues())
                .change("labels", before.spec().labels(), after.spec().labels())
                .change("enabled", before.enabled(), after.enabled())
                .hiddenChange("secrets", before.spec().secrets(), after.spec().secrets());
    }

    public static AuditDetail redelivered(
            Delivery.State state, @Nullable Instant from, @Nullable Instant before, int count) {
        return new AuditDetail()
                .with("state", state.text())
                .with("after", from)
                .with("before", before)
                .with("redelivered", count);
    }

    private static List<String> events(Webhook webhook) {
        return webhook.spec().events().stream().map(WebhookEvent::text).sorted().toList();
    }

    private static <T extends Collection<?>> @Nullable T some(T items) {
        return items.isEmpty() ? null : items;
    }

    /** @param before null for a definition that is new */
    public static AuditDetail changed(@Nullable KnownDefinition before, KnownDefinition after) {
        return declared(before, after, EnumSet.allOf(Declaration.Field.class));
    }

    /**
     * @param before null for a definition that is new
     * @param named the fields that were set or reset; the defaults of a new definition are not recorded
     */
    public static AuditDetail declared(
            @Nullable KnownDefinition before, KnownDefinition after, Set<Declaration.Field> named) {
        var detail = new AuditDetail();
        for (Declaration.Field field : named) {
            detail.change(field.wireName(), before == null ? null : value(before, field), value(after, field));
        }
        return detail;
    }

    private static Object value(KnownDefinition definition, Declaration.Field field) {
        KnownDefinition.Defaults defaults = definition.defaults();
        return switch (field) {
            case QUEUE -> defaults.queue();
            case MAX_ATTEMPTS -> defaults.maxAttempts();
            case TIMEOUT -> defaults.timeout();
            case CONCURRENCY_LIMIT -> defaults.concurrencyLimit();
            case PARAMS_SCHEMA -> definition.paramsSchema();
            case RESULT_SCHEMA -> definition.resultSchema();
        };
    }

    public static AuditDetail created(Schedule schedule) {
        return new AuditDetail()
                .with("definition", schedule.spec().job().definition())
                .with("times", times(schedule.spec().timetable()))
                .with("paused", schedule.enabled() ? null : Boolean.TRUE);
    }

    public static AuditDetail edited(Schedule before, Schedule after) {
        JobTemplate was = before.spec().job();
        JobTemplate is = after.spec().job();
        var detail = new AuditDetail()
                .change(
                        "times",
                        times(before.spec().timetable()),
                        times(after.spec().timetable()))
                .change("catchUp", catchUp(before.spec()), catchUp(after.spec()))
                .change("overlap", before.spec().overlap(), after.spec().overlap())
                .change("enabled", before.enabled(), after.enabled())
                .change("definition", was.definition(), is.definition())
                .change("queue", was.queue(), is.queue())
                .change("priority", was.priority(), is.priority())
                .change("maxAttempts", was.maxAttempts(), is.maxAttempts())
                .change("timeout", was.timeout(), is.timeout())
                .change("name", was.name(), is.name())
                .change("labels", was.labels(), is.labels());
        return params(detail, was.params(), is.params());
    }

    /** The fires of a trigger or a backfill: the number of jobs, and the job id if there is only one. */
    public static AuditDetail fired(List<Fire> fires) {
        var detail = new AuditDetail().with("jobs", fires.size());
        if (fires.isEmpty()) {
            return detail;
        }
        Fire first = fires.get(0);
        Fire last = fires.get(fires.size() - 1);
        return fires.size() == 1
                ? detail.with("jobId", first.jobId())
                : detail.with("firstFireAt", first.fireAt()).with("lastFireAt", last.fireAt());
    }

    private static String times(Timetable timetable) {
        Timing timing = timetable.timing();
        String text = timing instanceof Cron cron ? cron.expression() + " " + cron.zone() : timing.describe();
        return text
                + (timetable.start() == null ? "" : " from " + timetable.start())
                + (timetable.end() == null ? "" : " until " + timetable.end())
                + (timetable.maxRuns() == null ? "" : ", " + timetable.maxRuns() + " runs at most")
                + (timetable.jitter().isZero() ? "" : ", jitter " + Text.of(timetable.jitter()));
    }

    private static String catchUp(ScheduleSpec spec) {
        CatchUp catchUp = spec.catchUp();
        return catchUp.policy() + ", at most " + catchUp.max() + " within " + Text.of(catchUp.window());
    }

    public static AuditDetail of(ApiKey key) {
        return new AuditDetail()
                .with("name", key.name())
                .with("role", key.role().text())
                .with("queues", some(key.rights().queues()));
    }
}
