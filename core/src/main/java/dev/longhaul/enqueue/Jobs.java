package dev.longhaul.enqueue;

import dev.longhaul.definition.JobDefinition;
import dev.longhaul.definition.Registry;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.store.Inserted;
import dev.longhaul.store.JobStore;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Asks for jobs. Definition, params and options are checked before anything is stored; the definition's defaults fill what the
 * call leaves open.
 */
public final class Jobs {
    private final Registry registry;
    private final JobStore store;
    private final Enqueues plain;
    private final Enqueues keyed;

    public Jobs(Registry registry, JobStore store) {
        this.registry = registry;
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
        requireKnown(definition);
        return checked(definition, definition.params().write(params), options);
    }

    /**
     * Enqueues from outside, where only names and JSON text are known.
     *
     * @param version null means the highest known; a call with an idempotency key that stands for a job already answers it
     *     whatever the versions have become since
     */
    public Job enqueue(String key, @Nullable Integer version, String params, JobOptions options) {
        try {
            return enqueue(checked(definition(key, version), params, options));
        } catch (LonghaulException e) {
            return earlier(key, options.idempotencyKey()).orElseThrow(() -> e);
        }
    }

    public JobSpec spec(String key, @Nullable Integer version, String params, JobOptions options) {
        return checked(definition(key, version), params, options);
    }

    public Job edit(dev.longhaul.job.JobId id, dev.longhaul.job.JobEdit edit, @Nullable String by) {
        return store.edit(id, edit, by);
    }

    private Optional<Job> earlier(String key, @Nullable String idempotencyKey) {
        return idempotencyKey == null ? Optional.empty() : store.find(key, idempotencyKey);
    }

    private JobDefinition<?, ?> definition(String key, @Nullable Integer version) {
        Optional<JobDefinition<?, ?>> found =
                version == null ? registry.latest(key) : registry.find(new DefinitionRef(key, version));
        return found.orElseThrow(() -> unknown(version == null ? key : key + "@" + version));
    }

    private void requireKnown(JobDefinition<?, ?> definition) {
        if (!registry.has(definition.ref())) {
            throw unknown(definition.ref().toString());
        }
    }

    private LonghaulException unknown(String name) {
        String known = registry.names().stream()
                .sorted()
                .limit(20)
                .map(DefinitionRef::toString)
                .collect(Collectors.joining(", "));
        String expected = known.isEmpty() ? "a registered definition; none is registered" : "one of " + known;
        return new LonghaulException(
                ErrorCode.UNKNOWN_DEFINITION, List.of(new FieldError("definitionKey", name, expected)));
    }

    private static JobSpec checked(JobDefinition<?, ?> definition, String params, JobOptions options) {
        List<FieldError> problems = definition.params().schema().problems("params", params);
        if (!problems.isEmpty()) {
            throw new LonghaulException(ErrorCode.INVALID_ARGUMENT, problems);
        }
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
