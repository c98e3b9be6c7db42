package dev.longhaul.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Transition;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.CompleteJobResponse;
import dev.longhaul.rpc.v1.DequeueJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.Step;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import dev.longhaul.rpc.v1.UpdateJobResponse;
import dev.longhaul.store.ClaimRequest;
import dev.longhaul.store.LeaseAnswer;
import dev.longhaul.store.Verdict;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a worker makes of answers that come late, twice or from somebody else; the server here gives just these. */
class RpcJobStoreTest {
    private static final Duration LEASE = Duration.ofSeconds(15);

    private final Answers answers = new Answers();
    private Server server;
    private LonghaulClient client;
    private RpcJobStore store;

    /** Hands out a new job whenever it is asked, and answers updates with a status. */
    private static final class Answers extends JobServiceGrpc.JobServiceImplBase {
        volatile Status update = Status.OK;

        @Override
        public void dequeueJob(DequeueJobRequest request, StreamObserver<DequeueJobResponse> answers) {
            answers.onNext(DequeueJobResponse.newBuilder()
                    .setTaskToken("token")
                    .setJobId(JobId.next().toString())
                    .setRun(1)
                    .setAttempt(1)
                    .setMaxAttempts(3)
                    .setDefinition("task@1")
                    .setQueue("far")
                    .setParams("{}")
                    .addSteps(Step.newBuilder().setName("fetch").setResult("1"))
                    .setTimeout(WireTime.of(Duration.ofHours(1)))
                    .setVisibilityDeadline(WireTime.of(Instant.now().plus(LEASE)))
                    .setCreatedAt(WireTime.of(Instant.now()))
                    .build());
            answers.onCompleted();
        }

        @Override
        public void updateJob(UpdateJobRequest request, StreamObserver<UpdateJobResponse> answers) {
            if (!update.isOk()) {
                answers.onError(update.asRuntimeException());
                return;
            }
            answers.onNext(UpdateJobResponse.getDefaultInstance());
            answers.onCompleted();
        }

        @Override
        public void completeJob(CompleteJobRequest request, StreamObserver<CompleteJobResponse> answers) {
            answers.onNext(CompleteJobResponse.getDefaultInstance());
            answers.onCompleted();
        }
    }

    @BeforeEach
    void start() throws IOException {
        server = ServerBuilder.forPort(0).addService(answers).build().start();
        client = LonghaulClient.connect(URI.create("http://127.0.0.1:" + server.getPort()), null);
        store = new RpcJobStore(client.channel());
    }

    @AfterEach
    void stop() {
        client.close();
        server.shutdownNow();
    }

    private Claim claim() {
        var request = ClaimRequest.of("far", List.of("far"), Set.of(DefinitionRef.parse("task@1")), 1, LEASE);
        return store.claim(request).get(0).claim();
    }

    @Test
    void a_run_that_has_just_ended_does_not_keep_others_from_being_renewed() {
        Claim ended = claim();
        Claim going = claim();
        store.apply(List.of(Transition.succeed(ended, "1")));

        assertThat(store.extend(List.of(ended, going), LEASE))
                .extracting(LeaseAnswer::held)
                .containsExactly(false, true);
    }

    @Test
    void an_end_whose_answer_was_lost_can_be_told_again_after_the_lease_is_gone() {
        Claim claim = claim();
        answers.update = Status.NOT_FOUND;

        assertThat(store.extend(List.of(claim), LEASE))
                .extracting(LeaseAnswer::held)
                .containsExactly(false);
        assertThat(store.apply(List.of(Transition.succeed(claim, "1")))).containsExactly(Verdict.WON);
    }

    @Test
    void runs_that_were_lost_are_forgotten_one_day() {
        Claim first = claim();
        answers.update = Status.NOT_FOUND;
        store.extend(List.of(first), LEASE);
        assertThat(store.steps(first.jobId())).hasSize(1);
        for (int i = 0; i < 100; i++) {
            store.extend(List.of(claim()), LEASE);
        }

        assertThat(store.steps(first.jobId())).isEmpty();
    }

    @Test
    void nothing_is_lost_by_a_proxy_whose_server_is_away() {
        Claim claim = claim();
        answers.update = Status.UNIMPLEMENTED.withDescription("HTTP status code 404");

        assertThat(catchThrowableOfType(LonghaulException.class, () -> store.extend(List.of(claim), LEASE))
                        .code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
    }
}
