package dev.longhaul.server.rpc;

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
import dev.longhaul.job.RunTime;
import dev.longhaul.json.Secrets;
import dev.longhaul.server.http.Caller;
import dev.longhaul.server.http.Fields;
import dev.longhaul.server.http.Problem;
import dev.longhaul.server.http.Recent;
import dev.longhaul.spi.Store;
import dev.longhaul.usecase.Jobs;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseAnswer;
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

/** What workers elsewhere do with the jobs that were handed to them. Every write is fenced by the claim in the task token. */
public final class Tasks {
    /** The most tokens of one call. */
    private static final int MOST_TOKENS = 1000;

    private static final int MOST_REMEMBERED = 10_000;
    private static final Duration HEARTBEATS = Duration.ofSeconds(10);

    private final Store store;
    private final Jobs jobs;
    private final Recent<Claim, Handed> handed = new Recent<>(MOST_REMEMBERED);
    private final Recent<Claim, Long> heartbeats = new Recent<>(MOST_REMEMBERED);
    private final SharedWrites<Extension, LeaseAnswer> extensions;
    private final SharedWrites<Transition, Verdict> ends;
    private final SharedWrites<RunUpdate, Verdict> reports;

    private record Extension(Claim claim, Duration lease) {}

    /**
     * What does not change while a run goes on.
     *
     * @param storedSecrets whether the job was stored with secret places
     * @param secrets null until somebody has asked for them: most runs report nothing, and most definitions have none
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

    /** A job is about to be handed to a worker. */
    void handing(ClaimedJob claimed) {
        handed.put(claimed.claim(), Handed.of(claimed.job()));
    }

    private Handed handed(Claim claim) {
        Handed known = handed.get(claim);
        if (known == null) {
            // Handed out by another server. Not looked up under a lock: others would wait for it.
            known = Handed.of(job(claim));
            handed.put(claim, known);
        }
        return known;
    }

    /** What nothing that the run tells may show: its worker may be of any language and hides nothing itself. */
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

    /** The claim of a token for a job of that queue. */
    Claim ofQueue(String token, String queue) {
        Claim claim = TaskToken.parse(token);
        if (!handed(claim).queue().equals(queue)) {
            throw Fields.bad("queue", Problem.brief(queue), "the queue that the task token was handed out from");
        }
        return claim;
    }

    /** The claim of a token for that job. */
    Claim ofJob(String token, String jobId) {
        JobId id = JobId.parse(jobId);
        Claim claim = TaskToken.parse(token);
        if (!claim.jobId().equals(id)) {
            throw Fields.bad("jobId", id.toString(), "the job that the task token was handed out for");
        }
        return claim;
    }

    /** Fails unless the caller may work on the job. */
    public void requireQueue(Caller caller, Claim claim) {
        // Most keys are for all queues, and nothing needs to be looked up.
        if (caller.rights().bound()) {
            caller.requireQueue(handed(claim).queue());
        }
    }

    /**
     * Stores that the code of these tasks begins; returns for each token, in order, whether its claim holds. If the caller may
     * not work on one of them, none begins.
     */
    List<Boolean> begin(Caller caller, List<String> tokens) {
        List<Claim> claims = parse(tokens);
        var held = new ArrayList<Claim>(claims);
        if (caller.rights().bound()) {
            held.removeIf(claim -> !exists(claim));
            held.forEach(claim -> caller.requireQueue(handed(claim).queue()));
        }
        List<Claim> asked = held.stream().distinct().toList();
        List<Verdict> verdicts = store.work().begin(asked);
        var begun = new HashSet<Claim>();
        for (int i = 0; i < asked.size(); i++) {
            Verdict verdict = verdicts.get(i);
            if (verdict.kind() == Verdict.Kind.LOCKED) {
                throw locked(); // Safe to repeat: those that are stored stay so.
            }
            if (verdict.won()) {
                begun.add(asked.get(i));
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

    /** Whether a heartbeat of the run is to be stored, which they are now and then only; if so the next one is not, for a while. */
    public boolean heartbeatDue(Claim claim) {
        long now = System.nanoTime();
        Long last = heartbeats.get(claim);
        if (last != null && now - last < HEARTBEATS.toNanos()) {
            return false;
        }
        heartbeats.put(claim, now);
        return true;
    }

    /** Stores what the run has to report. */
    public void report(RunUpdate update) {
        require(reports.write(update));
    }

    /**
     * Stores what the run has to report, and keeps its job for that long from now; answers the cancel that is wanted, if one is.
     *
     * @param visibility null leaves it as it is
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
        LeaseAnswer answer = extensions.write(new Extension(claim, visibility));
        if (!answer.held()) {
            throw TaskToken.stale();
        }
        return Optional.ofNullable(answer.cancelRequest());
    }

    /** Ends the run. A result that is too large ends it as failed, as it does in a worker on a database. */
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
        // It may hold secrets, and more of them than we like to keep.
        handed.remove(end.claim());
    }

    /** The attempt failed; the next one comes after a while that grows with them. */
    Transition retry(Claim claim, Failure failure, @Nullable Duration after) {
        Duration delay = after == null
                ? Backoff.DEFAULT.delay(job(claim).tally().attempts(), ThreadLocalRandom.current())
                : after;
        return Transition.retry(claim, RunTime.after(delay), failure);
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

    private List<LeaseAnswer> extend(List<Extension> extensions) {
        Map<Duration, List<Claim>> byLease = new HashMap<>();
        extensions.forEach(one ->
                byLease.computeIfAbsent(one.lease(), key -> new ArrayList<>()).add(one.claim()));
        Map<Claim, LeaseAnswer> answers = new HashMap<>();
        byLease.forEach((lease, claims) ->
                store.work().extend(claims, lease).forEach(answer -> answers.put(answer.claim(), answer)));
        return extensions.stream()
                .map(one -> answers.getOrDefault(one.claim(), new LeaseAnswer(one.claim(), false, null)))
                .toList();
    }
}
