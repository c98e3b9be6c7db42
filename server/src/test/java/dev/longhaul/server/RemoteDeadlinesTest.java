package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.longhaul.rpc.v1.CancelJobRequest;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EnqueueJobRequest;
import dev.longhaul.rpc.v1.GetJobRequest;
import dev.longhaul.rpc.v1.Job;
import dev.longhaul.rpc.v1.JobState;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Timeout and cancel grace end a run even if its worker keeps renewing the lease. */
class RemoteDeadlinesTest {
    private static final String QUEUE = "deadlines";
    private static final Duration SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    final Doors doors = new Doors();

    private final Rpc rpc = new Rpc(doors.port());

    @AfterEach
    void close() {
        rpc.close();
    }

    private void enqueue(Duration timeout) {
        rpc.jobs.enqueueJob(EnqueueJobRequest.newBuilder()
                .setQueue(QUEUE)
                .setTimeout(Rpc.duration(timeout))
                .setMaxAttempts(1)
                .build());
    }

    private static DequeueJobResponse dequeue(Rpc from) {
        return from.dequeue(Rpc.request(QUEUE, 1, Duration.ofSeconds(10))
                        .setEndMargin(Rpc.duration(Duration.ZERO))
                        .build())
                .get(0);
    }

    /** Renews the task until the server refuses it, and returns the status code. */
    private Status.Code renewUntilRefused(DequeueJobResponse task) {
        var renewal = UpdateJobRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .setQueue(QUEUE)
                .setVisibilityTimeout(Rpc.duration(Duration.ofHours(1)))
                .build();
        long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (System.nanoTime() - until < 0) {
            try {
                rpc.jobs.updateJob(renewal);
            } catch (StatusRuntimeException e) {
                return e.getStatus().getCode();
            }
        }
        throw new AssertionError("the task is still renewed");
    }

    private Status.Code completed(DequeueJobResponse task) {
        var end = CompleteJobRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .setJobId(task.getJobId());
        end.getSucceededBuilder().setResult("1");
        return catchThrowableOfType(StatusRuntimeException.class, () -> rpc.jobs.completeJob(end.build()))
                .getStatus()
                .getCode();
    }

    private Job job(DequeueJobResponse task) {
        return rpc.jobs
                .getJob(GetJobRequest.newBuilder().setJobId(task.getJobId()).build())
                .getJob();
    }

    @Test
    void a_run_past_its_timeout_is_ended_and_its_token_refused() {
        enqueue(SECOND);
        DequeueJobResponse task = dequeue(rpc);

        assertThat(renewUntilRefused(task)).isEqualTo(Status.Code.NOT_FOUND);
        assertThat(completed(task)).isEqualTo(Status.Code.NOT_FOUND);
        assertThat(job(task).getState()).isEqualTo(JobState.JOB_STATE_FAILED);
        assertThat(job(task).getFailure().getCode()).isEqualTo("timeout");
    }

    @Test
    void a_cancelled_run_is_ended_after_its_grace_period() {
        enqueue(Duration.ofHours(1));
        DequeueJobResponse task = dequeue(rpc);
        rpc.jobs.cancelJob(CancelJobRequest.newBuilder()
                .setJobId(task.getJobId())
                .setGrace(Rpc.duration(SECOND))
                .build());

        assertThat(renewUntilRefused(task)).isEqualTo(Status.Code.NOT_FOUND);
        assertThat(completed(task)).isEqualTo(Status.Code.NOT_FOUND);
        assertThat(job(task).getState()).isEqualTo(JobState.JOB_STATE_CANCELLED);
    }

    @Test
    void the_deadline_holds_when_the_server_that_handed_out_the_task_is_gone() {
        enqueue(SECOND);
        DequeueJobResponse task;
        try (var other = LonghaulServer.start(doors.longhaul(), Doors.AT_ONCE);
                var client = new Rpc(other.port())) {
            task = dequeue(client);
        }

        assertThat(renewUntilRefused(task)).isEqualTo(Status.Code.NOT_FOUND);
        assertThat(job(task).getFailure().getCode()).isEqualTo("timeout");
    }

    @Test
    void refuses_a_margin_out_of_bounds() {
        var request = Rpc.request(QUEUE, 1, Duration.ZERO).setEndMargin(Rpc.duration(Duration.ofHours(2)));

        assertThat(catchThrowableOfType(StatusRuntimeException.class, () -> rpc.dequeue(request.build()))
                        .getStatus()
                        .getDescription())
                .contains("endMargin");
    }
}
