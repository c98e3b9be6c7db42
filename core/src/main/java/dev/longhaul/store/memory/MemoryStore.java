package dev.longhaul.store.memory;

import dev.longhaul.error.Problems;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Names;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunEnd;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.RunTime;
import dev.longhaul.job.Step;
import dev.longhaul.job.Transition;
import dev.longhaul.queue.Pause;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.store.ClaimRequest;
import dev.longhaul.store.ClaimedJob;
import dev.longhaul.store.Expired;
import dev.longhaul.store.Inserted;
import dev.longhaul.store.JobPage;
import dev.longhaul.store.JobQuery;
import dev.longhaul.store.JobStore;
import dev.longhaul.store.LeaseAnswer;
import dev.longhaul.store.Refusal;
import dev.longhaul.store.Retained;
import dev.longhaul.store.RunUpdate;
import dev.longhaul.store.Signal;
import dev.longhaul.store.Subscription;
import dev.longhaul.store.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Keeps jobs in this process, for tests and demos. One lock stands for PostgreSQL's transactions. */
public final class MemoryStore implements JobStore {
    private final Object lock = new Object();
    private final InstantSource clock;
    private final JobIndex jobs = new JobIndex();
    private final Settings settings = new Settings();
    private final Listeners listeners = new Listeners();
    private Set<Signal> pending = new LinkedHashSet<>();

    public MemoryStore() {
        this(InstantSource.system());
    }

    public MemoryStore(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public List<Inserted> insert(List<JobSpec> specs) {
        return write(now -> {
            var answers = new ArrayList<Inserted>();
            try {
                specs.forEach(spec -> answers.add(insert(spec, now)));
            } catch (RuntimeException refused) {
                answers.stream()
                        .filter(Inserted::isNew)
                        .forEach(added -> jobs.remove(existing(added.job().id())));
                pending.clear();
                throw refused;
            }
            return answers;
        });
    }

    private Inserted insert(JobSpec spec, Instant now) {
        StoredJob first = jobs.firstLike(spec);
        if (first != null) {
            return new Inserted(first.view(now), false);
        }
        Duration skew = Duration.between(now, spec.id().madeAt()).abs();
        if (skew.compareTo(Limits.CLOCK_SKEW) > 0) {
            throw Refusal.idOffClock(spec.id(), now);
        }
        Integer maxDepth = settings.maxDepthOf(spec.queue());
        if (!spec.hold() && maxDepth != null && jobs.depth(spec.queue()) >= maxDepth) {
            throw Refusal.queueFull(spec.queue(), maxDepth);
        }
        var job = new StoredJob(spec, now);
        jobs.add(job);
        announce(job, now);
        return new Inserted(job.view(now), true);
    }

    @Override
    public Job release(JobId id, @Nullable String by) {
        return write(now -> {
            StoredJob job = existing(id);
            require(job.state() == JobState.CREATED, job, now, "release", "created");
            return changed(job, now, () -> job.release(by, now));
        });
    }

    @Override
    public Job edit(JobId id, JobEdit edit, @Nullable String by) {
        return write(now -> {
            StoredJob job = existing(id);
            boolean editable = job.state() == JobState.CREATED || job.state() == JobState.WAITING;
            require(editable, job, now, "edit", "created, scheduled, queued or retrying");
            return changed(job, now, () -> job.edit(edit, by, now));
        });
    }

    @Override
    public Job runNow(JobId id, @Nullable String by) {
        return write(now -> {
            StoredJob job = existing(id);
            JobStatus status = job.status(now);
            boolean ahead = status == JobStatus.SCHEDULED || status == JobStatus.RETRYING;
            require(ahead, job, now, "run now", "scheduled or retrying");
            return changed(job, now, () -> job.edit(JobEdit.runTime(RunTime.now()), by, now));
        });
    }

    @Override
    public Job cancel(JobId id, @Nullable String by, @Nullable String reason, @Nullable Duration grace) {
        return write(now -> {
            StoredJob job = existing(id);
            var request = new CancelRequest(now, reason, grace);
            return switch (job.state()) {
                case CREATED, WAITING -> changed(job, now, () -> job.cancel(by, request));
                case RUNNING -> {
                    pending.add(new Signal(Signal.Kind.CANCEL, id.toString()));
                    yield changed(job, now, () -> job.requestCancel(by, request));
                }
                case CANCELLING, CANCELLED -> job.view(now);
                case SUCCEEDED, FAILED ->
                    throw Refusal.forbidden(id, job.status(now), "cancel", "a job that has not ended");
            };
        });
    }

    @Override
    public Job retry(JobId id, @Nullable String by) {
        return write(now -> {
            StoredJob job = existing(id);
            boolean ended = job.state() == JobState.FAILED || job.state() == JobState.CANCELLED;
            require(ended, job, now, "retry", "failed or cancelled");
            return changed(job, now, () -> job.retry(by, now));
        });
    }

    @Override
    public Instant now() {
        return StoredJob.micros(clock.instant());
    }

    @Override
    public Optional<Job> find(JobId id) {
        return read(() -> Optional.ofNullable(jobs.find(id)).map(job -> job.view(now())));
    }

    @Override
    public JobPage list(JobQuery query) {
        return read(() -> {
            Instant now = now();
            Predicate<StoredJob> asked = Listed.by(query, now);
            List<Job> found = jobs.from(query.cursor(), query.order()).stream()
                    .filter(asked)
                    .limit(query.limit() + 1L)
                    .map(job -> job.view(now))
                    .toList();
            boolean last = found.size() <= query.limit();
            List<Job> page = last ? found : found.subList(0, query.limit());
            return new JobPage(page, last ? null : page.get(page.size() - 1).id());
        });
    }

    @Override
    public List<Run> runs(JobId id) {
        return ofJob(id, StoredJob::runs);
    }

    @Override
    public List<Step> steps(JobId id) {
        return ofJob(id, job -> job.steps().stream());
    }

    @Override
    public List<JobEvent> events(EventQuery query) {
        return ofJob(query.jobId(), job -> job.events().filter(query::matches).limit(query.limit()));
    }

    @Override
    public List<QueueStats> queues() {
        return read(() -> QueueCounts.of(jobs.all(), settings, now()));
    }

    @Override
    public long dueCount(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return read(() -> {
            Instant now = now();
            return waiting(queues, definitions).filter(job -> job.due(now)).count();
        });
    }

    @Override
    public Optional<Duration> untilNextDue(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return read(() -> {
            Instant now = now();
            return waiting(queues, definitions)
                    .map(StoredJob::runAt)
                    .min(Instant::compareTo)
                    .map(runAt -> runAt.isAfter(now) ? Duration.between(now, runAt) : Duration.ZERO);
        });
    }

    @Override
    public List<ClaimedJob> claim(ClaimRequest request) {
        return write(now -> {
            List<StoredJob> chosen = waiting(request.queues(), request.definitions())
                    .filter(job -> job.due(now))
                    .filter(settings.placesBeside(jobs.leased()))
                    .limit(request.max())
                    .toList();
            chosen.forEach(job -> jobs.change(job, () -> job.claim(request, now)));
            return chosen.stream().map(job -> claimedJob(job, now)).toList();
        });
    }

    @Override
    public List<ClaimedJob> claimed(UUID batch) {
        return read(() -> jobs.leased().stream()
                .filter(job -> job.claim().key().equals(batch))
                .map(job -> claimedJob(job, now()))
                .toList());
    }

    @Override
    public List<LeaseAnswer> extend(List<Claim> claims, Duration lease) {
        return write(now -> claims.stream()
                .map(claim -> {
                    StoredJob job = held(claim);
                    if (job == null) {
                        return new LeaseAnswer(claim, false, null);
                    }
                    job.extend(lease, now);
                    return new LeaseAnswer(claim, true, job.cancelRequest());
                })
                .toList());
    }

    @Override
    public List<Verdict> save(List<RunUpdate> updates) {
        RunUpdate.requireOnePerClaim(updates);
        return write(now -> updates.stream().map(update -> save(update, now)).toList());
    }

    private Verdict save(RunUpdate update, Instant now) {
        StoredJob job = held(update.claim());
        if (job == null) {
            return Verdict.LOST;
        }
        if (!job.hasRoomFor(update.steps())) {
            return Verdict.refused("steps: more than " + Limits.STEPS + " (expected: <= " + Limits.STEPS + ")");
        }
        job.save(update, now);
        return Verdict.WON;
    }

    @Override
    public List<Verdict> apply(List<Transition> transitions) {
        return write(now ->
                transitions.stream().map(transition -> apply(transition, now)).toList());
    }

    private Verdict apply(Transition transition, Instant now) {
        StoredJob job = held(transition.claim());
        if (job == null) {
            return appliedBefore(transition) ? Verdict.WON : Verdict.LOST;
        }
        String result = transition instanceof Transition.Succeed succeed ? succeed.result() : null;
        String unstorable = transition instanceof Transition.Succeed succeed ? succeed.whyUnstorable() : null;
        if (unstorable != null) {
            return Verdict.refused(unstorable);
        }
        Optional<RunEnd> end =
                RunEnd.of(transition, job.state(), job.tally(), job.spec().maxAttempts());
        if (end.isEmpty()) {
            return Verdict.refused("the job is " + job.state().wireName() + "; no cancel was requested");
        }
        changed(job, now, () -> job.end(end.get(), result, now));
        return Verdict.WON;
    }

    private boolean appliedBefore(Transition transition) {
        StoredJob job = jobs.find(transition.claim().jobId());
        RunStatus ended = job == null ? null : job.endOf(transition.claim());
        return ended != null && RunEnd.repeats(transition, ended);
    }

    @Override
    public void pause(String queue, @Nullable String by, @Nullable String note) {
        requireName("queue", queue);
        update(now -> settings.pause(queue, new Pause(now, by, note)));
    }

    @Override
    public void resume(String queue) {
        update(now -> {
            settings.resume(queue);
            waiting(List.of(queue), null)
                    .filter(job -> job.due(now))
                    .findFirst()
                    .ifPresent(job -> announce(job, now));
        });
    }

    @Override
    public void maxDepth(String queue, @Nullable Integer maxDepth) {
        requireName("queue", queue);
        new Problems()
                .require(maxDepth == null || maxDepth >= 0, "maxDepth", maxDepth, ">= 0")
                .throwIfAny();
        update(now -> settings.maxDepth(queue, maxDepth));
    }

    @Override
    public void concurrencyLimit(String definitionKey, int limit) {
        requireName("definitionKey", definitionKey);
        new Problems().require(limit >= 0, "concurrencyLimit", limit, ">= 0").throwIfAny();
        update(now -> settings.concurrencyLimit(definitionKey, limit));
    }

    @Override
    public List<Expired> expireLeases(int max) {
        return write(now -> {
            List<StoredJob> lapsed = jobs.leased().stream()
                    .filter(job -> job.lapsed(now))
                    .limit(max)
                    .toList();
            return lapsed.stream().map(job -> expired(job, now)).toList();
        });
    }

    private Expired expired(StoredJob job, Instant now) {
        Claim claim = job.claim();
        String workerId = job.workerId();
        Job after = changed(job, now, () -> job.end(job.lapse(), null, now));
        return new Expired(claim, workerId, after.state());
    }

    @Override
    public Retained retain(Duration keep) {
        return write(now -> {
            List<StoredJob> old = jobs.all().stream()
                    .filter(job -> job.finishedBefore(now.minus(keep)))
                    .toList();
            old.forEach(jobs::remove);
            return new Retained(old.size(), 0);
        });
    }

    @Override
    public Subscription listen(Consumer<Signal> listener) {
        return listeners.add(listener);
    }

    @Override
    public void close() {
        listeners.clear();
    }

    /** Makes a change under the lock, then lets the listeners know. */
    private <T> T write(Function<Instant, T> change) {
        T answer;
        Set<Signal> signals;
        synchronized (lock) {
            answer = change.apply(now());
            signals = pending;
            pending = new LinkedHashSet<>();
        }
        listeners.tell(signals);
        return answer;
    }

    private void update(Consumer<Instant> change) {
        write(now -> {
            change.accept(now);
            return now;
        });
    }

    private <T> T read(Supplier<T> question) {
        synchronized (lock) {
            return question.get();
        }
    }

    private <T> List<T> ofJob(JobId id, Function<StoredJob, Stream<T>> part) {
        return read(() -> {
            StoredJob job = jobs.find(id);
            return job == null ? List.of() : part.apply(job).toList();
        });
    }

    private Stream<StoredJob> waiting(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return jobs.waiting().stream().filter(Wanted.of(queues, definitions, settings));
    }

    private Job changed(StoredJob job, Instant now, Runnable step) {
        jobs.change(job, step);
        announce(job, now);
        return job.view(now);
    }

    private void announce(StoredJob job, Instant now) {
        if (job.due(now)) {
            pending.add(new Signal(Signal.Kind.WORK, job.spec().queue()));
        }
    }

    private StoredJob existing(JobId id) {
        StoredJob job = jobs.find(id);
        if (job == null) {
            throw Refusal.notFound(id);
        }
        return job;
    }

    private @Nullable StoredJob held(Claim claim) {
        StoredJob job = jobs.find(claim.jobId());
        return job != null && job.heldBy(claim) ? job : null;
    }

    private static ClaimedJob claimedJob(StoredJob job, Instant now) {
        return new ClaimedJob(job.claim(), job.view(now));
    }

    private static void require(boolean allowed, StoredJob job, Instant now, String step, String needs) {
        if (!allowed) {
            throw Refusal.forbidden(job.id(), job.status(now), step, needs);
        }
    }

    private static void requireName(String field, String name) {
        new Problems().require(Names.valid(name), field, name, Names.RULE).throwIfAny();
    }
}
