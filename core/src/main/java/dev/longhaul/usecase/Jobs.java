package dev.longhaul.usecase;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.NewJob;
import dev.longhaul.Registry;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import dev.longhaul.intake.Deferrals;
import dev.longhaul.internal.store.FreshInserts;
import dev.longhaul.internal.store.SharedWrites;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RunAt;
import dev.longhaul.json.JobSecrets;
import dev.longhaul.json.JsonSchema;
import dev.longhaul.json.Secrets;
import dev.longhaul.spi.CommandResult;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.Store;
import dev.longhaul.usecase.KnownDefinitions.Known;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates and changes jobs, for every transport: REST, RPC, bulk requests and Java. Definition, params and options are
 * checked before anything is stored; settings that the call omits get the definition's defaults.
 */
public final class Jobs {
    /** A placeholder definition, for checks of the other parts of a spec. */
    private static final DefinitionRef ANY = new DefinitionRef("any", 1);

    private static final String REGISTERED =
            "a definition that this process has registered; add it to register(…) of the builder";

    private final Registry registry;
    private final KnownDefinitions definitions;
    private final Store store;
    private final JobIds ids;
    private final SharedWrites<JobSpec, Inserted> plain;
    private final SharedWrites<JobSpec, Inserted> careful;

    public Jobs(Registry registry, Store store) {
        this(registry, store, definitions(registry, store));
    }

    Jobs(Registry registry, Store store, KnownDefinitions definitions) {
        this.registry = registry;
        this.definitions = definitions;
        this.store = store;
        this.ids = new JobIds(store::now, System::currentTimeMillis);
        this.plain = sharedInserts(store);
        // Separate, because one job with a key or a webhook makes its whole batch use the slower insert.
        this.careful = sharedInserts(store);
    }

    private static KnownDefinitions definitions(Registry registry, Store store) {
        boolean intake = store.capability(Deferrals.class).isPresent();
        return new KnownDefinitions(registry, store.catalog(), System::nanoTime, intake);
    }

    private static SharedWrites<JobSpec, Inserted> sharedInserts(Store store) {
        JobStore jobs = store.jobs();
        FreshInserts fresh = store.capability(FreshInserts.class).orElse(jobs::insert);
        return new SharedWrites<>(fresh::insertFresh, jobs::insert, JobSpec::id, JobSpec::queue);
    }

    /** Stores a job and returns it, or the existing job with its idempotency key. Call it once per spec. */
    public Job enqueue(JobSpec spec) {
        return submit(spec).job();
    }

    private Inserted submit(JobSpec spec) {
        SharedWrites<JobSpec, Inserted> writes =
                spec.idempotencyKey() == null && spec.webhook() == null ? plain : careful;
        return onStoreClock(List.of(spec), specs -> writes.write(specs.get(0)));
    }

    /** Stores all of these jobs, or none. */
    public List<Inserted> enqueueAll(List<JobSpec> specs) {
        return onStoreClock(specs, store.jobs()::insert);
    }

    /**
     * Writes the specs. If the store rejects the time in ids that this process has created, writes them again with new
     * ids.
     */
    private <T> T onStoreClock(List<JobSpec> specs, Function<List<JobSpec>, T> write) {
        try {
            return write.apply(specs);
        } catch (LonghaulException e) {
            boolean ours = JobIds.isRefusal(e) && specs.stream().allMatch(spec -> ids.mayHaveMade(spec.id()));
            if (!ours) {
                throw e;
            }
            ids.followStore();
            return write.apply(specs.stream()
                    .map(spec -> spec.toBuilder().id(ids.next()).build())
                    .toList());
        }
    }

    /** A checked spec from a definition and a value of its params' type. */
    public <P> JobSpec spec(JobDefinition<P, ?> definition, @Nullable P params, JobOptions options) {
        if (!registry.has(definition.ref())) {
            throw new LonghaulException(
                    ErrorCode.UNKNOWN_DEFINITION,
                    List.of(new FieldError("definitionKey", definition.ref().toString(), REGISTERED)));
        }
        return checked(Known.of(definition), definition.params().write(params), options, false);
    }

    // Requests by name, with JSON text

    /**
     * A checked spec of a definition that this process or any other knows.
     *
     * @param version null means the highest known version. If it is given, an idempotency key matches only jobs of this
     * version
     */
    public JobSpec spec(String key, @Nullable Integer version, String params, JobOptions options) {
        Known definition;
        try {
            definition = definitions.require(key, version);
        } catch (LonghaulException e) {
            throw e.errors().isEmpty() ? e : withAllProblems(e, params, options);
        }
        return checked(definition, params, options, version != null);
    }

    /** The error for a rejected definition, together with all other problems of the request. */
    private static LonghaulException withAllProblems(LonghaulException refusal, String params, JobOptions options) {
        var all = new ArrayList<>(refusal.errors());
        try {
            build(JobSpec.of(ANY, params), options);
        } catch (LonghaulException e) {
            all.addAll(e.errors());
        }
        return new LonghaulException(refusal.code(), all);
    }

    /**
     * Checks a job before it is enqueued; throws one exception with all of its problems. A job that the checks reject
     * is accepted if a job with its idempotency key exists, so that a retry after a deploy finds the first one.
     */
    public CheckedJob check(NewJob job) {
        try {
            return CheckedJob.of(spec(job.key(), job.version(), job.params(), job.options()));
        } catch (LonghaulException e) {
            return earlier(job.key(), job.version(), job.options().idempotencyKey())
                    .map(CheckedJob::of)
                    .orElseThrow(() -> e);
        }
    }

    /**
     * Checks all jobs; throws one exception with the problems of all, each with the job's index: {@code
     * jobs[3].params.url}.
     */
    public List<CheckedJob> check(List<NewJob> jobs) {
        var checks = new BatchChecks();
        jobs.forEach(job -> checks.add(() -> check(job)));
        return checks.all();
    }

    /**
     * Enqueues a job by name.
     *
     * @param version null means the highest known version; an idempotency key then matches a job of any version. If a
     * version is given, the key matches only a job of this version
     */
    public Job enqueue(String key, @Nullable Integer version, String params, JobOptions options) {
        return enqueue(check(new NewJob(key, version, params, options)));
    }

    public Job enqueue(CheckedJob job) {
        return submit(job).job();
    }

    /** Like {@link #enqueue(CheckedJob)}; also returns whether the job is new, and whether it is stored later. */
    public Inserted submit(CheckedJob job) {
        JobSpec spec = job.spec();
        return spec == null ? new Inserted(Objects.requireNonNull(job.earlier()), false) : submit(spec);
    }

    /** Enqueues all jobs by name, or none; throws one exception with the problems of all, each with the job's index. */
    public List<Inserted> enqueueBatch(List<NewJob> jobs) {
        return enqueueChecked(check(jobs));
    }

    /** Enqueues all these jobs, or none. */
    public List<Inserted> enqueueChecked(List<CheckedJob> jobs) {
        var specs = new ArrayList<JobSpec>();
        for (CheckedJob job : jobs) {
            JobSpec spec = job.spec();
            if (spec != null) {
                specs.add(spec);
            }
        }
        var stored = enqueueAll(specs).iterator();
        var inserted = new ArrayList<Inserted>();
        for (CheckedJob job : jobs) {
            Job earlier = job.earlier();
            inserted.add(earlier == null ? stored.next() : new Inserted(earlier, false));
        }
        return inserted;
    }

    /**
     * Changes a job and returns the changed job. New params are checked like those of a new job, if its definition is
     * known.
     */
    public Job execute(JobCommand command) {
        return change(command).job();
    }

    /** Like {@link #execute}; the result also shows whether the command is executed later. */
    public CommandResult change(JobCommand command) {
        return store.jobs().execute(check(command));
    }

    /**
     * Checks a command without executing it; throws one exception with all of its problems, whatever the job's state.
     */
    public JobCommand check(JobCommand command) {
        return command instanceof JobCommand.Edit edit ? checked(edit) : command;
    }

    /**
     * Checks an edit and adds the secret places of its params; throws one exception with all of its problems, whatever
     * the job's state.
     */
    private JobCommand checked(JobCommand.Edit command) {
        JobEdit edit = command.edit();
        var problems = new Problems();
        problems.made(() -> edit.applyTo(JobSpec.of(ANY, "{}").build()));
        String params = edit.params();
        if (params == null) {
            problems.throwIfAny();
            return command;
        }
        Job job = store.jobs().find(command.id()).orElseThrow(() -> Deferrals.missing(store, command.id()));
        definitionOf(job).ifPresent(known -> problems.add(known.params().problems("params", params)));
        problems.throwIfAny();
        return JobCommand.edit(
                command.id(), command.by(), edit.withSecrets(placesOf(job).text()));
    }

    /**
     * Fails unless {@code result} is JSON that fits the definition's schema; for an unknown definition, any JSON is
     * accepted.
     */
    public void checkResult(DefinitionRef ref, String result) {
        JsonSchema schema =
                definitions.find(ref.key(), ref.version()).map(Known::result).orElse(JsonSchema.ANYTHING);
        new Problems().add(schema.problems("result", result)).throwIfAny();
    }

    /** The job's params with their secrets masked; null when neither the job nor a definition declares its secrets. */
    public @Nullable String paramsToShow(Job job) {
        return paramsToShow(
                job.spec().definition(), job.spec().params(), job.spec().secrets());
    }

    /**
     * Params of a definition with their secrets masked; null when neither {@code stored} nor a definition declares
     * secrets.
     */
    @Nullable
    String paramsToShow(DefinitionRef ref, String params, @Nullable String stored) {
        Known known = definitions.find(ref.key(), ref.version()).orElse(null);
        JobSecrets places = places(ref, stored, known);
        if (known == null) {
            return places.any() ? places.maskedParams(params, JsonSchema.ANYTHING) : null;
        }
        return places.maskedParams(params, known.params());
    }

    /** Whether the definition's current schemas mark secret places. A stored job may have additional ones. */
    public boolean mayHoldSecrets(DefinitionRef ref) {
        return places(ref, null, definitions.find(ref.key(), ref.version()).orElse(null))
                .any();
    }

    /** The secret values of the job's params. */
    public Secrets secretsOf(Job job) {
        JsonSchema schema = definitionOf(job).map(Known::params).orElse(JsonSchema.ANYTHING);
        return placesOf(job).secretsIn(job.spec().params(), schema);
    }

    /**
     * The job's result with the secrets of result and params masked. Null if there is no result, or if the definition
     * is unknown and no secret places are stored.
     */
    public @Nullable String resultToShow(Job job) {
        String result = job.result();
        Known known = result == null ? null : definitionOf(job).orElse(null);
        JobSecrets places = places(job.spec().definition(), job.spec().secrets(), known);
        if (result == null || (known == null && !places.any())) {
            return null;
        }
        JsonSchema schema = known == null ? JsonSchema.ANYTHING : known.result();
        return secretsOf(job).hideJson(places.maskedResult(result, schema));
    }

    private JobSecrets placesOf(Job job) {
        return places(
                job.spec().definition(), job.spec().secrets(), definitionOf(job).orElse(null));
    }

    /** The secret places stored with a job, plus the places that its definition marks now. */
    private static JobSecrets places(DefinitionRef ref, @Nullable String stored, @Nullable Known known) {
        JobSecrets now = known == null ? JobSecrets.always(ref.key()) : known.secrets();
        return JobSecrets.parse(stored).and(now);
    }

    /** The union of earlier and current secret places, so that an edit never removes one. */
    static @Nullable String united(@Nullable String before, @Nullable String now) {
        return JobSecrets.parse(before).and(JobSecrets.parse(now)).text();
    }

    private Optional<Known> definitionOf(Job job) {
        DefinitionRef ref = job.spec().definition();
        return definitions.find(ref.key(), ref.version());
    }

    private Optional<Job> earlier(String key, @Nullable Integer version, @Nullable String idempotencyKey) {
        if (idempotencyKey == null || !Text.storable(idempotencyKey) || !Text.storable(key)) {
            // No job can have a key that no store can keep.
            return Optional.empty();
        }
        return store.jobs().find(key, version, idempotencyKey);
    }

    private JobSpec checked(Known definition, String params, JobOptions options, boolean keyOfVersion) {
        var problems = new Problems();
        JobSpec spec = problems.made(() -> build(
                JobSpec.of(definition.ref(), params)
                        .id(ids.next())
                        .queue(definition.queue())
                        .maxAttempts(definition.maxAttempts())
                        .timeout(definition.timeout())
                        .secrets(definition.secrets().text())
                        .keyOfVersion(keyOfVersion),
                options));
        problems.add(definition.params().problems("params", params)).throwIfAny();
        return Objects.requireNonNull(spec);
    }

    /** The spec of a job with these defaults and overrides; fails with the problems of all of them. */
    private static JobSpec build(JobSpec.Builder job, JobOptions options) {
        String queue = options.queue();
        Integer priority = options.priority();
        Integer maxAttempts = options.maxAttempts();
        Duration timeout = options.timeout();
        if (queue != null) {
            job.queue(queue);
        }
        if (priority != null) {
            job.priority(priority);
        }
        if (maxAttempts != null) {
            job.maxAttempts(maxAttempts);
        }
        if (timeout != null) {
            job.timeout(timeout);
        }
        job.name(options.name())
                .idempotencyKey(options.idempotencyKey())
                .correlationId(options.correlationId())
                .labels(options.labels())
                .hold(options.hold())
                .createdBy(options.createdBy())
                .traceparent(options.traceparent())
                .webhook(options.webhook());
        var problems = new Problems();
        RunAt runTime = problems.made(options::runTime);
        JobSpec spec = problems.made(
                () -> job.runTime(runTime == null ? RunAt.now() : runTime).build());
        problems.throwIfAny();
        return Objects.requireNonNull(spec);
    }
}
