package dev.longhaul.engine;

import dev.longhaul.internal.text.Times;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
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
import dev.longhaul.work.LeaseRenewal;
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
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A work source backed by a map: the minimum a new engine must implement to run jobs. Its leases never expire. */
public final class MapWorkSource implements WorkSource {
    private static final Comparator<Entry> ORDER = Comparator.<Entry>comparingInt(job -> -job.spec.priority())
            .thenComparing(job -> job.runAt)
            .thenComparing(job -> job.spec.id().toString());

    private final Map<JobId, Entry> jobs = new LinkedHashMap<>();
    private final List<Consumer<Signal>> listeners = new CopyOnWriteArrayList<>();
    private Duration ahead = Duration.ZERO;
    WorkerDirectory directory = WorkerDirectory.NONE;

    private static final class Entry {
        final JobSpec spec;
        final Map<String, Step> steps = new LinkedHashMap<>();
        final Map<Claim, RunEnd> ends = new LinkedHashMap<>();
        private Instant runAt;
        private JobState state = JobState.WAITING;
        private Tally tally = Tally.NONE;
        private @Nullable ClaimedJob claimed;
        private @Nullable CancelRequest cancel;
        private @Nullable Failure failure;
        private @Nullable String result;

        Entry(JobSpec spec, Instant now) {
            this.spec = spec;
            this.runAt = spec.runTime().resolve(now);
        }

        ClaimedJob claim(ClaimRequest request, Instant now) {
            state = JobState.RUNNING;
            tally = new Tally(tally.run() + 1, tally.attempts() + 1, tally.crashes());
            boolean first = spec.maxAttempts() == 1 && request.begin() != ClaimRequest.Begin.ALL;
            var other = request.begin() == ClaimRequest.Begin.NONE ? ClaimedJob.Begin.SOON : ClaimedJob.Begin.STORED;
            var claim = new Claim(spec.id(), tally.run(), request.batch());
            var lease = new Lease(request.workerId(), now.plus(request.lease()), null);
            claimed = new ClaimedJob(claim, job(now, lease), first ? ClaimedJob.Begin.FIRST : other);
            return claimed;
        }

        void end(Transition transition, RunEnd end, Instant now) {
            ends.put(transition.claim(), end);
            state = end.state();
            tally = end.tally(tally);
            failure = end.jobFailure();
            result = transition instanceof Transition.Succeed succeed ? succeed.result() : null;
            runAt = end.when() == null ? runAt : end.when().resolve(now);
            claimed = null;
        }

        Job job(Instant now, @Nullable Lease lease) {
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
        return jobs.values().stream().filter(job -> job.claimed != null).count();
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
                .flatMap(job -> Stream.ofNullable(job.claimed))
                .filter(claimed -> claimed.claim().key().equals(batch))
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
        return Optional.ofNullable(jobs.get(claim.jobId()))
                .filter(job -> job.claimed != null && job.claimed.claim().equals(claim));
    }

    @Override
    public synchronized List<Verdict> begin(List<Claim> claims) {
        return claims.stream()
                .map(claim -> held(claim).isPresent() ? Verdict.WON : Verdict.LOST)
                .toList();
    }

    @Override
    public synchronized List<LeaseRenewal> extend(List<Claim> claims, Duration lease) {
        return claims.stream()
                .map(claim -> held(claim)
                        .map(job -> new LeaseRenewal(claim, true, job.cancel))
                        .orElse(new LeaseRenewal(claim, false, null)))
                .toList();
    }

    @Override
    public synchronized List<Verdict> save(List<RunUpdate> updates) {
        RunUpdate.requireOnePerClaim(updates);
        updates.forEach(update -> held(update.claim())
                .ifPresent(job -> update.steps().forEach(step -> job.steps.put(step.name(), step))));
        return begin(updates.stream().map(RunUpdate::claim).toList());
    }

    @Override
    public synchronized List<Verdict> apply(List<Transition> transitions) {
        return transitions.stream().map(this::apply).toList();
    }

    private Verdict apply(Transition transition) {
        Entry job = jobs.get(transition.claim().jobId());
        if (job == null || held(transition.claim()).isEmpty()) {
            RunEnd ended = job == null ? null : job.ends.get(transition.claim());
            return ended != null && ended.repeatedBy(transition) ? Verdict.WON : Verdict.LOST;
        }
        if (transition instanceof Transition.Succeed succeed && succeed.whyUnstorable() != null) {
            return Verdict.refused(String.valueOf(succeed.whyUnstorable()));
        }
        Optional<RunEnd> end = RunEnd.of(transition, job.state, job.tally, job.spec.maxAttempts());
        end.ifPresent(how -> job.end(transition, how, now()));
        if (job.state == JobState.WAITING) {
            signal(Signal.Kind.WORK, job.spec.queue());
        }
        return end.isPresent() ? Verdict.WON : Verdict.refused("no cancel was requested");
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
        return directory;
    }

    @Override
    public HookSource hooks() {
        return HookSource.NONE;
    }

    @Override
    public synchronized Optional<Job> find(JobId id) {
        return Optional.ofNullable(jobs.get(id)).map(job -> job.job(now(), null));
    }
}
