package dev.longhaul;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import dev.longhaul.job.RetryPolicy;
import dev.longhaul.json.Codec;
import dev.longhaul.json.JsonSchema;
import dev.longhaul.json.TypeRef;
import dev.longhaul.schedule.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The code of a kind of job, and the defaults of its jobs: {@code key@version}, typed params and result with their
 * JSON Schemas, timeout, attempts, retry policy, concurrency limit, hooks. Created by {@link #of}; settings that are
 * not given have the contract's defaults.
 */
public final class JobDefinition<P, R> {
    private final DefinitionRef ref;
    private final Codec<P> params;
    private final Codec<R> result;
    private final Duration timeout;
    private final int maxAttempts;
    private final RetryPolicy retry;
    private final int concurrencyLimit;
    private final String queue;
    private final boolean virtualThreads;
    private final Isolation isolation;
    private final boolean isolationChosen;
    private final Hooks<P, R> hooks;
    private final JobHandler<P, R> handler;
    private final List<NewSchedule> schedules;

    private JobDefinition(Builder<P, R> choices, JobHandler<P, R> handler) {
        this.ref = new DefinitionRef(choices.key, choices.version);
        Codec<P> written = choices.paramsSchema == null
                ? Codec.of(choices.paramsType)
                : Codec.of(choices.paramsType, choices.paramsSchema);
        this.params = choices.strictParams ? written.strict() : written;
        this.result = choices.resultSchema == null
                ? Codec.of(choices.resultType)
                : Codec.of(choices.resultType, choices.resultSchema);
        this.timeout = choices.timeout;
        this.maxAttempts = choices.maxAttempts;
        this.retry = choices.retry;
        this.concurrencyLimit = choices.concurrencyLimit;
        this.queue = choices.queue;
        this.virtualThreads = choices.virtualThreads;
        this.isolation = choices.isolation == null ? Isolation.thread() : choices.isolation;
        this.isolationChosen = choices.isolation != null || choices.virtualThreads;
        this.hooks = new Hooks<>(choices.onStart, choices.onSuccess, choices.onFail, choices.onEnd);
        this.handler = handler;
        this.schedules = choices.schedules.stream()
                .map(declared -> declared.complete(ref, params))
                .toList();
    }

    /** Copies a definition with other settings for where its code runs. */
    private JobDefinition(JobDefinition<P, R> other, Isolation isolation, boolean virtualThreads) {
        this.ref = other.ref;
        this.params = other.params;
        this.result = other.result;
        this.timeout = other.timeout;
        this.maxAttempts = other.maxAttempts;
        this.retry = other.retry;
        this.concurrencyLimit = other.concurrencyLimit;
        this.queue = other.queue;
        this.virtualThreads = virtualThreads;
        this.isolation = isolation;
        this.isolationChosen = true;
        this.hooks = other.hooks;
        this.handler = other.handler;
        this.schedules = other.schedules;
    }

    /** Starts a definition; its version is 1 unless set. */
    public static <P, R> Builder<P, R> of(String key, Class<P> params, Class<R> result) {
        return of(key, TypeRef.of(params), TypeRef.of(result));
    }

    /** As {@link #of(String, Class, Class)}, for params with type arguments. */
    public static <P, R> Builder<P, R> of(String key, TypeRef<P> params, Class<R> result) {
        return of(key, params, TypeRef.of(result));
    }

    /**
     * As {@link #of(String, Class, Class)}, for a result with type arguments: {@code new TypeRef<List<Order>>() {}}.
     */
    public static <P, R> Builder<P, R> of(String key, Class<P> params, TypeRef<R> result) {
        return of(key, TypeRef.of(params), result);
    }

    /** As {@link #of(String, Class, Class)}, for params and a result with type arguments. */
    public static <P, R> Builder<P, R> of(String key, TypeRef<P> params, TypeRef<R> result) {
        return new Builder<>(key, params, result);
    }

    public DefinitionRef ref() {
        return ref;
    }

    public Codec<P> params() {
        return params;
    }

    public Codec<R> result() {
        return result;
    }

    /** Timeout of one attempt. */
    public Duration timeout() {
        return timeout;
    }

    public int maxAttempts() {
        return maxAttempts;
    }

    public RetryPolicy retry() {
        return retry;
    }

    /** Concurrency limit: how many jobs of this key may run at once in the whole cluster; 0 means no limit. */
    public int concurrencyLimit() {
        return concurrencyLimit;
    }

    /** The queue of its jobs, unless the caller of a job names another queue. */
    public String queue() {
        return queue;
    }

    /** Whether each run uses a virtual thread, where the JVM has them. */
    public boolean virtualThreads() {
        return virtualThreads;
    }

    /** Where its code runs. */
    public Isolation isolation() {
        return isolation;
    }

    /**
     * Returns this definition with the isolation {@code usual}, unless it has its own isolation or uses virtual
     * threads.
     */
    public JobDefinition<P, R> withDefaultIsolation(Isolation usual) {
        return isolationChosen || isolation.equals(usual) ? this : new JobDefinition<>(this, usual, virtualThreads);
    }

    /** Returns this definition with virtual threads, if its code runs in threads of the worker. */
    public JobDefinition<P, R> withVirtualThreads() {
        boolean inThread = isolation.executor().equals(Isolation.THREAD);
        return virtualThreads || !inThread ? this : new JobDefinition<>(this, isolation, true);
    }

    public Hooks<P, R> hooks() {
        return hooks;
    }

    public JobHandler<P, R> handler() {
        return handler;
    }

    /** The schedules declared in code; they are stored when a process with this definition starts. */
    public List<NewSchedule> schedules() {
        return schedules;
    }

    @Override
    public String toString() {
        return ref.toString();
    }

    /** Collects the settings of a definition; {@link #handler} checks them and creates it. */
    public static final class Builder<P, R> {
        private final String key;
        private final TypeRef<P> paramsType;
        private final TypeRef<R> resultType;
        private int version = 1;
        private @Nullable JsonSchema paramsSchema;
        private @Nullable JsonSchema resultSchema;
        private boolean strictParams;
        private Duration timeout = JobSpec.DEFAULT_TIMEOUT;
        private int maxAttempts = JobSpec.DEFAULT_MAX_ATTEMPTS;
        private RetryPolicy retry = RetryPolicy.DEFAULT;
        private int concurrencyLimit;
        private String queue = JobSpec.DEFAULT_QUEUE;
        private boolean virtualThreads;
        private @Nullable Isolation isolation;
        private final List<DeclaredSchedule<P>> schedules = new ArrayList<>();
        private final List<Hooks.Hook<P>> onStart = new ArrayList<>();
        private final List<Hooks.Hook<@Nullable R>> onSuccess = new ArrayList<>();
        private final List<Hooks.Hook<Failure>> onFail = new ArrayList<>();
        private final List<Hooks.Hook<JobResult<R>>> onEnd = new ArrayList<>();

        private Builder(String key, TypeRef<P> params, TypeRef<R> result) {
            this.key = key;
            this.paramsType = params;
            this.resultType = result;
        }

        public Builder<P, R> version(int version) {
            this.version = version;
            return this;
        }

        /** Replaces the JSON Schema that is generated from the params' type. */
        public Builder<P, R> paramsSchema(String schema) {
            this.paramsSchema = JsonSchema.parse(schema);
            return this;
        }

        /**
         * Accepts only params whose fields are all known to this version of the code. A worker leaves a job with an
         * unknown field to a worker that knows the field; without this setting, it ignores the field.
         */
        public Builder<P, R> strictParams() {
            this.strictParams = true;
            return this;
        }

        /** Replaces the JSON Schema that is generated from the result's type. */
        public Builder<P, R> resultSchema(String schema) {
            this.resultSchema = JsonSchema.parse(schema);
            return this;
        }

        public Builder<P, R> timeout(Duration timeout) {
            this.timeout = timeout;
            return this;
        }

        public Builder<P, R> maxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
            return this;
        }

        public Builder<P, R> retry(RetryPolicy retry) {
            this.retry = retry;
            return this;
        }

        public Builder<P, R> concurrencyLimit(int concurrencyLimit) {
            this.concurrencyLimit = concurrencyLimit;
            return this;
        }

        public Builder<P, R> queue(String queue) {
            this.queue = queue;
            return this;
        }

        public Builder<P, R> virtualThreads() {
            this.virtualThreads = true;
            return this;
        }

        /**
         * Sets where the code runs. Default: in a thread, or the {@code --default-isolation} of the server or worker
         * that loads the definition.
         */
        public Builder<P, R> isolation(Isolation isolation) {
            this.isolation = isolation;
            return this;
        }

        /** Creates jobs at these times, without params; the schedule has the key of the definition. */
        public Builder<P, R> schedule(Timing timing) {
            return schedule(NewSchedule.of(key, timing));
        }

        /** Creates jobs at these times; the schedule has the key of the definition. */
        public Builder<P, R> schedule(Timing timing, P params) {
            schedules.add(new DeclaredSchedule<>(NewSchedule.of(key, timing), params));
            return this;
        }

        /** Creates jobs by a schedule with its own key and params. A definition may have several. */
        public Builder<P, R> schedule(NewSchedule schedule) {
            schedules.add(new DeclaredSchedule<>(schedule, null));
            return this;
        }

        /** Runs at the start of every run, before the handler. */
        public Builder<P, R> onStart(Hooks.Hook<P> hook) {
            onStart.add(hook);
            return this;
        }

        /** Runs once, when the job has succeeded. */
        public Builder<P, R> onSuccess(Hooks.Hook<@Nullable R> hook) {
            onSuccess.add(hook);
            return this;
        }

        /** Runs once, when the job has failed for good. */
        public Builder<P, R> onFail(Hooks.Hook<Failure> hook) {
            onFail.add(hook);
            return this;
        }

        /** Runs once, when the job has ended: succeeded, failed or cancelled. */
        public Builder<P, R> onEnd(Hooks.Hook<JobResult<R>> hook) {
            onEnd.add(hook);
            return this;
        }

        /** Sets the code and completes the definition. */
        public JobDefinition<P, R> handler(JobHandler<P, R> handler) {
            new Problems()
                    .require(
                            maxAttempts >= 1 && maxAttempts <= Limits.MOST_ATTEMPTS,
                            "maxAttempts",
                            maxAttempts,
                            "1 to " + Limits.MOST_ATTEMPTS)
                    .require(
                            timeout.toSeconds() >= 1
                                    && timeout.compareTo(Limits.LONGEST_TIMEOUT) <= 0
                                    && timeout.toNanosPart() == 0,
                            "timeout",
                            timeout,
                            "whole seconds, 1 s to " + Limits.LONGEST_TIMEOUT.toDays() + " days")
                    .require(concurrencyLimit >= 0, "concurrencyLimit", concurrencyLimit, ">= 0 (0 is none)")
                    .require(Names.valid(queue), "queue", queue, Names.RULE)
                    .throwIfAny();
            return new JobDefinition<>(this, handler);
        }
    }

    /** A schedule declared before its definition is complete. */
    private record DeclaredSchedule<P>(
            NewSchedule schedule, @Nullable P params) {
        NewSchedule complete(DefinitionRef ref, Codec<P> codec) {
            NewSchedule named = schedule.definition(ref.key(), ref.version());
            boolean given = params != null || codec.type() == Void.class;
            return given ? named.params(codec.write(params)) : named;
        }
    }
}
