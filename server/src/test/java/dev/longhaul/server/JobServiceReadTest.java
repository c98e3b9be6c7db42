package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.GetJobRequest;
import dev.longhaul.rpc.v1.Job;
import dev.longhaul.rpc.v1.JobState;
import dev.longhaul.rpc.v1.ListJobsRequest;
import dev.longhaul.rpc.v1.ListJobsResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Reads jobs over RPC, singly and in pages. */
class JobServiceReadTest {
    private static final String QUEUE = "far";

    @RegisterExtension
    final Doors doors = new Doors();

    private final Rpc rpc = new Rpc(doors.port());

    @AfterEach
    void close() {
        rpc.close();
    }

    @Test
    void lists_in_pages_newest_first() {
        String first = rpc.enqueue(QUEUE, "1");
        String second = rpc.enqueue(QUEUE, "2");
        String third = rpc.enqueue(QUEUE, "3");
        var request = ListJobsRequest.newBuilder()
                .setQueue(QUEUE)
                .addStates(JobState.JOB_STATE_QUEUED)
                .setPageSize(2);
        var page = rpc.jobs.listJobs(request.build());
        var last =
                rpc.jobs.listJobs(request.setPageToken(page.getNextPageToken()).build());

        assertThat(page.getJobsList()).extracting(Job::getJobId).containsExactly(third, second);
        assertThat(page.getLastPage()).isFalse();
        assertThat(last.getJobsList()).extracting(Job::getJobId).containsExactly(first);
        assertThat(last.getLastPage()).isTrue();
    }

    @Test
    void pages_of_large_jobs_fit_into_a_message() {
        String large = "\"" + "x".repeat(250_000) + "\"";
        var ids = new ArrayList<String>();
        for (int i = 0; i < 18; i++) {
            ids.add(0, rpc.enqueue(QUEUE, "{}"));
        }
        rpc.dequeue(QUEUE, 18, Duration.ofSeconds(10)).forEach(task -> succeed(task, large));
        var request = ListJobsRequest.newBuilder().setQueue(QUEUE);
        var listed = new ArrayList<String>();
        ListJobsResponse page;
        do {
            page = rpc.jobs.listJobs(request.build());
            assertThat(page.getSerializedSize()).isLessThan(4 << 20);
            page.getJobsList().forEach(job -> listed.add(job.getJobId()));
            request.setPageToken(page.getNextPageToken());
        } while (!page.getLastPage());

        assertThat(listed).isEqualTo(ids);
    }

    @Test
    void distinguishes_a_malformed_id_from_an_unknown_one() {
        refused(() -> job("1-1"), Status.Code.INVALID_ARGUMENT);
        refused(() -> job(UUID.randomUUID().toString()), Status.Code.NOT_FOUND);
    }

    private Job job(String id) {
        return rpc.jobs.getJob(GetJobRequest.newBuilder().setJobId(id).build()).getJob();
    }

    private void succeed(DequeueJobResponse task, String result) {
        var request = CompleteJobRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .setJobId(task.getJobId());
        request.getSucceededBuilder().setResult(result);
        rpc.jobs.completeJob(request.build());
    }

    private static void refused(Runnable call, Status.Code code) {
        assertThat(catchThrowableOfType(StatusRuntimeException.class, call::run)
                        .getStatus()
                        .getCode())
                .isEqualTo(code);
    }
}
