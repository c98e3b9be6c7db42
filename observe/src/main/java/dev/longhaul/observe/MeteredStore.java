package dev.longhaul.observe;

import dev.longhaul.access.AccessStore;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Run;
import dev.longhaul.job.Step;
import dev.longhaul.job.Transition;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.queue.Standing;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.store.ClaimRequest;
import dev.longhaul.store.ClaimedJob;
import dev.longhaul.store.Expired;
import dev.longhaul.store.Inserted;
import dev.longhaul.store.JobCounts;
import dev.longhaul.store.JobPage;
import dev.longhaul.store.JobQuery;
import dev.longhaul.store.JobStore;
import dev.longhaul.store.Leadership;
import dev.longhaul.store.LeaseAnswer;
import dev.longhaul.store.Overdue;
import dev.longhaul.store.Retained;
import dev.longhaul.store.RunUpdate;
import dev.longhaul.store.ScheduleStore;
import dev.longhaul.store.Signal;
import dev.longhaul.store.Subscription;
import dev.longhaul.store.Verdict;
import dev.longhaul.store.WorkFilter;
import dev.longhaul.webhook.WebhookStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A store that counts and times what this process does to jobs. */
public final class MeteredStore implements JobStore {
    /** What a claim whose answer was lost is taken to last: the next renewal tells better. */
    private static final Duration LOST_ANSWER = Duration.ofMinutes(5);

    private final JobStore store;
    private final Meters meters;
    private final LiveRunMeters runs;
    private final OperationMeters inserting;
    private final OperationMeters claiming;
    private final OperationMeters extending;
    private final OperationMeters saving;
    private final OperationMeters applying;
    private final ScheduleStore schedules;

    public MeteredStore(JobStore store, Meters meters) {
        this.store = store;
        this.meters = meters;
        this.runs = new LiveRunMeters(meters);
        this.inserting = meters.operation("insert");
        this.claiming = meters.operation("claim");
        this.extending = meters.operation("extend");
        this.saving = meters.operation("save");
        this.applying = meters.operation("apply");
        this.schedules = new MeteredSchedules(store.schedules(), meters);
    }

    Meters meters() {
        return meters;
    }

    // What is counted

    @Override
    public List<Inserted> insert(List<JobSpec> specs) {
        return counted(inserting.time(() -> store.insert(specs)));
    }

    @Override
    public List<Inserted> insertFresh(List<JobSpec> specs) {
        return counted(inserting.time(() -> store.insertFresh(specs)));
    }

    private List<Inserted> counted(List<Inserted> inserted) {
        for (Inserted one : inserted) {
            if (one.isNew()) {
                of(one.job()).enqueued().increment();
            }
        }
        return inserted;
    }

    @Override
    public List<ClaimedJob> claim(ClaimRequest request) {
        List<ClaimedJob> claimed = claiming.time(() -> store.claim(request));
        claimed.forEach(one -> runs.claimed(one, request.lease()));
        return claimed;
    }

    @Override
    public ClaimedJob claimOne(JobId id, UUID key, String workerId, Duration lease) {
        ClaimedJob claimed = store.claimOne(id, key, workerId, lease);
        runs.claimed(claimed, lease);
        return claimed;
    }

    @Override
    public List<ClaimedJob> claimed(UUID batch) {
        List<ClaimedJob> claimed = store.claimed(batch);
        claimed.forEach(one -> runs.claimed(one, LOST_ANSWER));
        return claimed;
    }

    @Override
    public List<Verdict> begin(List<Claim> claims) {
        return store.begin(claims);
    }

    @Override
    public List<LeaseAnswer> extend(List<Claim> claims, Duration lease) {
        List<LeaseAnswer> answers = extending.time(() -> store.extend(claims, lease));
        runs.extended(answers, lease);
        return answers;
    }

    @Override
    public List<Verdict> save(List<RunUpdate> updates) {
        List<Verdict> verdicts = saving.time(() -> store.save(updates));
        for (int i = 0; i < verdicts.size(); i++) {
            if (verdicts.get(i).won()) {
                meters.events().increment(updates.get(i).events().size());
            } else if (verdicts.get(i).lost()) {
                meters.stale("save").increment();
            }
        }
        return verdicts;
    }

    @Override
    public List<Verdict> apply(List<Transition> transitions) {
        runs.ending(transitions);
        List<Verdict> verdicts = applying.time(() -> store.apply(transitions));
        for (int i = 0; i < verdicts.size(); i++) {
            runs.ended(transitions.get(i), verdicts.get(i));
        }
        return verdicts;
    }

    /** A job that waits ends at once; looked at first, because cancelling it again changes nothing. */
    @Override
    public Job cancel(JobId id, @Nullable String by, @Nullable String reason, @Nullable Duration grace) {
        boolean ended = store.find(id).map(job -> job.state().terminal()).orElse(false);
        Job job = store.cancel(id, by, reason, grace);
        if (!ended && job.state() == JobState.CANCELLED) {
            of(job).cancelled().increment();
        }
        return job;
    }

    @Override
    public List<Expired> expireLeases(Leadership leadership, int max) {
        List<Expired> expired = store.expireLeases(leadership, max);
        for (Expired one : expired) {
            meters.expired().increment();
            LiveRunMeters.count(meters.definition(one.definitionKey()), one.state(), true, true);
        }
        return expired;
    }

    @Override
    public List<Overdue> endOverdue(Leadership leadership, int max) {
        List<Overdue> overdue = store.endOverdue(leadership, max);
        overdue.forEach(one -> LiveRunMeters.count(meters, one.ended()));
        return overdue;
    }

    @Override
    public Optional<Leadership> lead(String holder, Duration term, Duration lease) {
        Optional<Leadership> leadership = store.lead(holder, term, lease);
        meters.leads(leadership.isPresent());
        return leadership;
    }

    @Override
    public void resign(Leadership leadership) {
        meters.leads(false);
        store.resign(leadership);
    }

    @Override
    public ScheduleStore schedules() {
        return schedules;
    }

    private DefinitionMeters of(Job job) {
        return meters.definition(job.spec().definition().key());
    }

    // What is not

    @Override
    public Job hold(JobId id, @Nullable String by) {
        return store.hold(id, by);
    }

    @Override
    public Job release(JobId id, @Nullable String by) {
        return store.release(id, by);
    }

    @Override
    public Job edit(JobId id, JobEdit edit, @Nullable String by) {
        return store.edit(id, edit, by);
    }

    @Override
    public Job runNow(JobId id, @Nullable String by) {
        return store.runNow(id, by);
    }

    @Override
    public Job retry(JobId id, @Nullable String by) {
        return store.retry(id, by);
    }

    @Override
    public void checkWritable() {
        store.checkWritable();
    }

    @Override
    public Instant now() {
        return store.now();
    }

    @Override
    public Optional<Job> find(JobId id) {
        return store.find(id);
    }

    @Override
    public Optional<Job> find(String definitionKey, @Nullable Integer version, String idempotencyKey) {
        return store.find(definitionKey, version, idempotencyKey);
    }

    @Override
    public JobPage list(JobQuery query) {
        return store.list(query);
    }

    @Override
    public JobCounts count(JobQuery query) {
        return store.count(query);
    }

    @Override
    public Optional<Standing> standing(JobId id) {
        return store.standing(id);
    }

    @Override
    public List<Run> runs(JobId id, int after, int limit) {
        return store.runs(id, after, limit);
    }

    @Override
    public List<Step> steps(JobId id) {
        return store.steps(id);
    }

    @Override
    public List<JobEvent> events(EventQuery query) {
        return store.events(query);
    }

    @Override
    public List<QueueStats> queues() {
        return store.queues();
    }

    @Override
    public long dueCount(List<String> queues, @Nullable Set<DefinitionRef> definitions) {
        return store.dueCount(queues, definitions);
    }

    @Override
    public Optional<Duration> untilNextDue(WorkFilter filter) {
        return store.untilNextDue(filter);
    }

    @Override
    public <C> Optional<C> capability(Class<C> type) {
        return store.capability(type);
    }

    @Override
    public OptionalInt lastSequence(Claim claim) {
        return store.lastSequence(claim);
    }

    @Override
    public void pause(String queue, @Nullable String by, @Nullable String note) {
        store.pause(queue, by, note);
    }

    @Override
    public void resume(String queue) {
        store.resume(queue);
    }

    @Override
    public void maxDepth(String queue, @Nullable Integer maxDepth) {
        store.maxDepth(queue, maxDepth);
    }

    @Override
    public void concurrencyLimit(String definitionKey, int limit) {
        store.concurrencyLimit(definitionKey, limit);
    }

    @Override
    public void hooks(String definitionKey, boolean any) {
        store.hooks(definitionKey, any);
    }

    @Override
    public List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold) {
        return store.takeHooks(definitions, max, hold);
    }

    @Override
    public void hooksDone(JobId id, List<String> failures) {
        store.hooksDone(id, failures);
    }

    @Override
    public Retained retain(Leadership leadership, Duration keep) {
        return store.retain(leadership, keep);
    }

    @Override
    public Catalog catalog() {
        return store.catalog();
    }

    @Override
    public AccessStore access() {
        return store.access();
    }

    @Override
    public StatsStore stats() {
        return store.stats();
    }

    @Override
    public WebhookStore webhooks() {
        return store.webhooks();
    }

    @Override
    public Subscription listen(Consumer<Signal> listener) {
        return store.listen(listener);
    }

    @Override
    public void close() {
        store.close();
    }
}
