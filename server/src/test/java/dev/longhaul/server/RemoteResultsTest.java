package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.rpc.ErrorInfo;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.GetJobRequest;
import dev.longhaul.rpc.v1.JobState;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Results that are too large for the store, reported by an RPC worker. */
class RemoteResultsTest {
    private static final String QUEUE = "results";

    @RegisterExtension
    final Doors doors = new Doors();

    private final Rpc rpc = new Rpc(doors.port());

    @AfterEach
    void close() {
        rpc.close();
    }

    private StatusRuntimeException refused(CompleteJobRequest.Builder end) {
        return catchThrowableOfType(StatusRuntimeException.class, () -> rpc.jobs.completeJob(end.build()));
    }

    @Test
    void a_result_that_is_too_large_ends_the_run_and_is_refused_each_time() {
        rpc.enqueue(QUEUE, "{}");
        DequeueJobResponse task = rpc.dequeueOne(QUEUE);
        var end = CompleteJobRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .setJobId(task.getJobId());
        end.getSucceededBuilder().setResult("\"" + "x".repeat(300_000) + "\"");

        for (int i = 0; i < 2; i++) {
            StatusRuntimeException failure = refused(end);
            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(Rpc.detail(failure, ErrorInfo.class).getReason()).isEqualTo("TOO_LARGE");
            assertThat(failure.getStatus().getDescription()).contains("300002 bytes");
        }
        var job = rpc.jobs
                .getJob(GetJobRequest.newBuilder().setJobId(task.getJobId()).build())
                .getJob();
        assertThat(job.getState()).isEqualTo(JobState.JOB_STATE_FAILED);
        assertThat(job.getFailure().getCode()).isEqualTo("result_too_large");
        end.getSucceededBuilder().setResult("1");
        assertThat(refused(end).getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
    }
}
