package dev.longhaul.server.rpc;

import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Recent;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import dev.longhaul.internal.store.SharedWrites;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RunAt;
import dev.longhaul.json.Secrets;
import dev.longhaul.spi.Store;
import dev.longhaul.usecase.Jobs;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Operations of remote workers on their claimed jobs. Every write requires that the claim in the task token is still
 * valid.
 */
public final class Tasks {
    /** Maximum number of tokens per call. */
    private static final int MOST_TOKENS = 1000;

    private static final int MOST_REMEMBERED = 10_000;
    private static final Duration HEARTBEATS = Duration.ofSeconds(10);

    private final Store store;
    private final Jobs jobs;
    private final Recent<Claim, Handed> handed = new Recent<>(MOST_REMEMBERED);
    private final Recent<Claim, Long> heartbeats = new Recent<>(MOST_REMEMBERED);
    private final SharedWrites<Extension, LeaseRenewal> extensions;
    private final SharedWrites<Transition, Verdict> ends;
    private final SharedWrites<RunUpdate, Verdict> reports;

    private record Extension(Claim claim, Duration lease) {}

    /**
     * Data that does not change during a run.
     *
     * @param storedSecrets whether the job was stored with the places of its secrets
     * @param secrets null until first needed, because most runs report nothing and most definitions have no secrets
     */
    private record Handed(
            String queue,
            DefinitionRef definition,
            boolean storedSecrets,
            @Nullable Secrets secrets) {
        static Handed of(Job job) {
            JobSpec spec = job.spec();
            return new Handed(spec.queue(), spec.definition(), spec.secrets() != null, null);
        }
    }

    Tasks(Store store, Jobs jobs) {
        this.store = store;
        this.jobs = jobs;
        this.extensions = new SharedWrites<>(this::extend, Extension::claim);
        this.ends = new SharedWrites<>(store.work()::apply, Transition::claim);
        this.reports = new SharedWrites<>(store.work()::save, RunUpdate::claim);
    }

    /** Caches data of a job before the job is sent to a worker. */
    void handing(ClaimedJob claimed) {
        handed.put(claimed.claim(), Handed.of(claimed.job()));
    }

    private Handed handed(Claim claim) {
        Handed known = handed.get(claim);
        if (known == null) {
            // The job was claimed through another server. It is read without a lock, so that other calls do not wait.
            known = Handed.of(job(claim));
            handed.put(claim, known);
        }
        return known;
    }

    /**
     * Returns the secrets to hide in all reports of the run. The server hides them, because workers in other languages
     * do not.
     */
    public Secrets secrets(Claim claim) {
        Handed run = handed(claim);
        Secrets known = run.secrets();
        if (known == null) {
            boolean some = run.storedSecrets() || jobs.mayHoldSecrets(run.definition());
            known = some ? jobs.secretsOf(job(claim)) : Secrets.NONE;
            handed.put(claim, new Handed(run.queue(), run.definition(), run.storedSecrets(), known));
        }
        return known;
    }

    /** Returns the claim of a token. Throws if its job is not of that queue. */
    Claim ofQueue(String token, String queue) {
        Claim claim = TaskToken.parse(token);
        if (!handed(claim).queue().equals(queue)) {
            throw Fields.bad("queue", Problem.brief(queue), "the queue that the job was dequeued from");
        }
        return claim;
    }

    /** Returns the claim of a token. Throws if it is not for that job. */
    Claim ofJob(String token, String jobId) {
        JobId id = JobId.parse(jobId);
        Claim claim = TaskToken.parse(token);
        if (!claim.jobId().equals(id)) {
            throw Fields.bad("jobId", id.toString(), "the job of the task token");
        }
        return claim;
    }

    /** Throws unless the caller may access the job. */
    public void requireQueue(Caller caller, Claim claim) {
        // Most keys are valid for all queues, so no look-up is needed.
        if (caller.rights().bound()) {
            caller.requireQueue(handed(claim).queue());
        }
    }

    /**
     * Stores that the tasks begin. Returns for each token, in order, whether its claim is still valid. If the caller
     * may not access one of the jobs, no task begins.
     */
    List<Boolean> begin(Caller caller, List<String> tokens) {
        List<Claim> claims = parse(tokens);
        var held = new ArrayList<Claim>(claims);
        if (caller.rights().bound()) {
            held.removeIf(claim -> !exists(claim));
            held.forEach(claim -> caller.requireQueue(handed(claim).queue()));
        }
        List<Claim> toBegin = held.stream().distinct().toList();
        List<Verdict> verdicts = store.work().begin(toBegin);
        var begun = new HashSet<Claim>();
        for (int i = 0; i < toBegin.size(); i++) {
            Verdict verdict = verdicts.get(i);
            if (verdict.kind() == Verdict.Kind.LOCKED) {
                throw locked(); // A repeated begin has no effect.
            }
            if (verdict.won()) {
                begun.add(toBegin.get(i));
            }
        }
        return claims.stream().map(begun::contains).toList();
    }

    private static List<Claim> parse(List<String> tokens) {
        var problems = new Problems()
                .require(
                        !tokens.isEmpty() && tokens.size() <= MOST_TOKENS,
                        "taskTokens",
                        tokens.size() + " tokens",
                        "1 to " + MOST_TOKENS);
        var claims = new ArrayList<Claim>();
        for (int i = 0; i < Math.min(tokens.size(), MOST_TOKENS); i++) {
            String token = tokens.get(i);
            String field = "taskTokens[" + i + "]";
            Claim claim = problems.made(() -> TaskToken.parse(field, token));
            if (claim != null) {
                claims.add(claim);
            }
        }
        problems.throwIfAny();
        return claims;
    }

    private boolean exists(Claim claim) {
        return handed.get(claim) != null || store.jobs().find(claim.jobId()).isPresent();
    }

    private Job job(Claim claim) {
        return store.jobs().find(claim.jobId()).orElseThrow(TaskToken::stale);
    }

    /** Returns whether to store a heartbeat of the run. At most one per interval is stored. */
    public boolean heartbeatDue(Claim claim) {
        long now = System.nanoTime();
        Long last = heartbeats.get(claim);
        if (last != null && now - last < HEARTBEATS.toNanos()) {
            return false;
        }
        heartbeats.put(claim, now);
        return true;
    }

    /** Stores a report of the run. */
    public void report(RunUpdate update) {
        require(reports.write(update));
    }

    /**
     * Stores a report of the run and extends its lease. Returns the cancel request, if there is one.
     *
     * @param visibility the new lease, counted from now; null keeps the current lease
     */
    Optional<CancelRequest> update(RunUpdate report, @Nullable Duration visibility) {
        Claim claim = report.claim();
        if (visibility == null) {
            report(report);
            return Optional.ofNullable(job(claim).cancelRequest());
        }
        if (report.progress() != null || !report.steps().isEmpty()) {
            report(report);
        }
        LeaseRenewal extended = extensions.write(new Extension(claim, visibility));
        if (!extended.held()) {
            throw TaskToken.stale();
        }
        return Optional.ofNullable(extended.cancelRequest());
    }

    /** Ends the run. A result that is too large makes the run fail, as in workers with database access. */
    void complete(Transition end) {
        if (end instanceof Transition.Succeed succeed) {
            String tooLarge = succeed.whyTooLarge();
            if (tooLarge != null) {
                finish(Transition.fail(end.claim(), Failure.of(Failure.RESULT_TOO_LARGE, tooLarge)));
                throw new LonghaulException(
                        ErrorCode.TOO_LARGE, tooLarge + "; the run has ended as " + Failure.RESULT_TOO_LARGE);
            }
            jobs.checkResult(handed(end.claim()).definition(), succeed.result());
        }
        finish(end);
    }

    private void finish(Transition end) {
        require(ends.write(end));
        // The data may contain secrets, which should not stay in memory.
        handed.remove(end.claim());
    }

    /**
     * Returns an end that schedules the next attempt.
     *
     * @param after the delay; null means a delay that grows with the number of attempts
     */
    Transition retry(Claim claim, Failure failure, @Nullable Duration after) {
        Duration delay = after == null
                ? Backoff.DEFAULT.delay(job(claim).tally().attempts(), ThreadLocalRandom.current())
                : after;
        return Transition.retry(claim, RunAt.after(delay), failure);
    }

    private static void require(Verdict verdict) {
        switch (verdict.kind()) {
            case WON -> {}
            case LOST -> throw TaskToken.stale();
            case REFUSED ->
                throw new LonghaulException(ErrorCode.FAILED_PRECONDITION, String.valueOf(verdict.reason()));
            case LOCKED -> throw locked();
        }
    }

    private static LonghaulException locked() {
        return new LonghaulException(ErrorCode.UNAVAILABLE, "another session has locked the job; try again");
    }

    private List<LeaseRenewal> extend(List<Extension> extensions) {
        Map<Duration, List<Claim>> byLease = new HashMap<>();
        extensions.forEach(one ->
                byLease.computeIfAbsent(one.lease(), key -> new ArrayList<>()).add(one.claim()));
        Map<Claim, LeaseRenewal> results = new HashMap<>();
        byLease.forEach((lease, claims) ->
                store.work().extend(claims, lease).forEach(result -> results.put(result.claim(), result)));
        return extensions.stream()
                .map(one -> results.getOrDefault(one.claim(), new LeaseRenewal(one.claim(), false, null)))
                .toList();
    }
}
