package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import dev.longhaul.job.JobId;
import dev.longhaul.rpc.v1.CancelJobRequest;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EnqueueJobRequest;
import dev.longhaul.rpc.v1.GetJobRequest;
import dev.longhaul.rpc.v1.Job;
import dev.longhaul.rpc.v1.JobState;
import dev.longhaul.rpc.v1.JobWebhook;
import dev.longhaul.rpc.v1.ListJobsRequest;
import dev.longhaul.rpc.v1.Progress;
import dev.longhaul.rpc.v1.Step;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.DataOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class JobServiceTest {
    private static final String QUEUE = "far";
    private static final String BIG = "{\"n\":9007199254740993}";

    @RegisterExtension
    final Doors doors = new Doors();

    final Rpc rpc = new Rpc(doors.port());

    @AfterEach
    void close() {
        rpc.close();
    }

    private Job job(String id) {
        return rpc.jobs.getJob(GetJobRequest.newBuilder().setJobId(id).build()).getJob();
    }

    private void complete(DequeueJobResponse task, Consumer<CompleteJobRequest.Builder> outcome) {
        var request = CompleteJobRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .setJobId(task.getJobId());
        outcome.accept(request);
        rpc.jobs.completeJob(request.build());
    }

    private static StatusRuntimeException failure(Runnable call) {
        return catchThrowableOfType(StatusRuntimeException.class, call::run);
    }

    private static void refused(Runnable call, Status.Code code) {
        assertThat(failure(call).getStatus().getCode()).isEqualTo(code);
    }

    @Nested
    class Enqueue {
        @Test
        void returns_a_stored_job() {
            var answer = rpc.jobs.enqueueJob(EnqueueJobRequest.newBuilder()
                    .setQueue(QUEUE)
                    .setParams(BIG)
                    .build());

            assertThat(answer.getState()).isEqualTo(JobState.JOB_STATE_QUEUED);
            assertThat(job(answer.getJobId()).getDefinition()).isEqualTo("task@1");
            assertThat(rpc.dequeueOne(QUEUE).getParams()).isEqualTo(BIG);
        }

        @Test
        void returns_the_first_job_for_the_same_request_id() {
            var request = EnqueueJobRequest.newBuilder()
                    .setQueue(QUEUE)
                    .setRequestId(UUID.randomUUID().toString());
            String first = rpc.jobs.enqueueJob(request.build()).getJobId();
            String again = rpc.jobs
                    .enqueueJob(request.setRequestId(request.getRequestId().toUpperCase(Locale.ROOT))
                            .build())
                    .getJobId();

            assertThat(again).isEqualTo(first);
        }

        @Test
        void keeps_the_webhook_of_the_job() {
            var webhook = JobWebhook.newBuilder().setUrl("https://hooks.example.com/7");
            var request = EnqueueJobRequest.newBuilder().setQueue(QUEUE).setHold(true);
            String id = rpc.jobs.enqueueJob(request.setWebhook(webhook).build()).getJobId();
            doors.longhaul().cancel(JobId.parse(id));

            var shared = doors.longhaul().store().webhooks().list().get(0);
            var delivery = doors.longhaul()
                    .store()
                    .webhooks()
                    .deliveries(shared.id(), null, null, 10)
                    .get(0);
            assertThat(delivery.url()).isEqualTo(webhook.getUrl());
            refused(
                    () -> rpc.jobs.enqueueJob(request.setWebhook(webhook.addEvents("job.exploded"))
                            .build()),
                    Status.Code.INVALID_ARGUMENT);
        }

        @Test
        void reports_all_invalid_fields() {
            var failure = failure(() -> rpc.jobs.enqueueJob(EnqueueJobRequest.newBuilder()
                    .setRequestId("17")
                    .setTimeout(Rpc.duration(Duration.ofSeconds(-1)))
                    .build()));

            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(Rpc.detail(failure, BadRequest.class).getFieldViolationsList())
                    .extracting(BadRequest.FieldViolation::getField)
                    .containsExactly("requestId", "timeout");
            assertThat(Rpc.detail(failure, ErrorInfo.class).getReason()).isEqualTo("INVALID_ARGUMENT");
        }

        @Test
        void checks_params_against_the_schema_of_the_definition() {
            var failure = failure(() -> rpc.jobs.enqueueJob(EnqueueJobRequest.newBuilder()
                    .setDefinition("test.echo")
                    .setParams("{\"name\":1}")
                    .build()));

            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(failure.getStatus().getDescription()).contains("params.name");
        }

        @Test
        void refuses_an_unknown_definition() {
            var failure = failure(() -> rpc.jobs.enqueueJob(
                    EnqueueJobRequest.newBuilder().setDefinition("test.ecoh").build()));

            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(Rpc.detail(failure, ErrorInfo.class).getReason()).isEqualTo("UNKNOWN_DEFINITION");
        }
    }

    @Nested
    class Dequeue {
        @Test
        void hands_out_in_the_order_of_priority_and_age() {
            String first = rpc.enqueue(QUEUE, "1");
            String second = rpc.enqueue(QUEUE, "2");
            String urgent = rpc.jobs
                    .enqueueJob(EnqueueJobRequest.newBuilder()
                            .setQueue(QUEUE)
                            .setPriority(5)
                            .build())
                    .getJobId();

            assertThat(rpc.dequeue(QUEUE, 3, Duration.ofSeconds(10)))
                    .extracting(DequeueJobResponse::getJobId)
                    .containsExactly(urgent, first, second);
        }

        @Test
        void ends_empty_when_nothing_comes() {
            assertThat(rpc.dequeue(QUEUE, 3, Duration.ofMillis(50))).isEmpty();
            assertThat(doors.server().rpc().dequeues().waiting()).isZero();
        }

        @Test
        void is_woken_by_a_job_that_comes_while_it_waits() {
            var waiting = CompletableFuture.supplyAsync(() -> rpc.dequeue(QUEUE, 1, Duration.ofSeconds(20)));
            awaitWaiting(1);
            String id = rpc.enqueue(QUEUE, "{}");

            assertThat(waiting.join()).extracting(DequeueJobResponse::getJobId).containsExactly(id);
        }

        @Test
        void one_job_wakes_one_of_many() {
            var polls = Stream.generate(
                            () -> CompletableFuture.supplyAsync(() -> rpc.dequeue(QUEUE, 1, Duration.ofSeconds(3))))
                    .limit(5)
                    .toList();
            awaitWaiting(5);
            rpc.enqueue(QUEUE, "{}");
            CompletableFuture.anyOf(polls.toArray(CompletableFuture[]::new)).join();

            assertThat(polls.stream().mapToInt(poll -> poll.join().size()).sum())
                    .isEqualTo(1);
        }

        @Test
        void leaves_out_other_definitions() {
            rpc.enqueue(QUEUE, "{}");

            assertThat(rpc.dequeue(Rpc.request(QUEUE, 1, Duration.ZERO)
                            .addDefinitions("test.echo")
                            .build()))
                    .isEmpty();
            assertThat(rpc.dequeue(Rpc.request(QUEUE, 1, Duration.ZERO)
                            .addDefinitions("task")
                            .build()))
                    .hasSize(1);
        }

        @Test
        void ends_in_time_for_the_deadline_of_the_client() {
            rpc.enqueue("other", "{}"); // connects
            var stub = rpc.jobs.withDeadlineAfter(5, TimeUnit.SECONDS);

            assertThat(stub.dequeueJob(Rpc.request(QUEUE, 1, Duration.ofSeconds(20))
                                    .build())
                            .hasNext())
                    .isFalse();
        }

        @Test
        void gives_nothing_to_a_disconnected_client() {
            var gone = new Rpc(doors.port());
            var left = CompletableFuture.runAsync(() -> gone.dequeue(QUEUE, 1, Duration.ofSeconds(20)));
            awaitWaiting(1);
            gone.close();
            awaitWaiting(0);
            String id = rpc.enqueue(QUEUE, "{}");

            assertThat(rpc.dequeueOne(QUEUE).getJobId()).isEqualTo(id);
            assertThatThrownBy(left::join).hasCauseInstanceOf(StatusRuntimeException.class);
        }

        @Test
        void jobs_on_their_way_to_a_disconnected_client_are_given_back() throws Exception {
            String large = "\"" + "x".repeat(250_000) + "\"";
            int jobs = 40;
            for (int i = 0; i < jobs; i++) {
                rpc.enqueue(QUEUE, large);
            }
            String body = "{\"queue\":\"" + QUEUE + "\",\"maxJobs\":" + jobs + ",\"visibilityTimeout\":\"3600s\"}";
            try (var gone = new Socket()) {
                gone.setReceiveBufferSize(8192);
                gone.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), doors.port()));
                var frame = new DataOutputStream(gone.getOutputStream());
                frame.writeBytes("POST /longhaul.v1.JobService/DequeueJob HTTP/1.1\r\nHost: 127.0.0.1:" + doors.port()
                        + "\r\nContent-Type: application/connect+json\r\nContent-Length: " + (5 + body.length())
                        + "\r\n\r\n");
                frame.writeByte(0);
                frame.writeInt(body.length());
                frame.writeBytes(body);
                frame.flush();
                // It reads nothing, and more is sent than fits into the socket's buffers.
                var running = ListJobsRequest.newBuilder().setQueue(QUEUE).addStates(JobState.JOB_STATE_RUNNING);
                long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
                while (rpc.jobs.listJobs(running.setPageSize(100).build()).getJobsCount() < jobs) {
                    assertThat(System.nanoTime()).isLessThan(until);
                }
            }

            assertThat(rpc.dequeue(QUEUE, 1, Duration.ofSeconds(20)))
                    .singleElement()
                    .satisfies(task -> assertThat(task.getRun()).isEqualTo(2))
                    .satisfies(task -> assertThat(task.getAttempt()).isEqualTo(1));
        }

        @Test
        void refuses_what_is_out_of_bounds() {
            refused(() -> rpc.dequeue("no queue", 1, Duration.ZERO), Status.Code.INVALID_ARGUMENT);
            refused(() -> rpc.dequeue(QUEUE, 101, Duration.ZERO), Status.Code.INVALID_ARGUMENT);
            refused(() -> rpc.dequeue(QUEUE, 1, Duration.ofSeconds(31)), Status.Code.INVALID_ARGUMENT);
            refused(() -> rpc.dequeue(QUEUE, 1, Duration.ofSeconds(-1)), Status.Code.INVALID_ARGUMENT);
        }

        @Test
        void jobs_that_have_crashed_twice_are_given_to_polls_without_a_wait_too() {
            String id = rpc.enqueue(QUEUE, "{}");
            for (int i = 0; i < 2; i++) {
                complete(
                        rpc.dequeue(QUEUE, 1, Duration.ZERO).get(0),
                        request -> request.getFailedBuilder().setCrashed(true));
            }

            assertThat(rpc.dequeue(QUEUE, 1, Duration.ZERO))
                    .extracting(DequeueJobResponse::getJobId)
                    .containsExactly(id);
        }

        private void awaitWaiting(int polls) {
            long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            while (doors.server().rpc().dequeues().waiting() != polls) {
                assertThat(System.nanoTime()).isLessThan(until);
                Thread.onSpinWait();
            }
        }
    }

    @Nested
    class Update {
        @Test
        void stores_progress_and_steps_and_reports_a_cancel() {
            String id = rpc.enqueue(QUEUE, "{}");
            DequeueJobResponse task = rpc.dequeueOne(QUEUE);
            var update = UpdateJobRequest.newBuilder()
                    .setTaskToken(task.getTaskToken())
                    .setQueue(QUEUE)
                    .setVisibilityTimeout(Rpc.duration(Duration.ofSeconds(60)))
                    .setProgress(Progress.newBuilder().setPercent(40).setMessage("nearly"))
                    .addSteps(Step.newBuilder().setName("fetch").setResult(BIG))
                    .build();

            assertThat(rpc.jobs.updateJob(update).getCancelRequested()).isFalse();
            assertThat(job(id).getProgress().getPercent()).isEqualTo(40);
            rpc.jobs.cancelJob(CancelJobRequest.newBuilder()
                    .setJobId(id)
                    .setReason("why not")
                    .build());
            assertThat(rpc.jobs.updateJob(update).getCancelReason()).isEqualTo("why not");
            assertThat(rpc.jobs
                            .updateJob(
                                    update.toBuilder().clearVisibilityTimeout().build())
                            .getCancelRequested())
                    .isTrue();
        }

        @Test
        void steps_are_handed_to_the_next_run() {
            rpc.enqueue(QUEUE, "{}");
            DequeueJobResponse task = rpc.dequeueOne(QUEUE);
            var step = Step.newBuilder().setName("fetch").setResult(BIG).build();
            rpc.jobs.updateJob(UpdateJobRequest.newBuilder()
                    .setTaskToken(task.getTaskToken())
                    .setQueue(QUEUE)
                    .addSteps(step)
                    .build());
            complete(task, request -> request.getReleasedBuilder());

            DequeueJobResponse again = rpc.dequeueOne(QUEUE);
            assertThat(again.getStepsList()).containsExactly(step);
            assertThat(again.getRun()).isEqualTo(2);
            assertThat(again.getAttempt()).isEqualTo(1);
        }

        @Test
        void refuses_another_queue_and_changes_nothing() {
            String id = rpc.enqueue(QUEUE, "{}");
            DequeueJobResponse task = rpc.dequeueOne(QUEUE);

            refused(
                    () -> rpc.jobs.updateJob(UpdateJobRequest.newBuilder()
                            .setTaskToken(task.getTaskToken())
                            .setQueue("other")
                            .setProgress(Progress.newBuilder().setPercent(40))
                            .build()),
                    Status.Code.INVALID_ARGUMENT);
            assertThat(job(id).getProgress().getPercent()).isZero();
        }
    }

    @Nested
    class Complete {
        @Test
        void stores_the_result_and_is_idempotent() {
            String id = rpc.enqueue(QUEUE, "{}");
            DequeueJobResponse task = rpc.dequeueOne(QUEUE);
            complete(task, request -> request.getSucceededBuilder().setResult(BIG));
            complete(task, request -> request.getSucceededBuilder().setResult(BIG));

            assertThat(job(id).getState()).isEqualTo(JobState.JOB_STATE_SUCCEEDED);
            assertThat(job(id).getResult()).isEqualTo(BIG);
            refused(() -> complete(task, request -> request.getReleasedBuilder()), Status.Code.NOT_FOUND);
        }

        @Test
        void lets_a_failed_job_run_again_unless_that_makes_no_sense() {
            String id = rpc.enqueue(QUEUE, "{}");
            complete(
                    rpc.dequeueOne(QUEUE),
                    request -> request.getFailedBuilder()
                            .setCode("exit_code")
                            .setMessage("7")
                            .setRetryable(true)
                            .setRetryAfter(Rpc.duration(Duration.ZERO)));
            DequeueJobResponse again = rpc.dequeueOne(QUEUE);
            assertThat(again.getAttempt()).isEqualTo(2);
            complete(again, request -> request.getFailedBuilder().setMessage("no"));

            assertThat(job(id).getState()).isEqualTo(JobState.JOB_STATE_FAILED);
            assertThat(job(id).getFailure().getMessage()).isEqualTo("no");
        }

        @Test
        void snoozes_without_spending_the_attempt() {
            rpc.enqueue(QUEUE, "{}");
            complete(
                    rpc.dequeueOne(QUEUE),
                    request -> request.getSnoozedBuilder().setDelay(Rpc.duration(Duration.ofMillis(1))));

            assertThat(rpc.dequeueOne(QUEUE).getAttempt()).isEqualTo(1);
        }

        @Test
        void cancels_only_jobs_with_a_cancel_request() {
            String id = rpc.enqueue(QUEUE, "{}");
            DequeueJobResponse task = rpc.dequeueOne(QUEUE);
            refused(() -> complete(task, request -> request.getCancelledBuilder()), Status.Code.FAILED_PRECONDITION);
            rpc.jobs.cancelJob(CancelJobRequest.newBuilder().setJobId(id).build());
            complete(task, request -> request.getCancelledBuilder());

            assertThat(job(id).getState()).isEqualTo(JobState.JOB_STATE_CANCELLED);
        }

        @Test
        void checks_the_result_against_the_schema_of_the_definition() {
            rpc.jobs.enqueueJob(EnqueueJobRequest.newBuilder()
                    .setDefinition("test.echo")
                    .setQueue(QUEUE)
                    .setParams("{\"name\":\"Ann\",\"number\":1}")
                    .build());
            DequeueJobResponse task = rpc.dequeueOne(QUEUE);

            refused(
                    () -> complete(
                            task, request -> request.getSucceededBuilder().setResult("{}")),
                    Status.Code.INVALID_ARGUMENT);
            refused(
                    () -> complete(
                            task, request -> request.getSucceededBuilder().setResult("{")),
                    Status.Code.INVALID_ARGUMENT);
            complete(task, request -> request.getSucceededBuilder().setResult("{\"name\":\"Ann\",\"number\":2}"));
        }

        @Test
        void refuses_tokens_that_are_malformed_unknown_or_of_another_job() {
            String id = rpc.enqueue(QUEUE, "{}");
            DequeueJobResponse task = rpc.dequeueOne(QUEUE);
            var request = CompleteJobRequest.newBuilder().setJobId(id);
            request.getSucceededBuilder();
            char last = task.getTaskToken().charAt(47);
            String unknown = task.getTaskToken().substring(0, 47) + (last == 'A' ? 'B' : 'A');

            refused(() -> rpc.jobs.completeJob(request.setTaskToken("nonsense").build()), Status.Code.INVALID_ARGUMENT);
            refused(() -> rpc.jobs.completeJob(request.setTaskToken(unknown).build()), Status.Code.NOT_FOUND);
            refused(
                    () -> rpc.jobs.completeJob(request.setTaskToken(task.getTaskToken())
                            .setJobId(UUID.randomUUID().toString())
                            .build()),
                    Status.Code.INVALID_ARGUMENT);
            assertThat(job(id).getState()).isEqualTo(JobState.JOB_STATE_RUNNING);
        }
    }
}
