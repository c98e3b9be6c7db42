package dev.longhaul.usecase;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.internal.text.Times;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Tally;
import dev.longhaul.queue.Pause;
import dev.longhaul.queue.QueuePosition;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WhyWaitingTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final DefinitionRef EMBED = new DefinitionRef("ml.embed", 1);
    private static final KnownWorker IDLE = worker(EMBED, "default", 0);

    @Test
    void a_held_job_waits_for_its_release() {
        assertThat(reasons(at(job(JobStatus.CREATED, Duration.ZERO, Tally.NONE, null))))
                .containsExactly("Held. It runs after it is released.");
    }

    @Test
    void a_job_that_is_not_due_names_the_delay() {
        assertThat(reasons(at(job(JobStatus.SCHEDULED, Duration.ofMinutes(5), Tally.NONE, null)), IDLE))
                .containsExactly("Scheduled to run in 5 min.");
        assertThat(reasons(at(job(JobStatus.SCHEDULED, Duration.ofMinutes(125), Tally.NONE, null)), IDLE))
                .containsExactly("Scheduled to run in 2 h 5 min.");
        assertThat(reasons(at(job(JobStatus.RETRYING, Duration.ofSeconds(90), new Tally(2, 2, 0), null)), IDLE))
                .containsExactly("Attempt 2 failed. The next attempt starts in 1 min 30 s.");
    }

    @Test
    void a_due_job_names_everything_that_blocks_it() {
        var position = new QueuePosition(queued(), new Pause(NOW, "ann", "deploying"), 2, 2, 3, 1);
        assertThat(reasons(position, worker(EMBED, "default", 4)))
                .containsExactly(
                        "The queue default is paused by ann: deploying",
                        "Concurrency limit reached: 2 of 2 ml.embed jobs are running.",
                        "All slots of the 1 worker that can run it are in use.",
                        "3 jobs are ahead of it in the queue, 1 with a higher priority.");
    }

    @Test
    void counts_stop_at_a_limit() {
        var position = new QueuePosition(queued(), null, 0, 0, QueuePosition.MOST_COUNTED, QueuePosition.MOST_COUNTED);
        assertThat(reasons(position, IDLE))
                .containsExactly(
                        "At least 1000 jobs are ahead of it in the queue, at least 1000 with a higher priority.");
    }

    @Test
    void a_missing_worker_is_reported_with_the_next_step() {
        KnownWorker other = worker(new DefinitionRef("mail", 1), "default", 0);
        assertThat(reasons(at(queued())))
                .containsExactly("No worker is active. Start one with the code of ml.embed@1.");
        assertThat(reasons(at(queued()), other))
                .containsExactly(
                        "The active worker does not run ml.embed@1. Deploy its code to a worker, or start another one.");
        assertThat(reasons(at(queued()), other, other))
                .containsExactly(
                        "None of the 2 active workers runs ml.embed@1. Deploy its code to a worker, or start another one.");
        assertThat(reasons(at(queued()), worker(EMBED, "gpu", 0)))
                .containsExactly("No worker that runs ml.embed@1 serves the queue default.");
    }

    @Test
    void the_last_failure_names_its_worker() {
        assertThat(reasons(at(job(JobStatus.QUEUED, Duration.ZERO, Tally.NONE, Failure.STILL_RUNNING)), IDLE))
                .containsExactly("An earlier run ignores its interrupt and is still running in worker w1."
                        + " Another worker can run the job. Restart worker w1 to stop the earlier run.");
        assertThat(reasons(at(job(JobStatus.QUEUED, Duration.ZERO, Tally.NONE, Failure.PARAMS_UNREADABLE)), IDLE))
                .containsExactly("Worker w1 could not read its params: boom."
                        + " Deploy code of ml.embed@1 that can read them, or cancel the job.");
    }

    @Test
    void a_job_that_crashed_twice_runs_alone() {
        assertThat(reasons(at(job(JobStatus.QUEUED, Duration.ZERO, new Tally(2, 2, 2), null)), IDLE))
                .containsExactly(
                        "It crashed 2 times. It will run alone, as soon as a worker has no recently started jobs.");
    }

    @Test
    void nothing_may_block_it() {
        assertThat(reasons(at(queued()), IDLE)).containsExactly("Nothing blocks it. A worker will start it shortly.");
    }

    private static List<String> reasons(QueuePosition position, KnownWorker... workers) {
        return WhyWaiting.of(position, Arrays.asList(workers), "w1", NOW).stream()
                .map(WhyWaiting.Reason::message)
                .toList();
    }

    private static QueuePosition at(Job job) {
        return new QueuePosition(job, null, 0, 0, 0, 0);
    }

    private static Job queued() {
        return job(JobStatus.QUEUED, Duration.ZERO, Tally.NONE, null);
    }

    private static Job job(JobStatus status, Duration delay, Tally tally, @Nullable String failure) {
        return new Job(
                JobSpec.of(EMBED, "{}").build(),
                status,
                new Times(NOW, NOW, NOW.plus(delay), null, null),
                tally,
                Progress.NONE,
                null,
                null,
                failure == null ? null : Failure.of(failure, "boom"),
                null);
    }

    private static KnownWorker worker(DefinitionRef definition, String queue, int running) {
        var report = new WorkerReport("w1", "host", 1, "1.0", List.of(queue), Set.of(definition), 4, running, false);
        return new KnownWorker(report, NOW, NOW, KnownWorker.State.ACTIVE);
    }
}
