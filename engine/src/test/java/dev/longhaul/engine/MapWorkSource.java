package dev.longhaul.engine;

import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.internal.text.Times;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Lease;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Step;
import dev.longhaul.job.Tally;
import dev.longhaul.spi.HookSource;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.spi.WorkerDirectory;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseAnswer;
import dev.longhaul.work.RunEnd;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import dev.longhaul.work.WorkFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A source of work over a map: all that a new engine must implement to run jobs. Nobody expires its leases. */
public final class MapWorkSource implements WorkSource, HookSource, WorkerDirectory {
    private static final Comparator<Entry> ORDER = Comparator.<Entry>comparingInt(job -> -job.spec.priority())
            .thenComparing(job -> job.runAt)
            .thenComparing(job -> job.spec.id().toString());

    private final Map<JobId, Entry> jobs = new LinkedHashMap<>();
    private final List<Consumer<Signal>> listeners = new CopyOnWriteArrayList<>();
    final List<KnownDefinition> registered = new CopyOnWriteArrayList<>();
    private Duration ahead = Duration.ZERO;

    /** A job and what has become of it. */
    private static final class Entry {
        final JobSpec spec;
        final Map<String, Step> steps = new LinkedHashMap<>();
        final Map<Claim, RunEnd> ends = new LinkedHashMap<>();
        Instant runAt;
        JobState state = JobState.WAITING;
        Tally tally = Tally.NONE;
        ClaimedJob.Begin begin = ClaimedJob.Begin.STORED;

        @Nullable
        Claim claim;

        @Nullable
        CancelRequest cancel;

        @Nullable
        Lease lease;

        @Nullable
        Failure failure;

        @Nullable
        String result;

        Entry(JobSpec spec, Instant now) {
            this.spec = spec;
            this.runAt = spec.runTime().resolve(now);
        }

        ClaimedJob claim(ClaimRequest request, Instant now) {
            state = JobState.RUNNING;
            tally = new Tally(tally.run() + 1, tally.attempts() + 1, tally.crashes());
            claim = new Claim(spec.id(), tally.run(), request.batch());
            lease = new Lease(request.workerId(), now.plus(request.lease()), null);
            begin = switch (request.begin()) {
                case ALL -> ClaimedJob.Begin.STORED;
                case ORDINARY -> spec.maxAttempts() > 1 ? ClaimedJob.Begin.STORED : ClaimedJob.Begin.FIRST;
                case NONE -> spec.maxAttempts() > 1 ? ClaimedJob.Begin.SOON : ClaimedJob.Begin.FIRST;
            };
            return new ClaimedJob(claim, job(now), begin);
        }

        void end(Transition transition, RunEnd end, Instant now) {
            ends.put(transition.claim(), end);
            state = end.state();
            tally = end.tally(tally);
            failure = end.jobFailure();
            result = transition instanceof Transition.Succeed succeed ? succeed.result() : null;
            runAt = end.when() == null ? runAt : end.when().resolve(now);
            claim = null;
            lease = null;
        }

        /** Whether this very transition has ended its run before. */
        boolean endedBy(Transition transition) {
            RunEnd end = ends.get(transition.claim());
            Failure why = end == null ? null : end.runFailure();
            return end != null && RunEnd.repeats(transition, end.runStatus(), why == null ? null : why.code());
        }

        Job job(Instant now) {
            var times = new Times(runAt, now, runAt, now, state.terminal() ? now : null);
            var status = JobStatus.of(state, runAt, tally.attempts(), now);
            return new Job(spec, status, times, tally, Progress.NONE, lease, cancel, failure, result);
        }
    }

    public synchronized void insert(List<JobSpec> specs) {
        specs.forEach(spec -> jobs.put(spec.id(), new Entry(spec, now())));
        specs.forEach(spec -> signal(Signal.Kind.WORK, spec.queue()));
    }

    public synchronized void cancel(JobId id) {
        Entry job = jobs.get(id);
        if (job != null && job.state == JobState.RUNNING) {
            job.state = JobState.CANCELLING;
            job.cancel = new CancelRequest(now(), "not needed", Duration.ZERO);
            signal(Signal.Kind.CANCEL, id.toString());
        }
    }

    public synchronized long running() {
        return jobs.values().stream().filter(job -> job.claim != null).count();
    }

    synchronized void advance(Duration by) {
        ahead = ahead.plus(by);
    }

    private Instant now() {
        return Instant.now().plus(ahead);
    }

    private void signal(Signal.Kind kind, String subject) {
        listeners.forEach(listener -> listener.accept(new Signal(kind, subject)));
    }

    @Override
    public synchronized List<ClaimedJob> claim(ClaimRequest request) {
        Instant now = now();
        return waiting(new WorkFilter(request.queues(), request.definitions(), request.lastLife()))
                .filter(job -> !job.runAt.isAfter(now))
                .limit(request.max())
                .map(job -> job.claim(request, now))
                .toList();
    }

    @Override
    public synchronized List<ClaimedJob> claimed(UUID batch) {
        return jobs.values().stream()
                .filter(job -> job.claim != null && job.claim.key().equals(batch))
                .map(job -> new ClaimedJob(job.claim, job.job(now()), job.begin))
                .toList();
    }

    private Stream<Entry> waiting(WorkFilter filter) {
        return jobs.values().stream()
                .filter(job -> job.state == JobState.WAITING)
                .filter(job -> filter.lastLife() == (job.tally.crashes() == Limits.CRASHES - 1))
                .filter(job -> filter.queues().contains(job.spec.queue()))
                .filter(job ->
                        filter.definitions() == null || filter.definitions().contains(job.spec.definition()))
                .sorted(ORDER);
    }

    @Override
    public synchronized Optional<Duration> untilNextDue(WorkFilter filter) {
        return waiting(filter)
                .map(job -> Duration.between(now(), job.runAt))
                .map(left -> left.isNegative() ? Duration.ZERO : left)
                .min(Comparator.naturalOrder())
                .filter(left -> !filter.lastLife() || left.isZero());
    }

    private Optional<Entry> held(Claim claim) {
        return Optional.ofNullable(jobs.get(claim.jobId())).filter(job -> claim.equals(job.claim));
    }

    @Override
    public synchronized List<Verdict> begin(List<Claim> claims) {
        return claims.stream()
                .map(claim -> held(claim).isPresent() ? Verdict.WON : Verdict.LOST)
                .toList();
    }

    @Override
    public synchronized List<LeaseAnswer> extend(List<Claim> claims, Duration lease) {
        return claims.stream()
                .map(claim -> held(claim)
                        .map(job -> new LeaseAnswer(claim, true, job.cancel))
                        .orElse(new LeaseAnswer(claim, false, null)))
                .toList();
    }

    @Override
    public synchronized List<Verdict> save(List<RunUpdate> updates) {
        RunUpdate.requireOnePerClaim(updates);
        for (RunUpdate update : updates) {
            held(update.claim()).ifPresent(job -> update.steps().forEach(step -> job.steps.put(step.name(), step)));
        }
        return begin(updates.stream().map(RunUpdate::claim).toList());
    }

    @Override
    public synchronized List<Verdict> apply(List<Transition> transitions) {
        return transitions.stream().map(this::apply).toList();
    }

    private Verdict apply(Transition transition) {
        Claim claim = transition.claim();
        Entry job = jobs.get(claim.jobId());
        if (job == null || !claim.equals(job.claim)) {
            return job != null && job.endedBy(transition) ? Verdict.WON : Verdict.LOST;
        }
        if (transition instanceof Transition.Succeed succeed && succeed.whyUnstorable() != null) {
            return Verdict.refused(String.valueOf(succeed.whyUnstorable()));
        }
        Optional<RunEnd> end = RunEnd.of(transition, job.state, job.tally, job.spec.maxAttempts());
        if (end.isEmpty()) {
            return Verdict.refused("nobody asked to cancel the job");
        }
        job.end(transition, end.get(), now());
        if (job.state == JobState.WAITING) {
            signal(Signal.Kind.WORK, job.spec.queue());
        }
        return Verdict.WON;
    }

    @Override
    public synchronized List<Step> steps(JobId id) {
        return jobs.containsKey(id) ? List.copyOf(jobs.get(id).steps.values()) : List.of();
    }

    @Override
    public Subscription listen(Consumer<Signal> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public WorkerDirectory directory() {
        return this;
    }

    @Override
    public HookSource hooks() {
        return this;
    }

    @Override
    public void register(List<KnownDefinition> definitions, Set<String> hooked) {
        registered.addAll(definitions);
    }

    @Override
    public void seen(WorkerReport report) {}

    @Override
    public void gone(String workerId) {}

    @Override
    public synchronized Optional<Job> find(JobId id) {
        return Optional.ofNullable(jobs.get(id)).map(job -> job.job(now()));
    }

    /** None: a worker runs the hooks of the jobs that it has ended itself. */
    @Override
    public List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold) {
        return List.of();
    }

    @Override
    public void hooksDone(JobId id, List<String> failures) {}
}
