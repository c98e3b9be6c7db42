package dev.longhaul.memory;

import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.event.NewEvent;
import dev.longhaul.event.Payload;
import dev.longhaul.internal.text.Times;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Lease;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Step;
import dev.longhaul.job.Tally;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Lapse;
import dev.longhaul.work.RunEnd;
import dev.longhaul.work.RunUpdate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A job with its runs, steps and events; each method is one step of its lifecycle. The caller holds the store's lock.
 */
final class StoredJob {
    private static final int NO_RUN = 0;

    private final List<StoredRun> runs = new ArrayList<>();
    private final Map<String, Step> steps = new LinkedHashMap<>();
    private final List<JobEvent> events = new ArrayList<>();
    private final Instant createdAt;
    private JobSpec spec;
    private JobState state;
    private Instant updatedAt;
    private Instant runAt;
    private Tally tally = Tally.NONE;
    private Progress progress = Progress.NONE;
    private @Nullable Instant startedAt;
    private @Nullable Instant finishedAt;
    private @Nullable Lease lease;
    private @Nullable CancelRequest cancelRequest;
    private @Nullable Failure failure;
    private @Nullable String result;
    private @Nullable Duration endMargin;
    private boolean begun;
    private boolean beginFirst;

    StoredJob(JobSpec spec, Instant createdAt, Instant now) {
        this.spec = spec;
        state = spec.hold() ? JobState.CREATED : JobState.WAITING;
        this.createdAt = createdAt;
        updatedAt = now;
        runAt = resolved(spec.runTime(), now);
        note(EventType.CREATED, NO_RUN, null, now);
    }

    JobId id() {
        return spec.id();
    }

    JobSpec spec() {
        return spec;
    }

    JobState state() {
        return state;
    }

    JobStatus status(Instant now) {
        return JobStatus.of(state, runAt, tally.attempts(), now);
    }

    Instant createdAt() {
        return createdAt;
    }

    Instant runAt() {
        return runAt;
    }

    /** The position of the last event. */
    int position() {
        return events.size();
    }

    boolean due(Instant now) {
        return state == JobState.WAITING && !runAt.isAfter(now);
    }

    /** Whether the next crash quarantines the job. */
    boolean onLastLife() {
        return tally.crashes() >= Limits.CRASHES - 1;
    }

    boolean lapsed(Instant limit) {
        return lease != null && !lease.until().isAfter(limit);
    }

    /** Whether the run of a remote worker is past its deadline. */
    boolean overdue(Instant now) {
        Duration margin = endMargin;
        Instant started = startedAt;
        if (!state.leased() || margin == null || started == null) {
            return false;
        }
        CancelRequest cancel = state == JobState.CANCELLING ? cancelRequest : null;
        Duration grace = cancel == null ? null : cancel.grace();
        Duration patience = grace == null ? CancelRequest.DEFAULT_GRACE : grace;
        return !started.plus(spec.timeout()).plus(margin).isAfter(now)
                || (cancel != null && !cancel.at().plus(patience).plus(margin).isAfter(now));
    }

    @Nullable
    Instant finishedAt() {
        return finishedAt;
    }

    boolean finishedBefore(Instant time) {
        return finishedAt != null && finishedAt.isBefore(time);
    }

    /** The worker of the job's last run. */
    String workerId() {
        return lastRun().view().workerId();
    }

    @Nullable
    CancelRequest cancelRequest() {
        return cancelRequest;
    }

    Stream<Run> runs() {
        return runs.stream().map(run -> run.view().endedAt() == null ? run.view(lastHeardOf()) : run.view());
    }

    private Instant lastHeardOf() {
        Instant heartbeat = lease == null ? null : lease.heartbeatAt();
        return heartbeat == null || heartbeat.isBefore(updatedAt) ? updatedAt : heartbeat;
    }

    List<Step> steps() {
        return List.copyOf(steps.values());
    }

    Stream<JobEvent> events() {
        return events.stream();
    }

    Job view(Instant now) {
        JobSpec asked = spec.toBuilder()
                .idempotencyKey(null)
                .webhook(null)
                .keyOfVersion(false)
                .hold(false)
                .runTime(RunAt.at(runAt))
                .build();
        var times = new Times(createdAt, updatedAt, runAt, startedAt, finishedAt);
        return new Job(asked, status(now), times, tally, progress, lease, cancelRequest, failure, result);
    }

    void hold(@Nullable String by, Instant now) {
        moveTo(JobState.CREATED, now);
        note(EventType.HELD, NO_RUN, Payload.of("by", by), now);
    }

    void release(@Nullable String by, Instant now) {
        moveTo(JobState.WAITING, now);
        runAt = runAt.isBefore(now) ? now : runAt;
        note(EventType.RELEASED, NO_RUN, Payload.of("by", by), now);
    }

    void edit(JobEdit edit, @Nullable String by, Instant now) {
        spec = edit.applyTo(spec);
        RunAt runTime = edit.runTime();
        if (runTime != null) {
            runAt = resolved(runTime, now);
        }
        updatedAt = now;
        note(EventType.EDITED, NO_RUN, Payload.of("by", by), now);
    }

    /** Ends a job that no worker has claimed. */
    void cancel(@Nullable String by, CancelRequest request) {
        moveTo(JobState.CANCELLED, request.at());
        finishedAt = request.at();
        cancelRequest = request;
        failure = null;
        note(EventType.CANCELLED, NO_RUN, Payload.of("reason", request.reason(), "by", by), request.at());
    }

    /** Requests the worker that has claimed the job to end it. */
    void requestCancel(@Nullable String by, CancelRequest request) {
        moveTo(JobState.CANCELLING, request.at());
        cancelRequest = request;
        note(EventType.CANCEL_REQUESTED, NO_RUN, Payload.of("reason", request.reason(), "by", by), request.at());
    }

    void retry(@Nullable String by, Instant now) {
        moveTo(JobState.WAITING, now);
        runAt = now;
        tally = new Tally(tally.run(), 0, 0);
        beginFirst = false;
        progress = Progress.NONE;
        startedAt = null;
        finishedAt = null;
        cancelRequest = null;
        failure = null;
        note(EventType.RETRIED, NO_RUN, Payload.of("by", by), now);
    }

    Claim claim(UUID key, ClaimRequest by, Instant now) {
        moveTo(JobState.RUNNING, now);
        tally = new Tally(tally.run() + 1, tally.attempts() + 1, tally.crashes());
        progress = Progress.NONE;
        startedAt = now;
        lease = new Lease(by.workerId(), now.plus(by.lease()), null);
        endMargin = by.endMargin();
        begun = switch (by.begin()) {
            case ALL -> true;
            case ORDINARY -> spec.maxAttempts() > 1 && !beginFirst;
            case NONE -> false;
        };
        var run = new Run(id(), tally.run(), tally.attempts(), RunStatus.RUNNING, by.workerId(), now, null, now, null);
        runs.add(new StoredRun(key, run));
        note(EventType.STARTED, tally.run(), null, now);
        return claim();
    }

    /** The claim of the job's last run. */
    Claim claim() {
        return new Claim(id(), tally.run(), lastRun().key);
    }

    /** Returns how the claimer must record the begin of the job's last run. */
    ClaimedJob.Begin begin() {
        if (begun) {
            return ClaimedJob.Begin.STORED;
        }
        return spec.maxAttempts() == 1 || beginFirst ? ClaimedJob.Begin.FIRST : ClaimedJob.Begin.SOON;
    }

    void begins() {
        begun = true;
    }

    boolean heldBy(Claim claim) {
        return state.leased() && claim().equals(claim);
    }

    /** The run of that claim, if it has ended; null when it is running or does not exist. */
    @Nullable
    Run endOf(Claim claim) {
        if (claim.run() < 1 || claim.run() > runs.size()) {
            return null;
        }
        StoredRun run = runs.get(claim.run() - 1);
        boolean ended = run.key.equals(claim.key()) && run.view().status() != RunStatus.RUNNING;
        return ended ? run.view() : null;
    }

    void extend(Duration length, Instant now) {
        if (lease != null) {
            lease = new Lease(lease.workerId(), now.plus(length), now);
        }
    }

    boolean hasRoomFor(List<Step> more) {
        long added = more.stream()
                .map(Step::name)
                .distinct()
                .filter(name -> !steps.containsKey(name))
                .count();
        return steps.size() + added <= Limits.STEPS;
    }

    void save(RunUpdate update, Instant now) {
        updatedAt = now;
        begun = true;
        Progress reported = update.progress();
        if (reported != null && !reported.equals(progress)) {
            progress = reported;
            note(EventType.PROGRESS, tally.run(), Payload.of(reported), now);
        }
        for (Step step : update.steps()) {
            if (step.equals(steps.put(step.name(), step))) {
                continue;
            }
            note(EventType.STEP, tally.run(), Payload.of("name", step.name()), now);
        }
        StoredRun run = lastRun();
        for (NewEvent event : update.events()) {
            if (event.sequence() > run.highestSequence || !stored(event.sequence())) {
                run.highestSequence = Math.max(run.highestSequence, event.sequence());
                append(event, now);
            }
        }
    }

    /** Whether the last run has stored an event with that sequence. */
    private boolean stored(int sequence) {
        return events.stream().anyMatch(event -> event.run() == tally.run() && event.sequence() == sequence);
    }

    int lastSequence() {
        return lastRun().highestSequence;
    }

    RunEnd lapse() {
        Instant heartbeatAt = lease == null ? null : lease.heartbeatAt();
        Lapse lapse = Lapse.of(begun, Objects.requireNonNull(startedAt), heartbeatAt);
        return RunEnd.lapsed(state, tally, spec.maxAttempts(), lapse);
    }

    RunEnd overdueEnd() {
        return RunEnd.overdue(state, tally, spec.maxAttempts(), begun);
    }

    Tally tally() {
        return tally;
    }

    void end(RunEnd end, @Nullable String returned, Instant now) {
        moveTo(end.state(), now);
        lastRun().end(end.runStatus(), end.runFailure(), now);
        tally = end.tally(tally);
        beginFirst |= end.beginFirst();
        failure = end.jobFailure();
        lease = null;
        RunAt when = end.when();
        if (when != null) {
            runAt = resolved(when, now);
        }
        if (!state.terminal() || end.lostThenEnded()) {
            note(EventType.ofRunEnd(end.runStatus()), tally.run(), Payload.of(end.runFailure()), now);
        }
        if (state.terminal()) {
            finishedAt = now;
            result = returned;
            note(EventType.ofEnd(state), tally.run(), Payload.of(failure), now);
        }
    }

    void hookFailed(String message, Instant now) {
        note(
                EventType.HOOK_FAILED,
                tally.run(),
                Payload.of(Failure.of(EventType.HOOK_FAILED.wireName(), message)),
                now);
    }

    private void moveTo(JobState next, Instant now) {
        if (!state.next().contains(next)) {
            throw new IllegalStateException("illegal transition from " + state + " to " + next);
        }
        state = next;
        updatedAt = now;
    }

    private StoredRun lastRun() {
        return runs.get(runs.size() - 1);
    }

    private void note(EventType type, int run, @Nullable String payload, Instant at) {
        events.add(new JobEvent(id(), events.size() + 1, run, 0, type, at, payload));
    }

    private void append(NewEvent event, Instant now) {
        Instant given = event.at();
        Instant at = given == null ? now : micros(given);
        events.add(new JobEvent(
                id(), events.size() + 1, tally.run(), event.sequence(), event.type(), at, event.payload()));
    }

    private static Instant resolved(RunAt runTime, Instant now) {
        return micros(runTime.resolve(now));
    }

    /** Truncates to PostgreSQL's precision. */
    static Instant micros(Instant time) {
        return time.truncatedTo(ChronoUnit.MICROS);
    }
}
