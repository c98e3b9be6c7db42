package dev.longhaul.store;

import dev.longhaul.access.AccessStore;
import dev.longhaul.catalog.Catalog;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Run;
import dev.longhaul.job.Step;
import dev.longhaul.job.Transition;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.queue.Standing;
import dev.longhaul.stats.StatsStore;
import dev.longhaul.webhook.WebhookStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where jobs live. What a method has returned is committed. Writes about a running job carry its {@link Claim} and answer
 * whether they took effect: losing is a value, not an exception. Due times and leases are judged by the store's own clock.
 *
 * <p>Bad arguments and steps that a job's state forbids throw {@link dev.longhaul.error.LonghaulException}; so does a store
 * that is out of reach, with code {@code unavailable}. Then it may be unknown whether the call took effect; calling it again with
 * the same arguments is safe. Of the commands that people give (release, run now, retry), the second call may then say that
 * the job has already left the state they need.
 */
public interface JobStore extends AutoCloseable {
    /** How long a worker that ended a job has its hooks to itself. */
    Duration HOOK_HEAD_START = Duration.ofSeconds(30);

    // Asking for jobs

    /**
     * Stores all of these jobs, or none. A spec whose idempotency key its definition has seen, or whose id exists, returns
     * that first job, unchanged, whatever else it says. With {@link JobSpec#keyOfVersion()} only a job of the same version
     * counts as seen.
     */
    List<Inserted> insert(List<JobSpec> specs);

    /**
     * Stores jobs like {@link #insert}, for callers who promise that no spec of these was ever sent before: a store then need not
     * look whether its id has been used up already.
     */
    default List<Inserted> insertFresh(List<JobSpec> specs) {
        return insert(specs);
    }

    /**
     * Holds a waiting job: it does not run until it is released. Jobs of a schedule are rejected, because the schedule itself
     * holds and releases its jobs.
     */
    Job hold(JobId id, @Nullable String by);

    /** Makes a held job eligible. */
    Job release(JobId id, @Nullable String by);

    /** Changes a job that waits or is held. */
    Job edit(JobId id, JobEdit edit, @Nullable String by);

    /** Makes a job that waits for its run time due now. */
    Job runNow(JobId id, @Nullable String by);

    /**
     * Ends a job that waits at once, and asks a running one to end; one that is being or has been cancelled stays as it is.
     *
     * @param grace how long the code may take before it is forced to end; null leaves that to the worker
     */
    Job cancel(JobId id, @Nullable String by, @Nullable String reason, @Nullable Duration grace);

    /** Starts a failed or cancelled job over, with all its attempts; its runs and steps are kept. */
    Job retry(JobId id, @Nullable String by);

    // Reading

    /** The store's clock. */
    Instant now();

    Optional<Job> find(JobId id);

    /**
     * The job of that definition that has that idempotency key.
     *
     * @param version null finds the first job with that key, of whatever version
     */
    Optional<Job> find(String definitionKey, @Nullable Integer version, String idempotencyKey);

    JobPage list(JobQuery query);

    /** How many jobs that query would list, by status; its order, limit and cursor do not count. */
    JobCounts count(JobQuery query);

    /** How the job stands among those that wait; empty when there is no such job. */
    Optional<Standing> standing(JobId id);

    /**
     * Executions of the job with a higher number than {@code after}, oldest first. Fewer than {@code limit} when they have
     * {@link Limits#PAGE_BYTES}; none only when there are none.
     */
    List<Run> runs(JobId id, int after, int limit);

    /** Every execution of the job, oldest first. */
    default List<Run> runs(JobId id) {
        var all = new ArrayList<Run>();
        for (List<Run> page = runs(id, 0, Limits.PAGE);
                !page.isEmpty();
                page = runs(id, all.get(all.size() - 1).run(), Limits.PAGE)) {
            all.addAll(page);
        }
        return all;
    }

    /** The job's finished steps, in the order they were stored. */
    List<Step> steps(JobId id);

    /** Fewer events than asked for when they have {@link Limits#PAGE_BYTES}; none only when there are none. */
    List<JobEvent> events(EventQuery query);

    /** Every queue that has jobs or settings, by name. */
    List<QueueStats> queues();

    /**
     * How many jobs a worker could claim now if it had room; limits of definitions are not looked at, and jobs on their last
     * life are left out.
     */
    long dueCount(List<String> queues, @Nullable Set<DefinitionRef> definitions);

    /**
     * How long until the next job of these is due; zero when one is, empty when none waits. Jobs on their last life are left
     * out.
     */
    Optional<Duration> untilNextDue(List<String> queues, @Nullable Set<DefinitionRef> definitions);

    /** Whether a claim of jobs on their last life ({@link ClaimRequest#forLastLife}) would find one now. */
    boolean lastLifeDue(List<String> queues, @Nullable Set<DefinitionRef> definitions);

    // Running

    /**
     * Hands out due jobs: highest priority first, then earliest run time, then smallest id; none of a paused queue, none over
     * its definition's concurrency limit, none on its last life unless asked for, each to one claimer only. A claim spends an attempt and starts a run. While other
     * claimers are at the same jobs it may answer fewer than are due; {@link #untilNextDue} tells whether to ask again.
     */
    List<ClaimedJob> claim(ClaimRequest request);

    /**
     * Claims one given job that waits, due or not, whether or not its queue is paused. Called again with the same key, after a
     * lost response, it returns the same claim. Ordinary runs begin with it ({@link ClaimRequest.Begin#ORDINARY}).
     *
     * @param key the random key of the claim
     */
    ClaimedJob claimOne(JobId id, UUID key, String workerId, Duration lease);

    /** The jobs still held under that batch key: what a claim won whose answer was lost. */
    List<ClaimedJob> claimed(UUID batch);

    /**
     * Stores that the code of these runs begins; one verdict per claim, in order. A run whose begin is not stored when its lease
     * lapses goes back to waiting, its attempt unspent.
     */
    List<Verdict> begin(List<Claim> claims);

    /**
     * Extends leases, each to that long from now; the answers come in the order of the claims. A claim whose row another session
     * has locked is extended all the same.
     */
    List<LeaseAnswer> extend(List<Claim> claims, Duration lease);

    /** Stores what runs report; one verdict per update, in order. At most one update per claim. */
    List<Verdict> save(List<RunUpdate> updates);

    /** The highest sequence of the events that the run has reported and that are stored, 0 for none; empty when the claim is lost. */
    OptionalInt lastSequence(Claim claim);

    /**
     * Ends runs; one verdict per transition, in order. One that cannot be stored does not harm the others. The same
     * transition applied again by its claim is still won, but only the first verdict tells the run that it ended.
     */
    List<Verdict> apply(List<Transition> transitions);

    // Settings

    /** Stops a queue from handing out jobs. */
    void pause(String queue, @Nullable String by, @Nullable String note);

    void resume(String queue);

    /** Bounds how many jobs may wait in a queue; null lifts the bound. */
    void maxDepth(String queue, @Nullable Integer maxDepth);

    /**
     * Bounds how many jobs of a definition, of all its versions, run at once in the whole cluster; 0 lifts the bound. Claims that
     * begin after this has returned keep to it; jobs that run already count.
     */
    void concurrencyLimit(String definitionKey, int limit);

    // Hooks: code that runs once a job has ended

    /** Says whether jobs of that definition have hooks; those that end from now on then get them. */
    void hooks(String definitionKey, boolean any);

    /**
     * Hands out ended jobs whose hooks are to be run by the caller, each to one caller, longest due first. One whose hooks
     * are not reported as done within {@code hold} is handed out again. A worker that ends a job by its claim runs the hooks
     * itself, without asking: they are handed out only when it has not reported them after {@link #HOOK_HEAD_START}.
     */
    List<Job> takeHooks(Set<DefinitionRef> definitions, int max, Duration hold);

    /** The job's hooks have run; each failure becomes an event. Of hooks that are not due any more nothing is told. */
    void hooksDone(JobId id, List<String> failures);

    // Upkeep, for one process at a time

    /**
     * Takes or renews leadership; empty while another holder's term goes on.
     *
     * @param term how long it lasts unless renewed
     * @param lease the longest time that workers' leases are extended by: it decides when ending lapsed ones is safe
     */
    Optional<Leadership> lead(String holder, Duration term, Duration lease);

    /** Ends the term at once, so that another may lead. */
    void resign(Leadership leadership);

    /** Ends up to {@code max} runs whose leases lapsed long enough ago; none once somebody else leads. */
    List<Expired> expireLeases(Leadership leadership, int max);

    /**
     * Ends up to {@code max} runs of remote workers ({@link ClaimRequest#remote}) that are past their deadline, whether or not
     * their leases are still renewed; none once another process leads. A run past its timeout is a failed attempt with code
     * {@code timeout}. A run whose cancel request is older than its grace period ({@link CancelRequest#DEFAULT_GRACE} when none
     * was given) is cancelled.
     */
    List<Overdue> endOverdue(Leadership leadership, int max);

    /**
     * Removes jobs that finished longer ago than {@code keep}, at the latest a day later, with their runs, steps and events;
     * none once somebody else leads.
     */
    Retained retain(Leadership leadership, Duration keep);

    // Beside the jobs

    /** The definitions and workers of the cluster. */
    Catalog catalog();

    /** What makes jobs at given times. */
    ScheduleStore schedules();

    /** Keys, sessions and the audit trail. */
    AccessStore access();

    /** How the cluster has been doing. */
    StatsStore stats();
    /** Who is told over HTTP of what happens, and what is to be sent to them. */
    WebhookStore webhooks();

    /** Calls {@code listener} on signals from this and other processes, until the subscription is closed. */
    Subscription listen(Consumer<Signal> listener);

    @Override
    void close();
}
