package dev.longhaul.enqueue;

import dev.longhaul.definition.JobDefinition;
import dev.longhaul.definition.Registry;
import dev.longhaul.enqueue.KnownDefinitions.Known;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Text;
import dev.longhaul.store.Inserted;
import dev.longhaul.store.JobStore;
import dev.longhaul.store.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for jobs. Definition, params and options are checked before anything is stored; the definition's defaults fill what the
 * call leaves open.
 */
public final class Jobs {
    private final Registry registry;
    private final KnownDefinitions definitions;
    private final JobStore store;
    private final Enqueues plain;
    private final Enqueues keyed;

    public Jobs(Registry registry, JobStore store) {
        this(registry, store, new KnownDefinitions(registry, store.catalog(), System::nanoTime));
    }

    Jobs(Registry registry, JobStore store, KnownDefinitions definitions) {
        this.registry = registry;
        this.definitions = definitions;
        this.store = store;
        this.plain = new Enqueues(store);
        // Apart, because a key makes its whole batch take the careful way.
        this.keyed = new Enqueues(store);
    }

    /** Stores a job and answers it, or the job that its idempotency key already stands for. A spec is enqueued once only. */
    public Job enqueue(JobSpec spec) {
        return (spec.idempotencyKey() == null ? plain : keyed).insert(spec).job();
    }

    /** Stores all of these jobs, or none. */
    public List<Inserted> enqueueAll(List<JobSpec> specs) {
        return store.insert(specs);
    }

    /** A checked spec from a definition and a value of its params' type. */
    public <P> JobSpec spec(JobDefinition<P, ?> definition, @Nullable P params, JobOptions options) {
        if (!registry.has(definition.ref())) {
            throw definitions.unknown(definition.ref().toString());
        }
        return checked(Known.of(definition), definition.params().write(params), options);
    }

    // From outside, where only names and JSON text are known

    /**
     * A checked spec of a definition that this process or any other knows.
     *
     * @param version null means the highest known
     */
    public JobSpec spec(String key, @Nullable Integer version, String params, JobOptions options) {
        return checked(definitions.require(key, version), params, options);
    }

    /** Checked specs of all of these; fails with the problems of all, each with its index: {@code jobs[3].params.url}. */
    public List<JobSpec> specs(List<NewJob> jobs) {
        var checks = new BatchChecks();
        for (NewJob job : jobs) {
            checks.add(() -> Optional.of(spec(job.key(), job.version(), job.params(), job.options())));
        }
        return checks.all();
    }

    /**
     * Enqueues a job by name.
     *
     * @param version null means the highest known; a call with an idempotency key that stands for a job already answers it
     *     whatever the versions have become since
     */
    public Job enqueue(String key, @Nullable Integer version, String params, JobOptions options) {
        try {
            return enqueue(spec(key, version, params, options));
        } catch (LonghaulException e) {
            return earlier(key, options.idempotencyKey()).orElseThrow(() -> e);
        }
    }

    /** Enqueues all of these by name, or none; fails with the problems of all, each with its index. */
    public List<Inserted> enqueueBatch(List<NewJob> jobs) {
        var checks = new BatchChecks();
        var answers = new ArrayList<@Nullable Inserted>();
        for (NewJob job : jobs) {
            answers.add(null);
            checks.add(() -> {
                try {
                    return Optional.of(spec(job.key(), job.version(), job.params(), job.options()));
                } catch (LonghaulException e) {
                    Job first =
                            earlier(job.key(), job.options().idempotencyKey()).orElseThrow(() -> e);
                    answers.set(answers.size() - 1, new Inserted(first, false));
                    return Optional.empty();
                }
            });
        }
        var stored = store.insert(checks.all()).iterator();
        return answers.stream()
                .map(answer -> answer == null ? stored.next() : answer)
                .toList();
    }

    /** Changes a job that waits or is held; new params are checked like those of a new one, if its definition is known. */
    public Job edit(JobId id, JobEdit edit, @Nullable String by) {
        String params = edit.params();
        if (params != null) {
            Job job = store.find(id).orElseThrow(() -> Refusal.notFound(id));
            definitionOf(job).ifPresent(known -> {
                List<FieldError> problems = known.params().problems("params", params);
                if (!problems.isEmpty()) {
                    throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, problems);
                }
            });
        }
        return store.edit(id, edit, by);
    }

    /** The job's params without what their schema marks as secret; null when nobody knows its definition any more. */
    public @Nullable String paramsToShow(Job job) {
        return paramsToShow(job.spec().definition(), job.spec().params());
    }

    /** Params of a definition without what its schema marks as secret; null when nobody knows it any more. */
    @Nullable
    String paramsToShow(DefinitionRef ref, String params) {
        return definitions
                .find(ref.key(), ref.version())
                .map(known -> known.params().redacted(params))
                .orElse(null);
    }

    /** The job's result without what its schema marks as secret; null when there is none, or nobody knows what is secret. */
    public @Nullable String resultToShow(Job job) {
        String result = job.result();
        return result == null
                ? null
                : definitionOf(job)
                        .map(known -> known.result().redacted(result))
                        .orElse(null);
    }

    private Optional<Known> definitionOf(Job job) {
        DefinitionRef ref = job.spec().definition();
        return definitions.find(ref.key(), ref.version());
    }

    private Optional<Job> earlier(String key, @Nullable String idempotencyKey) {
        if (idempotencyKey == null || !Text.storable(idempotencyKey) || !Text.storable(key)) {
            // What no store can keep stands for no job, and cannot be looked for either.
            return Optional.empty();
        }
        return store.find(key, idempotencyKey);
    }

    private static JobSpec checked(Known definition, String params, JobOptions options) {
        var problems = new ArrayList<FieldError>();
        JobSpec spec = null;
        try {
            spec = spec(definition, params, options);
        } catch (LonghaulException e) {
            if (e.code() != ErrorCode.INVALID_ARGUMENT) {
                throw e;
            }
            problems.addAll(e.errors());
        }
        problems.addAll(definition.params().problems("params", params));
        if (spec == null || !problems.isEmpty()) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, problems);
        }
        return spec;
    }

    private static JobSpec spec(Known definition, String params, JobOptions options) {
        String queue = options.queue();
        Integer priority = options.priority();
        Integer maxAttempts = options.maxAttempts();
        var timeout = options.timeout();
        return JobSpec.of(definition.ref(), params)
                .queue(queue == null ? definition.queue() : queue)
                .priority(priority == null ? 0 : priority)
                .runTime(options.runTime())
                .maxAttempts(maxAttempts == null ? definition.maxAttempts() : maxAttempts)
                .timeout(timeout == null ? definition.timeout() : timeout)
                .name(options.name())
                .idempotencyKey(options.idempotencyKey())
                .correlationId(options.correlationId())
                .labels(options.labels())
                .hold(options.hold())
                .createdBy(options.createdBy())
                .traceparent(options.traceparent())
                .build();
    }
}
