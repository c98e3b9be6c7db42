package dev.longhaul.client;

import dev.longhaul.internal.text.Times;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Lease;
import dev.longhaul.job.Progress;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.Step;
import dev.longhaul.job.Tally;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.RunEnd;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The dequeued jobs of this worker and their task tokens, by claim. The claims are generated locally. */
final class Tasks {
    private static final int MOST_ENDED = 1000;
    private static final int MOST_LOST = 100;

    private final Map<Claim, Task> tasks = new ConcurrentHashMap<>();
    private final Map<JobId, Job> ended = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<JobId, Job> eldest) {
            return size() > MOST_ENDED;
        }
    };

    /**
     * Claims that the server reported as lost. They are kept for a while, because the end of such a run may be reported
     * again.
     */
    private final Set<Claim> lost = new LinkedHashSet<>();

    /**
     * A dequeued job.
     *
     * @param reported the end with the server's verdict, while other verdicts of the batch are unknown; null before that
     */
    record Task(
            String token,
            Job job,
            List<Step> steps,
            boolean cancelling,
            @Nullable Reported reported) {}

    /** An end and the server's verdict on it. */
    record Reported(Transition end, Verdict verdict) {}

    ClaimedJob claimed(DequeueJobResponse task, ClaimRequest request) {
        var id = JobId.parse(task.getJobId());
        var claim = new Claim(id, task.getRun(), Claim.newKey());
        Instant now = Instant.now();
        JobSpec spec = JobSpec.of(DefinitionRef.parse(task.getDefinition()), task.getParams())
                .id(id)
                .queue(task.getQueue())
                .priority(task.getPriority())
                .runTime(RunAt.now())
                .maxAttempts(task.getMaxAttempts())
                .timeout(WireTime.duration("timeout", task.getTimeout()))
                .name(given(task.getName()))
                .correlationId(given(task.getCorrelationId()))
                .labels(task.getLabelsMap())
                .traceparent(given(task.getTraceparent()))
                .build();
        var createdAt = WireTime.instant("createdAt", task.getCreatedAt());
        var job = new Job(
                spec.storedAt(now),
                JobStatus.RUNNING,
                new Times(createdAt, now, now, now, null),
                new Tally(task.getRun(), task.getAttempt(), 0),
                Progress.NONE,
                new Lease(
                        request.workerId(), WireTime.instant("visibilityDeadline", task.getVisibilityDeadline()), null),
                null,
                null,
                null);
        List<Step> steps = task.getStepsList().stream()
                .map(step -> new Step(step.getName(), step.getResult()))
                .toList();
        tasks.put(claim, new Task(task.getTaskToken(), job, steps, false, null));
        return new ClaimedJob(claim, job, begin(task, request));
    }

    private static ClaimedJob.Begin begin(DequeueJobResponse task, ClaimRequest request) {
        if (request.begin() == ClaimRequest.Begin.ALL) {
            return ClaimedJob.Begin.STORED;
        }
        return task.getBeginFirst() ? ClaimedJob.Begin.FIRST : ClaimedJob.Begin.SOON;
    }

    private static @Nullable String given(String text) {
        return text.isEmpty() ? null : text;
    }

    /** Returns the dequeued job; empty if its run has ended, or was lost a while ago. */
    Optional<Task> find(Claim claim) {
        return Optional.ofNullable(tasks.get(claim));
    }

    /** Returns the steps of the job's latest run. An earlier run of the job may still be ending. */
    List<Step> steps(JobId id) {
        return tasks.entrySet().stream()
                .filter(entry -> entry.getKey().jobId().equals(id))
                .max(Comparator.comparingInt(entry -> entry.getKey().run()))
                .map(entry -> entry.getValue().steps())
                .orElse(List.of());
    }

    void cancelling(Claim claim) {
        tasks.computeIfPresent(
                claim, (key, task) -> new Task(task.token(), task.job(), task.steps(), true, task.reported()));
    }

    /** Records that the server no longer accepts the claim. The end of the run may never be reported. */
    void lost(Claim claim) {
        synchronized (lost) {
            lost.add(claim);
            for (var oldest = lost.iterator(); lost.size() > MOST_LOST; oldest.remove()) {
                tasks.remove(oldest.next());
            }
        }
    }

    /** Remembers the verdict until {@link #ended}. */
    void reported(Transition end, Verdict verdict) {
        remember(end.claim(), new Reported(end, verdict));
    }

    private void remember(Claim claim, @Nullable Reported reported) {
        tasks.computeIfPresent(
                claim, (key, task) -> new Task(task.token(), task.job(), task.steps(), task.cancelling(), reported));
    }

    /** Returns the server's verdict for this end; null if unknown. */
    @Nullable
    Verdict verdict(Transition end) {
        Task task = tasks.get(end.claim());
        Reported reported = task == null ? null : task.reported();
        return reported != null && reported.end().equals(end) ? reported.verdict() : null;
    }

    /** Removes an ended run. Call once the server's verdicts on all ends of a batch are known. */
    void ended(Transition transition, Verdict verdict) {
        if (verdict.kind() == Verdict.Kind.REFUSED) {
            // The server rejected this end; the engine will report another one.
            remember(transition.claim(), null);
            return;
        }
        Task task = tasks.remove(transition.claim());
        if (task != null && verdict.won()) {
            Job job = task.job();
            RunEnd.of(
                            transition,
                            task.cancelling() ? JobState.CANCELLING : JobState.RUNNING,
                            job.tally(),
                            job.spec().maxAttempts())
                    .filter(end -> end.state().terminal())
                    .ifPresent(end -> keep(job, end, transition));
        }
    }

    private void keep(Job job, RunEnd end, Transition transition) {
        Instant now = Instant.now();
        Times times = job.times();
        var last = new Job(
                job.spec(),
                JobStatus.of(end.state(), now, job.tally().attempts(), now),
                new Times(times.createdAt(), now, times.runAt(), times.startedAt(), now),
                end.tally(job.tally()),
                job.progress(),
                null,
                null,
                end.jobFailure(),
                transition instanceof Transition.Succeed succeed ? succeed.result() : null);
        synchronized (ended) {
            ended.put(job.id(), last);
        }
    }

    Optional<Job> endedJob(JobId id) {
        synchronized (ended) {
            return Optional.ofNullable(ended.get(id));
        }
    }
}
