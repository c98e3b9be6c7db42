package dev.longhaul.spring.job;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobHandler;
import dev.longhaul.NewSchedule;
import dev.longhaul.error.Problems;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.RetryPolicy;
import dev.longhaul.json.TypeRef;
import dev.longhaul.spring.LonghaulConfigurationException;
import dev.longhaul.spring.LonghaulJob;
import dev.longhaul.spring.LonghaulSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.StringUtils;

/**
 * The settings of a method's annotations.
 *
 * @param resolve replaces placeholders
 */
record AnnotatedJob(
        JobMethod method, LonghaulJob job, @Nullable LonghaulSchedule schedule, UnaryOperator<String> resolve) {
    /** The definition that the annotations describe. */
    JobDefinition<?, ?> definition(JobHandler<Object, Object> handler) {
        JobDefinition<?, ?> definition =
                build(TypeRef.ofType(method.paramsType()), TypeRef.ofType(method.resultType()), handler);
        if (!definition.params().readable()) {
            throw new LonghaulConfigurationException(
                    "@LonghaulJob " + method.name() + ": params: "
                            + definition.params().type().getName() + " (expected: a class that can be read from JSON)",
                    "Make it a record. A class needs a constructor without arguments, or a builder for Jackson: with Lombok,"
                            + " @Data, or @Jacksonized with @Builder.");
        }
        definition.schedules().forEach(one -> check(definition, one));
        return definition;
    }

    /** Fails now, with the method named, and not when the schedule is stored. */
    private static void check(JobDefinition<?, ?> definition, NewSchedule schedule) {
        schedule.timetable(Instant.now());
        String params = schedule.params();
        var problems = new Problems();
        problems.require(params != null, "@LonghaulSchedule params", "none", "the job's params as JSON");
        if (params != null) {
            problems.add(definition.params().schema().problems("@LonghaulSchedule params", params));
        }
        problems.throwIfAny();
    }

    String key() {
        return resolve.apply(job.key());
    }

    @SuppressWarnings("unchecked") // The handler calls the method, whose types these are.
    private <P, R> JobDefinition<P, R> build(TypeRef<P> params, TypeRef<R> result, JobHandler<Object, Object> handler) {
        JobDefinition.Builder<P, R> builder = JobDefinition.of(key(), params, result)
                .version(job.version())
                .concurrencyLimit(job.concurrencyLimit())
                .retry(retry())
                .isolation(isolation());
        if (!job.queue().isEmpty()) {
            builder.queue(resolve.apply(job.queue()));
        }
        if (job.maxAttempts() != 0) {
            builder.maxAttempts(job.maxAttempts());
        }
        if (!job.timeout().isEmpty()) {
            builder.timeout(duration("timeout", job.timeout()));
        }
        NewSchedule declared = declaredSchedule();
        if (declared != null) {
            builder.schedule(declared);
        }
        return builder.handler((JobHandler<P, R>) handler);
    }

    private RetryPolicy retry() {
        Duration initial = job.backoff().isEmpty() ? Backoff.DEFAULT.initial() : duration("backoff", job.backoff());
        Duration cap = job.maxBackoff().isEmpty() ? Backoff.DEFAULT.cap() : duration("maxBackoff", job.maxBackoff());
        Duration atLeast = job.maxBackoff().isEmpty() && cap.compareTo(initial) < 0 ? initial : cap;
        RetryPolicy policy = RetryPolicy.of(new Backoff(initial, Backoff.DEFAULT.factor(), atLeast));
        for (Class<? extends Throwable> type : job.noRetryFor()) {
            policy = policy.never(type);
        }
        return policy;
    }

    private Isolation isolation() {
        String where = resolve.apply(job.isolation());
        String memory = resolve.apply(job.memory());
        boolean limited = !memory.isEmpty() || job.cpu() != 0;
        if (where.equals(Isolation.THREAD) && !limited) {
            return Isolation.thread();
        }
        if (!where.equals(Isolation.PROCESS)) {
            throw problem(
                    "isolation",
                    where + (limited ? " with limits of memory or processors" : ""),
                    "thread, or process, which alone can have limits");
        }
        Isolation.InProcess process = Isolated.process(method, key(), job.version());
        Isolation.InProcess sized = memory.isEmpty() ? process : process.memory(memory);
        return job.cpu() == 0 ? sized : sized.cpu(job.cpu());
    }

    private @Nullable NewSchedule declaredSchedule() {
        LonghaulSchedule given = schedule;
        if (given == null) {
            return null;
        }
        String cron = resolve.apply(given.cron());
        String every = resolve.apply(given.every());
        if (cron.equals("-")) {
            return null;
        }
        if (cron.isEmpty() == every.isEmpty()) {
            throw problem("@LonghaulSchedule", "cron '" + cron + "', every '" + every + "'", "one of cron and every");
        }
        NewSchedule timed = NewSchedule.of(given.key().isEmpty() ? key() : resolve.apply(given.key()))
                .catchUp(given.catchUp(), null, null)
                .overlap(given.overlap())
                .params(StringUtils.hasText(given.params()) ? resolve.apply(given.params()) : null);
        return cron.isEmpty()
                ? timed.every(duration("every", every))
                : timed.cron(cron).timeZone(resolve.apply(given.zone()));
    }

    private Duration duration(String field, String text) {
        String resolved = resolve.apply(text);
        try {
            return DurationStyle.detectAndParse(resolved);
        } catch (IllegalArgumentException e) {
            throw problem(field, resolved, "a duration, such as 90s, 5m or 2h");
        }
    }

    private LonghaulConfigurationException problem(String field, String value, String expected) {
        return new LonghaulConfigurationException(
                "@LonghaulJob " + method.name() + ": " + field + ": " + value,
                "Set " + field + " to " + expected + ".");
    }
}
