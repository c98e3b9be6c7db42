package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.rpc.BadRequest;
import dev.longhaul.Longhaul;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Tally;
import dev.longhaul.rpc.v1.BeginJobsRequest;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EnqueueJobRequest;
import dev.longhaul.rpc.v1.Progress;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers over RPC that report when they start a job, and those that do not. */
@Tag("full")
class BeginJobsTest {
    private static final String QUEUE = "begins";
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** A short lease, so that the leader soon trusts its count of lapsed ones. */
    @RegisterExtension
    final Doors doors = new Doors(Longhaul.builder().memory().lease(SECOND));

    private final Rpc rpc = new Rpc(doors.port());

    @AfterEach
    void close() {
        rpc.close();
    }

    private void enqueue(int maxAttempts) {
        rpc.jobs.enqueueJob(EnqueueJobRequest.newBuilder()
                .setQueue(QUEUE)
                .setMaxAttempts(maxAttempts)
                .build());
    }

    private DequeueJobResponse dequeue(boolean explicitBegin, Duration visibility) {
        return dequeue(rpc, explicitBegin, visibility);
    }

    private static DequeueJobResponse dequeue(Rpc from, boolean explicitBegin, Duration visibility) {
        return from.dequeue(Rpc.request(QUEUE, 1, Duration.ofSeconds(10))
                        .setExplicitBegin(explicitBegin)
                        .setVisibilityTimeout(Rpc.duration(visibility))
                        .build())
                .get(0);
    }

    private DequeueJobResponse dequeued(int maxAttempts, boolean explicitBegin) {
        enqueue(maxAttempts);
        return dequeue(explicitBegin, SECOND);
    }

    private static BeginJobsRequest of(DequeueJobResponse... tasks) {
        return BeginJobsRequest.newBuilder()
                .addAllTaskTokens(Arrays.stream(tasks)
                        .map(DequeueJobResponse::getTaskToken)
                        .toList())
                .build();
    }

    private List<Boolean> begin(DequeueJobResponse... tasks) {
        return rpc.jobs.beginJobs(of(tasks)).getBegunList();
    }

    private Job job(DequeueJobResponse task) {
        return doors.longhaul()
                .store()
                .jobs()
                .find(JobId.parse(task.getJobId()))
                .orElseThrow();
    }

    /** The job, after the task's visibility timeout has expired and its run was ended. */
    private Job lapsed(DequeueJobResponse task) throws InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (job(task).status() == JobStatus.RUNNING) {
            assertThat(System.nanoTime()).as("still running").isLessThan(until);
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return job(task);
    }

    private RunStatus lastRun(DequeueJobResponse task) {
        var runs = doors.longhaul().store().jobs().runs(JobId.parse(task.getJobId()));
        return runs.get(runs.size() - 1).status();
    }

    @Test
    void that_never_came_leaves_the_attempt_unspent() throws Exception {
        DequeueJobResponse task = dequeued(1, true);
        assertThat(task.getBeginFirst()).isTrue();

        Job job = lapsed(task);
        assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
        assertThat(job.tally()).isEqualTo(new Tally(1, 0, 0));
        assertThat(lastRun(task)).isEqualTo(RunStatus.RELEASED);
        assertThat(begin(task)).containsExactly(false);
        DequeueJobResponse again = dequeue(true, Duration.ofMinutes(1));
        assertThat(again.getAttempt()).isEqualTo(1);
        assertThat(begin(again)).containsExactly(true);
    }

    @Test
    void spends_the_attempt() throws Exception {
        DequeueJobResponse task = dequeued(1, true);
        assertThat(begin(task, task)).containsExactly(true, true);
        assertThat(begin(task)).containsExactly(true);

        assertThat(lapsed(task).status()).isEqualTo(JobStatus.FAILED);
        assertThat(lastRun(task)).isEqualTo(RunStatus.LOST);
    }

    @Test
    void comes_with_the_dequeue_unless_the_worker_says_otherwise() throws Exception {
        DequeueJobResponse task = dequeued(1, false);
        assertThat(task.getBeginFirst()).isFalse();

        assertThat(lapsed(task).status()).isEqualTo(JobStatus.FAILED);
    }

    @Test
    void may_follow_the_start_until_a_job_was_returned_without_one() throws Exception {
        DequeueJobResponse task = dequeued(3, true);
        assertThat(task.getBeginFirst()).isFalse();
        lapsed(task);

        assertThat(dequeue(true, SECOND).getBeginFirst()).isTrue();
    }

    @Test
    void is_implied_by_progress_but_not_by_a_renewal() throws Exception {
        DequeueJobResponse silent = dequeued(3, true);
        DequeueJobResponse busy = dequeued(3, true);
        var update = UpdateJobRequest.newBuilder().setQueue(QUEUE).setVisibilityTimeout(Rpc.duration(SECOND));
        rpc.jobs.updateJob(update.setTaskToken(silent.getTaskToken()).build());
        rpc.jobs.updateJob(update.setTaskToken(busy.getTaskToken())
                .setProgress(Progress.newBuilder().setPercent(1))
                .build());

        assertThat(lapsed(silent).tally()).isEqualTo(new Tally(1, 0, 0));
        assertThat(lapsed(busy).tally()).isEqualTo(new Tally(1, 1, 1));
    }

    @Test
    void is_reported_for_each_token() {
        enqueue(3);
        DequeueJobResponse over = dequeue(true, Duration.ofMinutes(1));
        rpc.jobs.completeJob(CompleteJobRequest.newBuilder()
                .setTaskToken(over.getTaskToken())
                .setJobId(over.getJobId())
                .setSucceeded(CompleteJobRequest.Succeeded.getDefaultInstance())
                .build());
        enqueue(3);
        DequeueJobResponse held = dequeue(true, Duration.ofMinutes(1));

        assertThat(begin(over, held, over)).containsExactly(false, true, false);
    }

    @Test
    void refuses_malformed_tokens_and_begins_none() throws Exception {
        DequeueJobResponse task = dequeued(3, true);
        var failure = catchThrowableOfType(
                StatusRuntimeException.class,
                () -> rpc.jobs.beginJobs(
                        of(task).toBuilder().addTaskTokens("nearly-right").build()));

        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(failure.getStatus().getDescription())
                .contains("taskTokens[1]")
                .doesNotContain("nearly");
        assertThat(Rpc.detail(failure, BadRequest.class).getFieldViolationsCount())
                .isEqualTo(1);
        assertThat(lapsed(task).tally().attempts()).isZero();
    }

    @Test
    void takes_1_to_1000_tokens() {
        enqueue(3);
        DequeueJobResponse task = dequeue(true, Duration.ofMinutes(1));

        assertThat(rpc.jobs.beginJobs(repeated(task, 1000)).getBegunList())
                .hasSize(1000)
                .containsOnly(true);
        for (int count : List.of(0, 1001)) {
            var failure =
                    catchThrowableOfType(StatusRuntimeException.class, () -> rpc.jobs.beginJobs(repeated(task, count)));
            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(failure.getStatus().getDescription()).contains("1 to 1000");
        }
    }

    private static BeginJobsRequest repeated(DequeueJobResponse task, int count) {
        return BeginJobsRequest.newBuilder()
                .addAllTaskTokens(Collections.nCopies(count, task.getTaskToken()))
                .build();
    }

    @Test
    void is_for_workers_and_the_queues_of_their_keys() throws Exception {
        String key = doors.key("far", new Rights(Role.WORKER, List.of("other")));
        try (var admin = new Rpc(doors.port(), doors.key("boss", Role.ADMIN));
                var viewer = new Rpc(doors.port(), doors.key("viewer", Role.VIEWER));
                var other = new Rpc(doors.port(), key);
                var own = new Rpc(doors.port(), doors.key("near", new Rights(Role.WORKER, List.of(QUEUE))))) {
            admin.enqueue(QUEUE, "{}");
            DequeueJobResponse foreign = dequeue(admin, true, SECOND);
            for (Rpc denied : List.of(viewer, other)) {
                var failure =
                        catchThrowableOfType(StatusRuntimeException.class, () -> denied.jobs.beginJobs(of(foreign)));
                assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
            }
            assertThat(lapsed(foreign).tally()).isEqualTo(new Tally(1, 0, 0));
            DequeueJobResponse task = dequeue(own, true, Duration.ofMinutes(1));
            assertThat(own.jobs.beginJobs(of(foreign, task)).getBegunList()).containsExactly(false, true);
        }
    }
}
