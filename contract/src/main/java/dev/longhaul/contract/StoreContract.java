package dev.longhaul.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.longhaul.catalog.Declaration;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.internal.store.FreshInserts;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.Upkeep.Retained;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Expired;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;

/** The base of the contract's parts: the store under test, and helper methods. */
@ExtendWith(OpenStore.class)
public abstract class StoreContract {
    public static final DefinitionRef REPORT = new DefinitionRef("report", 1);
    public static final DefinitionRef IMPORT = new DefinitionRef("import", 1);
    public static final String QUEUE = JobSpec.DEFAULT_QUEUE;
    public static final String WORKER = "worker-1";
    public static final Duration LEASE = Duration.ofMinutes(1);
    public static final Duration SECOND = Duration.ofSeconds(1);
    public static final Duration HOUR = Duration.ofHours(1);
    public static final Failure BOOM = Failure.of(Failure.EXCEPTION, "boom");

    private @Nullable StoreFixture fixture;
    private @Nullable Store another;
    private @Nullable Uuid7 ids;

    final void open(StoreFixture opened) {
        fixture = opened;
        ids = new Uuid7(() -> opened.now().toEpochMilli());
    }

    final void close() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private StoreFixture fixture() {
        return Objects.requireNonNull(fixture);
    }

    public final Store store() {
        return fixture().store();
    }

    /** Returns another store instance on the same data; opens it on the first call. */
    public final synchronized Store anotherStore() {
        if (another == null) {
            another = fixture().anotherStore();
        }
        return another;
    }

    /** Returns one of the two instances, so that racing threads compete in the database and not only in one process. */
    public final Store storeOf(int contestant) {
        return contestant % 2 == 0 ? store() : anotherStore();
    }

    public final Instant now() {
        return fixture().now();
    }

    public final void advance(Duration by) {
        fixture().advance(by);
    }

    // Creating jobs

    public final JobId newId() {
        return new JobId(Objects.requireNonNull(ids).next());
    }

    /** Limits how many jobs of {@link #REPORT} run at the same time; 0 removes the limit. */
    public final void limitRuns(int most) {
        limitRuns(store(), REPORT.key(), most);
    }

    /** Limits how many jobs of a definition run at the same time, as an operator does. */
    public static void limitRuns(Store store, String definitionKey, int most) {
        var declaration = new Declaration(new DefinitionRef(definitionKey, 1), null, null, null, null, null, most);
        store.catalog().declare(declaration, Set.of(Declaration.Field.CONCURRENCY_LIMIT), "operator");
    }

    public final JobSpec.Builder aJob() {
        return aJob(REPORT);
    }

    public final JobSpec.Builder aJob(DefinitionRef definition) {
        return JobSpec.of(definition, "{}").id(newId());
    }

    public final Job insert(JobSpec.Builder spec) {
        Inserted inserted = insert(spec.build());
        assertThat(inserted.isNew()).isTrue();
        return inserted.job();
    }

    public final Inserted insert(JobSpec spec) {
        return store().jobs().insert(List.of(spec)).get(0);
    }

    /** Inserts specs that were never sent before, as calls that enqueue one job do. */
    public final List<Inserted> insertFresh(List<JobSpec> specs) {
        FreshInserts fresh = store().capability(FreshInserts.class).orElse(store().jobs()::insert);
        return fresh.insertFresh(specs);
    }

    /** Inserts that many plain jobs; returns their ids, oldest first. */
    public final List<JobId> insertJobs(int count) {
        return insertAll(IntStream.range(0, count).mapToObj(i -> aJob()).toArray(JobSpec.Builder[]::new));
    }

    public final List<JobId> insertAll(JobSpec.Builder... specs) {
        return store()
                .jobs()
                .insert(Arrays.stream(specs).map(JobSpec.Builder::build).toList())
                .stream()
                .map(inserted -> inserted.job().id())
                .toList();
    }

    // Running jobs

    public final ClaimRequest request(int max) {
        return ClaimRequest.of(WORKER, List.of(QUEUE), null, max, LEASE);
    }

    public final ClaimRequest request(int max, DefinitionRef... definitions) {
        return ClaimRequest.of(WORKER, List.of(QUEUE), Set.of(definitions), max, LEASE);
    }

    public final List<ClaimedJob> claim(int max) {
        return store().work().claim(request(max));
    }

    /** Claims the next job; fails if there is none. */
    public final ClaimedJob claimNext() {
        List<ClaimedJob> claimed = claim(1);
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    /** Creates a running job and returns its claim. */
    public final Claim running() {
        return running(aJob());
    }

    public final Claim running(JobSpec.Builder spec) {
        Job job = insert(spec);
        ClaimedJob claimed = claimNext();
        assertThat(claimed.job().id()).isEqualTo(job.id());
        return claimed.claim();
    }

    /** Creates a running job whose cancel was requested, and returns its claim. */
    public final Claim cancelling() {
        Claim claim = running();
        cancel(claim.jobId());
        return claim;
    }

    public final Job cancel(JobId id) {
        return cancel(id, "anna", "not needed", Duration.ofSeconds(20));
    }

    public final Job cancel(JobId id, @Nullable String by, @Nullable String reason, @Nullable Duration grace) {
        return execute(JobCommand.cancel(id, by, reason, grace));
    }

    public final Job retry(JobId id, @Nullable String by) {
        return execute(JobCommand.retry(id, by));
    }

    public final Job hold(JobId id, @Nullable String by) {
        return execute(JobCommand.hold(id, by));
    }

    public final Job release(JobId id, @Nullable String by) {
        return execute(JobCommand.release(id, by));
    }

    public final Job runNow(JobId id, @Nullable String by) {
        return execute(JobCommand.runNow(id, by));
    }

    public final Job edit(JobId id, JobEdit edit, @Nullable String by) {
        return execute(JobCommand.edit(id, by, edit));
    }

    private Job execute(JobCommand command) {
        return store().jobs().execute(command).job();
    }

    public final Verdict apply(Transition transition) {
        return store().work().apply(List.of(transition)).get(0);
    }

    public final Verdict save(RunUpdate update) {
        return store().work().save(List.of(update)).get(0);
    }

    public final void win(Transition transition) {
        assertThat(apply(transition)).matches(Verdict::won);
    }

    public final JobId succeeded() {
        Claim claim = running();
        win(Transition.succeed(claim, "{}"));
        return claim.jobId();
    }

    public final JobId failed() {
        Claim claim = running();
        win(Transition.fail(claim, BOOM));
        return claim.jobId();
    }

    public final JobId cancelled() {
        JobId id = insert(aJob()).id();
        cancel(id);
        return id;
    }

    /** Creates one job of each status in the default queue. */
    public final Map<JobStatus, JobId> oneOfEach() {
        var jobs = new EnumMap<JobStatus, JobId>(JobStatus.class);
        jobs.put(JobStatus.SUCCEEDED, succeeded());
        jobs.put(JobStatus.FAILED, failed());
        jobs.put(JobStatus.CANCELLED, cancelled());
        jobs.put(JobStatus.CANCELLING, cancelling().jobId());
        Claim retrying = running();
        win(Transition.retry(retrying, RunAt.after(HOUR), BOOM));
        jobs.put(JobStatus.RETRYING, retrying.jobId());
        jobs.put(JobStatus.RUNNING, running().jobId());
        jobs.put(JobStatus.CREATED, insert(aJob().hold(true)).id());
        jobs.put(JobStatus.SCHEDULED, insert(aJob().runTime(RunAt.after(HOUR))).id());
        jobs.put(JobStatus.QUEUED, insert(aJob()).id());
        return jobs;
    }

    /**
     * Returns a leader that may end all leases that have expired by now. The contract of leadership itself does not use
     * it.
     */
    public final Leadership leader() {
        Leadership leads =
                store().upkeep().lead("leader", Duration.ofDays(1000), LEASE).orElseThrow();
        return new Leadership(leads.holder(), leads.epoch(), now());
    }

    public final List<Expired> expire(int max) {
        return store().upkeep().expireLeases(leader(), max);
    }

    public final Retained retain(Duration keep) {
        return store().upkeep().retain(leader(), keep);
    }

    /** Creates a due job on its last life. */
    public final JobId onItsLastLife(JobSpec.Builder spec) {
        JobId id = insert(spec.maxAttempts(100)).id();
        for (int crash = 1; crash < Limits.CRASHES; crash++) {
            Claim claim = store().claimById()
                    .claimOne(id, Claim.newKey(), WORKER, LEASE)
                    .claim();
            win(Transition.crashed(claim, BOOM));
        }
        return id;
    }

    /** Lets the leases of all running jobs expire, and ends those runs. */
    public final void lapse() {
        advance(LEASE.plus(SECOND));
        expire(1000);
    }

    // Reading jobs

    public final Job look(JobId id) {
        return store().jobs().find(id).orElseThrow();
    }

    public final Whole whole(JobId id) {
        return Whole.of(store(), id);
    }

    public final Run lastRun(JobId id) {
        List<Run> runs = store().jobs().runs(id);
        return runs.get(runs.size() - 1);
    }

    public final List<JobEvent> events(JobId id) {
        return store().jobs().events(EventQuery.of(id));
    }

    public final JobEvent lastEvent(JobId id) {
        List<JobEvent> events = events(id);
        return events.get(events.size() - 1);
    }

    /** Returns the types of the job's events in order. Fails if their positions have gaps or repeats. */
    public final List<EventType> story(JobId id) {
        List<JobEvent> events = events(id);
        var positions = IntStream.rangeClosed(1, events.size()).boxed().toList();
        assertThat(events.stream().map(JobEvent::position)).containsExactlyElementsOf(positions);
        return events.stream().map(JobEvent::type).toList();
    }

    /** Returns the value; fails if it is null. */
    public static <T> T present(@Nullable T value) {
        assertThat(value).isNotNull();
        return Objects.requireNonNull(value);
    }

    public static List<JobId> idsOf(List<ClaimedJob> claimed) {
        var ids = new ArrayList<JobId>();
        claimed.forEach(each -> ids.add(each.job().id()));
        return ids;
    }

    public static LonghaulException assertRefused(ErrorCode code, ThrowingCallable call) {
        LonghaulException refusal = catchThrowableOfType(LonghaulException.class, call);
        assertThat(refusal).as("the refusal with code %s", code).isNotNull();
        assertThat(refusal.code()).isEqualTo(code);
        return refusal;
    }
}
