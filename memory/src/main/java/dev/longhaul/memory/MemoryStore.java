package dev.longhaul.memory;

import dev.longhaul.JobQuery;
import dev.longhaul.access.AccessStore;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.error.Problems;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Run;
import dev.longhaul.job.Step;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.queue.Standing;
import dev.longhaul.spi.CommandResult;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobCounts;
import dev.longhaul.spi.JobPage;
import dev.longhaul.spi.JobStore;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.PageBytes;
import dev.longhaul.spi.Retained;
import dev.longhaul.spi.ScheduleStore;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.StoreListener;
import dev.longhaul.spi.Subscription;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.webhook.WebhookStore;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.EndedRun;
import dev.longhaul.work.Expired;
import dev.longhaul.work.LeaseAnswer;
import dev.longhaul.work.Overdue;
import dev.longhaul.work.RunEnd;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import dev.longhaul.work.WorkFilter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Keeps jobs in this process, for tests and demos. */
public final class MemoryStore implements JobStore {
    private final JobIndex jobs = new JobIndex();
    private final Settings settings = new Settings();
    private final Leader leader = new Leader();
    private final DueHooks hooks = new DueHooks();
    private final StoreListeners listeners;
    private final Gate gate;
    private final Inserts inserts;
    private final Commands commands;
    private final SettingCommands settingCommands;
    private final MemoryCatalog catalog;
    private final MemoryAccess access;
    private final MemoryStats stats;
    private final MemorySchedules schedules;
    private final MemoryWebhooks webhooks;
    private final Effects effects;

    public MemoryStore() {
        this(InstantSource.system());
    }

    public MemoryStore(InstantSource clock) {
        this.gate = new Gate(clock);
        this.listeners = gate.storeListeners();
        this.webhooks = new MemoryWebhooks(gate);
        this.effects = new Effects(hooks, webhooks);
        this.inserts = new Inserts(jobs, settings, webhooks, gate);
        this.commands = new Commands(jobs, effects, gate);
        this.settingCommands = new SettingCommands(settings, jobs, gate);
        this.catalog = new MemoryCatalog(
                gate,
                settings,
                ref -> jobs.all().stream()
                        .anyMatch(job -> !job.state().terminal()
                                && job.spec().definition().equals(ref)));
        this.access = new MemoryAccess(gate);
        this.stats = new MemoryStats(gate, jobs);
        this.schedules = new MemorySchedules(gate, jobs, inserts, leader, webhooks);
    }

    @Override
    public List<Inserted> insert(List<JobSpec> specs) {
        return listeners.insert(() -> gate.write(now -> inserts.insert(specs, now)));
    }

    @Override
    public CommandResult execute(JobCommand command) {
        return commands.execute(command);
    }

    @Override
    public Instant now() {
        return gate.now();
    }

    @Override
    public Optional<Job> find(JobId id) {
        return gate.read(() -> Optional.ofNullable(jobs.find(id)).map(job -> job.view(now())));
    }

    @Override
    public Optional<Job> find(String definitionKey, @Nullable Integer version, String idempotencyKey) {
        return gate.read(() -> Optional.ofNullable(jobs.find(definitionKey, version, idempotencyKey))
                .map(job -> job.view(now())));
    }

    @Override
    public JobPage list(JobQuery query) {
        return gate.read(() -> {
            Instant now = now();
            Predicate<StoredJob> asked = Listed.by(query, now);
            List<Job> found = jobs.from(query.cursor(), query.order()).stream()
                    .filter(asked)
                    .limit(query.limit() + 1L)
                    .map(job -> query.brief() ? job.view(now).brief() : job.view(now))
                    .toList();
            return JobPage.of(found, found.size(), query.limit());
        });
    }

    @Override
    public JobCounts count(JobQuery query) {
        return gate.read(() -> {
            Instant now = now();
            var counts = jobs.all().stream()
                    .filter(Listed.by(query, now))
                    .collect(Collectors.groupingBy(job -> job.status(now), Collectors.counting()));
            return new JobCounts(counts, true);
        });
    }

    @Override
    public Optional<Standing> standing(JobId id) {
        return gate.read(() -> Optional.ofNullable(jobs.find(id)).map(job -> Standings.of(job, jobs, settings, now())));
    }

    @Override
    public List<Run> runs(JobId id, int after, int limit) {
        return PageBytes.cut(
                ofJob(id, job -> job.runs().filter(run -> run.run() > after).limit(limit)), PageBytes::of);
    }

    @Override
    public List<Step> steps(JobId id) {
        return ofJob(id, job -> job.steps().stream());
    }

    @Override
    public List<JobEvent> events(EventQuery query) {
        return PageBytes.cut(
                ofJob(query.jobId(), job -> job.events().filter(query::matches).limit(query.limit())), PageBytes::of);
    }

    @Override
    public List<QueueStats> queues() {
        return gate.read(() -> QueueCounts.of(jobs.all(), settings, now()));
    }

    @Override
    public long dueCount(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return gate.read(() -> {
            Instant now = now();
            return waiting(queues, definitions, false)
                    .filter(job -> job.due(now))
                    .count();
        });
    }

    @Override
    public Optional<Duration> untilNextDue(WorkFilter filter) {
        return gate.read(() -> {
            Instant now = now();
            if (filter.lastLife()) {
                return claimable(filter.queues(), filter.definitions(), true, now)
                        .findFirst()
                        .map(job -> Duration.ZERO);
            }
            return waiting(filter.queues(), filter.definitions(), false)
                    .map(StoredJob::runAt)
                    .min(Instant::compareTo)
                    .map(runAt -> runAt.isAfter(now) ? Duration.between(now, runAt) : Duration.ZERO);
        });
    }

    @Override
    public List<ClaimedJob> claim(ClaimRequest request) {
        return listeners.claim(request.lease(), () -> gate.write(now -> claim(request, now)));
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
        return waiting(queues, definitions, lastLife)
                .filter(job -> job.due(now))
                .filter(settings.placesBeside(jobs.leased()));
    }

    @Override
    public ClaimedJob claimOne(JobId id, UUID key, String workerId, Duration lease) {
        ClaimRequest.requireOwner(workerId, lease);
        ClaimedJob one = gate.write(now -> {
            StoredJob job = commands.existing(id);
            if (job.state().leased() && job.claim().key().equals(key)) {
                return claimedJob(job, now);
            }
            Commands.require(job.state() == JobState.WAITING, job, now, "run", "scheduled, queued or retrying");
            String definitionKey = job.spec().definition().key();
            if (!settings.placesBeside(jobs.leased()).test(job)) {
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
        effects.dispatch(job, now);
        gate.changed(job);
        return claimedJob(job, now);
    }

    @Override
    public List<ClaimedJob> claimed(UUID batch) {
        List<ClaimedJob> held = gate.read(() -> jobs.leased().stream()
                .filter(job -> job.claim().key().equals(batch))
                .map(job -> claimedJob(job, now()))
                .toList());
        listeners.report(listener -> listener.claimed(held, null));
        return held;
    }

    @Override
    public List<Verdict> begin(List<Claim> claims) {
        return gate.write(now -> claims.stream()
                .map(claim -> {
                    StoredJob job = held(claim);
                    if (job == null) {
                        return Verdict.LOST;
                    }
                    job.begins();
                    return Verdict.WON;
                })
                .toList());
    }

    @Override
    public List<LeaseAnswer> extend(List<Claim> claims, Duration lease) {
        return listeners.extend(
                lease,
                () -> gate.write(now ->
                        claims.stream().map(claim -> extend(claim, lease, now)).toList()));
    }

    private LeaseAnswer extend(Claim claim, Duration lease, Instant now) {
        StoredJob job = held(claim);
        if (job == null) {
            return new LeaseAnswer(claim, false, null);
        }
        job.extend(lease, now);
        return new LeaseAnswer(claim, true, job.cancelRequest());
    }

    @Override
    public List<Verdict> save(List<RunUpdate> updates) {
        RunUpdate.requireOnePerClaim(updates);
        return listeners.save(
                updates,
                () -> gate.write(
                        now -> updates.stream().map(update -> save(update, now)).toList()));
    }

    @Override
    public OptionalInt lastSequence(Claim claim) {
        return gate.read(() -> {
            StoredJob job = held(claim);
            return job == null ? OptionalInt.empty() : OptionalInt.of(job.lastSequence());
        });
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
        gate.changed(job);
        return Verdict.WON;
    }

    @Override
    public List<Verdict> apply(List<Transition> transitions) {
        return listeners.apply(
                transitions,
                () -> gate.write(now -> transitions.stream()
                        .map(transition -> apply(transition, now))
                        .toList()));
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
        Job before = job.view(now);
        stats.ended(before, end.get(), now);
        commands.changed(job, now, () -> job.end(end.get(), result, now));
        effects.dispatchByOwner(job, now);
        String key = before.spec().definition().key();
        var ended = new EndedRun(key, end.get(), before.times().startedAt(), now);
        gate.reportLater(listener -> listener.ended(transition.claim(), ended));
        return Verdict.WON;
    }

    private boolean appliedBefore(Transition transition) {
        StoredJob job = jobs.find(transition.claim().jobId());
        Run ended = job == null ? null : job.endOf(transition.claim());
        Failure failure = ended == null ? null : ended.failure();
        return ended != null && RunEnd.repeats(transition, ended.status(), failure == null ? null : failure.code());
    }

    @Override
    public void pause(String queue, @Nullable String by, @Nullable String note) {
        settingCommands.pause(queue, by, note);
    }

    @Override
    public void resume(String queue) {
        settingCommands.resume(queue);
    }

    @Override
    public void maxDepth(String queue, @Nullable Integer maxDepth) {
        settingCommands.maxDepth(queue, maxDepth);
    }

    @Override
    public void concurrencyLimit(String definitionKey, int limit) {
        settingCommands.concurrencyLimit(definitionKey, limit);
    }

    @Override
    public void hooks(String definitionKey, boolean any) {
        requireKey(definitionKey);
        gate.update(now -> hooks.register(definitionKey, any));
    }

    @Override
    public List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold) {
        return gate.write(now -> hooks.take(definitions, max, now, hold).stream()
                .map(job -> job.view(now))
                .toList());
    }

    @Override
    public void hooksDone(JobId id, List<String> failures) {
        gate.update(now -> {
            StoredJob job = jobs.find(id);
            if (hooks.done(id) && job != null && job.state().terminal()) {
                failures.forEach(failure -> job.hookFailed(failure, now));
                gate.changed(job);
            }
        });
    }

    @Override
    public Optional<Leadership> lead(String holder, Duration term, Duration lease) {
        Leadership.check(holder, term, lease);
        Optional<Leadership> leadership = gate.write(now -> leader.lead(holder, term, lease, now));
        listeners.report(listener -> listener.leads(leadership.isPresent()));
        return leadership;
    }

    @Override
    public void resign(Leadership leadership) {
        listeners.report(listener -> listener.leads(false));
        gate.update(now -> leader.resign(leadership, now));
    }

    @Override
    public List<Expired> expireLeases(Leadership leadership, int max) {
        Instant lapsedBefore = leadership.lapsedBefore();
        if (lapsedBefore == null) {
            return List.of();
        }
        List<Expired> expired = gate.write(now -> {
            Instant limit = lapsedBefore.isAfter(now) ? now : lapsedBefore;
            List<StoredJob> lapsed = jobs.leased().stream()
                    .filter(job -> leader.leads(leadership) && job.lapsed(limit))
                    .limit(max)
                    .toList();
            return lapsed.stream().map(job -> expired(job, now)).toList();
        });
        listeners.report(listener -> listener.expired(expired));
        return expired;
    }

    private Expired expired(StoredJob job, Instant now) {
        Claim claim = job.claim();
        String workerId = job.workerId();
        RunEnd end = job.lapse();
        stats.ended(job.view(now), end, now);
        Job after = commands.changed(job, now, () -> job.end(end, null, now));
        effects.dispatch(job, now);
        return new Expired(
                claim, workerId, after.state(), after.spec().definition().key());
    }

    @Override
    public List<Overdue> endOverdue(Leadership leadership, int max) {
        return gate.write(now -> {
            List<StoredJob> overdue = jobs.leased().stream()
                    .filter(job -> leader.leads(leadership) && job.overdue(now))
                    .limit(max)
                    .toList();
            return overdue.stream().map(job -> overdue(job, now)).toList();
        });
    }

    private Overdue overdue(StoredJob job, Instant now) {
        Claim claim = job.claim();
        RunEnd end = job.overdueEnd();
        Job before = job.view(now);
        stats.ended(before, end, now);
        commands.changed(job, now, () -> job.end(end, null, now));
        effects.dispatchByOwner(job, now);
        String key = before.spec().definition().key();
        var ended = new EndedRun(key, end, before.times().startedAt(), now);
        gate.reportLater(listener -> listener.ended(claim, ended));
        return new Overdue(claim, job.workerId(), ended);
    }

    @Override
    public Retained retain(Leadership leadership, Duration keep) {
        return gate.write(now -> {
            List<StoredJob> old = jobs.all().stream()
                    .filter(job -> leader.leads(leadership) && job.finishedBefore(now.minus(keep)))
                    .toList();
            for (StoredJob job : old) {
                jobs.remove(job);
                hooks.done(job.id());
                webhooks.forget(job.id());
            }
            if (leader.leads(leadership)) {
                schedules.forgetBefore(now.minus(keep));
                webhooks.forgetBefore(now.minus(keep), now);
            }
            return new Retained(old.size(), 0);
        });
    }

    @Override
    public Catalog catalog() {
        return catalog;
    }

    @Override
    public ScheduleStore schedules() {
        return schedules;
    }

    @Override
    public AccessStore access() {
        return access;
    }

    @Override
    public StatsStore stats() {
        return stats;
    }

    @Override
    public WebhookStore webhooks() {
        return webhooks;
    }

    @Override
    public Subscription listen(Consumer<Signal> listener) {
        return gate.listen(listener);
    }

    @Override
    public Subscription observe(StoreListener listener) {
        return listeners.add(listener);
    }

    @Override
    public void close() {
        gate.close();
    }

    private <T> List<T> ofJob(JobId id, Function<StoredJob, Stream<T>> part) {
        return gate.read(() -> {
            StoredJob job = jobs.find(id);
            return job == null ? List.of() : part.apply(job).toList();
        });
    }

    private Stream<StoredJob> waiting(List<String> queues, @Nullable Set<DefinitionRef> definitions, boolean lastLife) {
        return jobs.waiting().stream()
                .filter(Wanted.of(queues, definitions, settings))
                .filter(job -> job.onLastLife() == lastLife);
    }

    private @Nullable StoredJob held(Claim claim) {
        StoredJob job = jobs.find(claim.jobId());
        return job != null && job.heldBy(claim) ? job : null;
    }

    private static ClaimedJob claimedJob(StoredJob job, Instant now) {
        return new ClaimedJob(job.claim(), job.view(now), job.begin());
    }

    private static void requireKey(String key) {
        new Problems()
                .require(Names.valid(key), "definitionKey", key, Names.RULE)
                .throwIfAny();
    }
}
