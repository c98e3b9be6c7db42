package dev.longhaul.memory;

import dev.longhaul.internal.store.Refusal;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Run;
import dev.longhaul.job.Step;
import dev.longhaul.spi.ClaimById;
import dev.longhaul.spi.HookSource;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.spi.WorkerDirectory;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.EndedRun;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunEnd;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import dev.longhaul.work.WorkFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The operations of workers: claims, leases, reports, ends and hooks. */
final class MemoryWork implements WorkSource, HookSource, ClaimById {
    private final JobIndex jobs;
    private final Settings settings;
    private final DueHooks hooks;
    private final Commands commands;
    private final WorkerDirectory directory;
    private final StoreLock lock;
    private final StoreListeners listeners;

    MemoryWork(
            JobIndex jobs,
            Settings settings,
            DueHooks hooks,
            Commands commands,
            WorkerDirectory directory,
            StoreLock lock) {
        this.jobs = jobs;
        this.settings = settings;
        this.hooks = hooks;
        this.commands = commands;
        this.directory = directory;
        this.lock = lock;
        this.listeners = lock.storeListeners();
    }

    @Override
    public Optional<Job> find(JobId id) {
        return lock.read(() -> Optional.ofNullable(jobs.find(id)).map(job -> job.view(lock.now())));
    }

    @Override
    public WorkerDirectory directory() {
        return directory;
    }

    @Override
    public HookSource hooks() {
        return this;
    }

    @Override
    public List<Step> steps(JobId id) {
        return lock.read(() -> {
            StoredJob job = jobs.find(id);
            return job == null ? List.of() : job.steps();
        });
    }

    @Override
    public Optional<Duration> untilNextDue(WorkFilter filter) {
        return lock.read(() -> {
            Instant now = lock.now();
            if (filter.lastLife()) {
                return claimable(filter.queues(), filter.definitions(), true, now)
                        .findFirst()
                        .map(job -> Duration.ZERO);
            }
            return jobs.waiting(settings, filter.queues(), filter.definitions(), false)
                    .map(StoredJob::runAt)
                    .min(Instant::compareTo)
                    .map(runAt -> runAt.isAfter(now) ? Duration.between(now, runAt) : Duration.ZERO);
        });
    }

    @Override
    public List<ClaimedJob> claim(ClaimRequest request) {
        return listeners.claim(request.lease(), () -> lock.write(now -> claim(request, now)));
    }

    private List<ClaimedJob> claim(ClaimRequest request, Instant now) {
        List<StoredJob> chosen = claimable(request.queues(), request.definitions(), request.lastLife(), now)
                .limit(request.max())
                .toList();
        return chosen.stream()
                .map(job -> claimed(job, request.batch(), request, now))
                .toList();
    }

    private Stream<StoredJob> claimable(
            List<String> queues, @Nullable Set<DefinitionRef> definitions, boolean lastLife, Instant now) {
        return jobs.waiting(settings, queues, definitions, lastLife)
                .filter(job -> job.due(now))
                .filter(settings.freeSlots(jobs.leased()));
    }

    @Override
    public ClaimedJob claimOne(JobId id, UUID key, String workerId, Duration lease) {
        ClaimRequest.requireOwner(workerId, lease);
        ClaimedJob one = lock.write(now -> {
            StoredJob job = commands.existing(id);
            if (job.state().leased() && job.claim().key().equals(key)) {
                return claimedJob(job, now);
            }
            Commands.require(job.state() == JobState.WAITING, job, now, "run", "scheduled, queued or retrying");
            String definitionKey = job.spec().definition().key();
            if (!settings.freeSlots(jobs.leased()).test(job)) {
                throw Refusal.definitionFull(definitionKey, settings.concurrencyLimitOf(definitionKey));
            }
            return claimed(
                    job,
                    key,
                    ClaimRequest.of(workerId, List.of(job.spec().queue()), null, 1, lease)
                            .beginning(ClaimRequest.Begin.ORDINARY),
                    now);
        });
        listeners.report(listener -> listener.claimed(List.of(one), lease));
        return one;
    }

    private ClaimedJob claimed(StoredJob job, UUID key, ClaimRequest by, Instant now) {
        jobs.change(job, () -> job.claim(key, by, now));
        commands.dispatch(job, now);
        lock.changed(job);
        return claimedJob(job, now);
    }

    @Override
    public List<ClaimedJob> claimed(UUID batch) {
        List<ClaimedJob> held = lock.read(() -> jobs.leased().stream()
                .filter(job -> job.claim().key().equals(batch))
                .map(job -> claimedJob(job, lock.now()))
                .toList());
        listeners.report(listener -> listener.claimed(held, null));
        return held;
    }

    @Override
    public List<Verdict> begin(List<Claim> claims) {
        return lock.write(now -> claims.stream()
                .map(claim -> {
                    StoredJob job = jobs.held(claim);
                    if (job == null) {
                        return Verdict.LOST;
                    }
                    job.begins();
                    return Verdict.WON;
                })
                .toList());
    }

    @Override
    public List<LeaseRenewal> extend(List<Claim> claims, Duration lease) {
        return listeners.extend(
                lease,
                () -> lock.write(now ->
                        claims.stream().map(claim -> extend(claim, lease, now)).toList()));
    }

    private LeaseRenewal extend(Claim claim, Duration lease, Instant now) {
        StoredJob job = jobs.held(claim);
        if (job == null) {
            return new LeaseRenewal(claim, false, null);
        }
        job.extend(lease, now);
        return new LeaseRenewal(claim, true, job.cancelRequest());
    }

    @Override
    public List<Verdict> save(List<RunUpdate> updates) {
        RunUpdate.requireOnePerClaim(updates);
        return listeners.save(
                updates,
                () -> lock.write(
                        now -> updates.stream().map(update -> save(update, now)).toList()));
    }

    private Verdict save(RunUpdate update, Instant now) {
        StoredJob job = jobs.held(update.claim());
        if (job == null) {
            return Verdict.LOST;
        }
        if (!job.hasRoomFor(update.steps())) {
            return Verdict.refused("steps: more than " + Limits.STEPS + " (expected: <= " + Limits.STEPS + ")");
        }
        job.save(update, now);
        lock.changed(job);
        return Verdict.WON;
    }

    @Override
    public List<Verdict> apply(List<Transition> transitions) {
        return listeners.apply(
                transitions,
                () -> lock.write(now -> transitions.stream()
                        .map(transition -> apply(transition, now))
                        .toList()));
    }

    private Verdict apply(Transition transition, Instant now) {
        StoredJob job = jobs.held(transition.claim());
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
        // A live worker ended the job: it runs the hooks itself, unless it dies first.
        EndedRun ended = commands.end(job, end.get(), result, now.plus(HOOK_HEAD_START), now);
        lock.reportLater(listener -> listener.ended(transition.claim(), ended));
        return Verdict.WON;
    }

    private boolean appliedBefore(Transition transition) {
        StoredJob job = jobs.find(transition.claim().jobId());
        Run ended = job == null ? null : job.endOf(transition.claim());
        Failure failure = ended == null ? null : ended.failure();
        return ended != null && RunEnd.repeats(transition, ended.status(), failure == null ? null : failure.code());
    }

    @Override
    public List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold) {
        return lock.write(now -> hooks.take(definitions, max, now, hold).stream()
                .map(job -> job.view(now))
                .toList());
    }

    @Override
    public void hooksDone(JobId id, List<String> failures) {
        lock.update(now -> {
            StoredJob job = jobs.find(id);
            if (hooks.done(id) && job != null && job.state().terminal()) {
                failures.forEach(failure -> job.hookFailed(failure, now));
                lock.changed(job);
            }
        });
    }

    @Override
    public Subscription listen(Consumer<Signal> listener) {
        return lock.listen(listener);
    }

    private static ClaimedJob claimedJob(StoredJob job, Instant now) {
        return new ClaimedJob(job.claim(), job.view(now), job.begin());
    }
}
