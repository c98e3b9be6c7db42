package dev.longhaul.worker;

import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Lease;
import dev.longhaul.job.Progress;
import dev.longhaul.job.RunEnd;
import dev.longhaul.job.Step;
import dev.longhaul.job.Tally;
import dev.longhaul.job.Times;
import dev.longhaul.job.Transition;
import dev.longhaul.store.ClaimRequest;
import dev.longhaul.store.ClaimedJob;
import dev.longhaul.store.EndedRun;
import dev.longhaul.store.HookSource;
import dev.longhaul.store.LeaseAnswer;
import dev.longhaul.store.RunUpdate;
import dev.longhaul.store.Signal;
import dev.longhaul.store.Subscription;
import dev.longhaul.store.Verdict;
import dev.longhaul.store.WorkFilter;
import dev.longhaul.store.WorkSource;
import dev.longhaul.store.WorkerDirectory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A source of work over a queue of the JDK: all that a new engine must implement to run jobs. */
final class QueueWorkSource implements WorkSource, HookSource, WorkerDirectory {
    private final DelayQueue<Waiting> waiting = new DelayQueue<>();
    private final Map<JobId, ClaimedJob> running = new ConcurrentHashMap<>();
    private final Map<JobId, Job> ended = new ConcurrentHashMap<>();
    private final Map<JobId, CancelRequest> cancels = new ConcurrentHashMap<>();
    private final Map<JobId, List<Step>> steps = new ConcurrentHashMap<>();
    private final List<Consumer<Signal>> listeners = new CopyOnWriteArrayList<>();
    final List<KnownDefinition> registered = new CopyOnWriteArrayList<>();
    final List<RunUpdate> saved = new CopyOnWriteArrayList<>();

    /** A job that may be claimed at a given time. */
    private record Waiting(JobSpec spec, Tally tally, Instant at) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(Duration.between(Instant.now(), at));
        }

        @Override
        public int compareTo(Delayed other) {
            return at.compareTo(((Waiting) other).at);
        }
    }

    JobId add(JobSpec spec) {
        waiting.add(new Waiting(spec, Tally.NONE, Instant.now()));
        signal(Signal.Kind.WORK, spec.queue());
        return spec.id();
    }

    void cancel(JobId id) {
        cancels.put(id, new CancelRequest(Instant.now(), "not needed", Duration.ZERO));
        signal(Signal.Kind.CANCEL, id.toString());
    }

    private void signal(Signal.Kind kind, String subject) {
        listeners.forEach(listener -> listener.accept(new Signal(kind, subject)));
    }

    @Override
    public List<ClaimedJob> claim(ClaimRequest request) {
        var claimed = new ArrayList<ClaimedJob>();
        while (!request.lastLife() && claimed.size() < request.max()) {
            Waiting next = waiting.poll();
            if (next == null) {
                break;
            }
            var tally = new Tally(
                    next.tally().run() + 1,
                    next.tally().attempts() + 1,
                    next.tally().crashes());
            Instant now = Instant.now();
            var lease = new Lease(request.workerId(), now.plus(request.lease()), null);
            Job job = job(next.spec(), JobStatus.RUNNING, tally, lease, null, null);
            var one = new ClaimedJob(new Claim(job.id(), tally.run(), request.batch()), job);
            running.put(job.id(), one);
            claimed.add(one);
        }
        return claimed;
    }

    private static Job job(
            JobSpec spec,
            JobStatus status,
            Tally tally,
            @Nullable Lease lease,
            @Nullable RunEnd end,
            @Nullable String result) {
        Instant now = Instant.now();
        return new Job(
                spec,
                status,
                new Times(now, now, now, now, status.state().terminal() ? now : null),
                tally,
                Progress.NONE,
                lease,
                null,
                end == null ? null : end.jobFailure(),
                result);
    }

    @Override
    public List<ClaimedJob> claimed(UUID batch) {
        return running.values().stream()
                .filter(one -> one.claim().key().equals(batch))
                .toList();
    }

    private boolean held(Claim claim) {
        ClaimedJob one = running.get(claim.jobId());
        return one != null && one.claim().equals(claim);
    }

    private List<Verdict> verdicts(List<Claim> claims) {
        return claims.stream()
                .map(claim -> held(claim) ? Verdict.WON : Verdict.LOST)
                .toList();
    }

    @Override
    public List<Verdict> begin(List<Claim> claims) {
        return verdicts(claims);
    }

    @Override
    public List<LeaseAnswer> extend(List<Claim> claims, Duration lease) {
        return claims.stream()
                .map(claim -> new LeaseAnswer(claim, held(claim), cancels.get(claim.jobId())))
                .toList();
    }

    @Override
    public List<Verdict> save(List<RunUpdate> updates) {
        updates.stream().filter(update -> held(update.claim())).forEach(update -> {
            saved.add(update);
            steps.computeIfAbsent(update.claim().jobId(), id -> new CopyOnWriteArrayList<>())
                    .addAll(update.steps());
        });
        return verdicts(updates.stream().map(RunUpdate::claim).toList());
    }

    @Override
    public List<Verdict> apply(List<Transition> transitions) {
        return transitions.stream().map(this::apply).toList();
    }

    private Verdict apply(Transition transition) {
        Claim claim = transition.claim();
        ClaimedJob one = running.get(claim.jobId());
        if (one == null || !one.claim().equals(claim) || !running.remove(claim.jobId(), one)) {
            return Verdict.LOST;
        }
        Job job = one.job();
        JobState state = cancels.containsKey(job.id()) ? JobState.CANCELLING : JobState.RUNNING;
        RunEnd end = RunEnd.of(transition, state, job.tally(), job.spec().maxAttempts())
                .orElseThrow();
        Tally tally = end.tally(job.tally());
        Instant now = Instant.now();
        if (end.state().terminal()) {
            String result = transition instanceof Transition.Succeed succeed ? succeed.result() : null;
            ended.put(
                    job.id(),
                    job(job.spec(), JobStatus.of(end.state(), now, tally.attempts(), now), tally, null, end, result));
        } else {
            Instant at = end.when() == null ? now : end.when().resolve(now);
            waiting.add(new Waiting(job.spec(), tally, at));
        }
        return Verdict.ended(new EndedRun(job.spec().definition().key(), end, now, now));
    }

    @Override
    public List<Step> steps(JobId id) {
        return steps.getOrDefault(id, List.of());
    }

    @Override
    public Optional<Duration> untilNextDue(WorkFilter filter) {
        Waiting next = filter.lastLife() ? null : waiting.peek();
        return Optional.ofNullable(next).map(one -> Duration.ofNanos(Math.max(0, one.getDelay(TimeUnit.NANOSECONDS))));
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
    public Optional<Job> find(JobId id) {
        return Optional.ofNullable(ended.get(id));
    }

    @Override
    public List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold) {
        return List.of();
    }

    @Override
    public void hooksDone(JobId id, List<String> failures) {}
}
