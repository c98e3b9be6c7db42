package dev.longhaul.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.CompleteJobResponse;
import dev.longhaul.rpc.v1.DequeueJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.Step;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import dev.longhaul.rpc.v1.UpdateJobResponse;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** How a worker handles late, repeated and foreign responses, with a fake server that sends them. */
class RpcWorkSourceTest {
    private static final Duration LEASE = Duration.ofSeconds(15);

    private final FakeServer fake = new FakeServer();
    private Server server;
    private int port;
    private LonghaulClient client;
    private RpcWorkSource store;

    /** Returns a new job for every dequeue, and a given status for updates. */
    private static final class FakeServer extends JobServiceGrpc.JobServiceImplBase {
        volatile Status update = Status.OK;
        /** The queue whose first task is malformed. */
        volatile String malformed = "";

        final List<CompleteJobRequest> ends = new CopyOnWriteArrayList<>();
        private final AtomicInteger dequeues = new AtomicInteger();
        private volatile int callsLeft = Integer.MAX_VALUE;
        private volatile Runnable kill = () -> {};
        /** The job whose CompleteJob fails with UNAVAILABLE. */
        volatile String unavailable = "";

        /** Kills the server after the given number of further calls. */
        void killAfter(int calls, Runnable how) {
            kill = how;
            callsLeft = calls;
        }

        private synchronized boolean killed() {
            if (callsLeft == 0) {
                kill.run();
                return true;
            }
            callsLeft--;
            return false;
        }

        @Override
        public void dequeueJob(DequeueJobRequest request, StreamObserver<DequeueJobResponse> observer) {
            if (killed()) {
                return;
            }
            if (request.getQueue().equals(malformed)) {
                observer.onNext(DequeueJobResponse.newBuilder()
                        .setTaskToken("malformed")
                        .setJobId(JobId.next().toString())
                        .build());
            }
            observer.onNext(DequeueJobResponse.newBuilder()
                    .setTaskToken("token-" + dequeues.incrementAndGet())
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
            observer.onCompleted();
        }

        @Override
        public void updateJob(UpdateJobRequest request, StreamObserver<UpdateJobResponse> observer) {
            if (!update.isOk()) {
                observer.onError(update.asRuntimeException());
                return;
            }
            observer.onNext(UpdateJobResponse.getDefaultInstance());
            observer.onCompleted();
        }

        @Override
        public void completeJob(CompleteJobRequest request, StreamObserver<CompleteJobResponse> observer) {
            if (killed()) {
                return;
            }
            if (request.getJobId().equals(unavailable)) {
                observer.onError(Status.UNAVAILABLE.asRuntimeException());
                return;
            }
            ends.add(request);
            observer.onNext(CompleteJobResponse.getDefaultInstance());
            observer.onCompleted();
        }
    }

    @BeforeEach
    void start() throws IOException {
        server = ServerBuilder.forPort(0).addService(fake).build().start();
        port = server.getPort();
        client = LonghaulClient.connect(URI.create("http://127.0.0.1:" + port), null);
        store = new RpcWorkSource(client.channel(), LEASE);
    }

    @AfterEach
    void stop() {
        client.close();
        server.shutdownNow();
    }

    private void kill() {
        server.shutdownNow();
    }

    private void restart() throws IOException, InterruptedException {
        server.awaitTermination();
        server = ServerBuilder.forPort(port).addService(fake).build().start();
    }

    private static ClaimRequest claimOf(String... queues) {
        return ClaimRequest.of("far", List.of(queues), Set.of(DefinitionRef.parse("task@1")), 10, LEASE);
    }

    @Nested
    class Claiming {
        @Test
        void returns_the_jobs_of_one_queue_when_the_server_is_killed_before_the_other() {
            fake.killAfter(1, RpcWorkSourceTest.this::kill);

            assertThat(store.claim(claimOf("near", "far"))).hasSize(1);
        }

        @Test
        void fails_if_no_queue_responded() {
            fake.killAfter(0, RpcWorkSourceTest.this::kill);

            assertThat(catchThrowableOfType(LonghaulException.class, () -> store.claim(claimOf("near", "far")))
                            .code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
        }

        @Test
        void returns_the_jobs_beside_a_malformed_one_and_snoozes_that_one() {
            fake.malformed = "near";

            assertThat(store.claim(claimOf("near", "far"))).hasSize(2);
            await(() -> fake.ends.stream().anyMatch(end -> end.getTaskToken().equals("malformed") && end.hasSnoozed()));
        }
    }

    @Nested
    class Ends {
        @Test
        void with_known_verdicts_are_not_reported_again_when_the_batch_is_repeated() {
            List<Transition> ends = store.claim(claimOf("near", "far")).stream()
                    .map(job -> Transition.succeed(job.claim(), "1"))
                    .toList();
            fake.unavailable = ends.get(1).claim().jobId().toString();
            assertThat(catchThrowableOfType(LonghaulException.class, () -> store.apply(ends))
                            .code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
            fake.unavailable = "";

            assertThat(store.apply(ends)).containsExactly(Verdict.WON, Verdict.WON);
            assertThat(fake.ends).extracting(CompleteJobRequest::getTaskToken).doesNotHaveDuplicates();
        }

        @Test
        void keep_their_verdicts_while_the_server_is_killed_and_restarted() throws Exception {
            List<Transition> ends = store.claim(claimOf("near", "far")).stream()
                    .map(job -> Transition.succeed(job.claim(), "1"))
                    .toList();
            fake.killAfter(1, RpcWorkSourceTest.this::kill);

            assertThat(catchThrowableOfType(LonghaulException.class, () -> store.apply(ends))
                            .code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
            fake.killAfter(Integer.MAX_VALUE, () -> {});
            restart();

            assertThat(store.apply(ends)).containsExactly(Verdict.WON, Verdict.WON);
            assertThat(ends)
                    .allSatisfy(
                            end -> assertThat(store.find(end.claim().jobId())).isPresent());
        }
    }

    private static void await(BooleanSupplier condition) {
        long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - until).as("waited too long").isNegative();
            Thread.onSpinWait();
        }
    }

    private Claim claim() {
        var request = ClaimRequest.of("far", List.of("far"), Set.of(DefinitionRef.parse("task@1")), 1, LEASE);
        return store.claim(request).get(0).claim();
    }

    @Test
    void a_run_that_has_just_ended_does_not_prevent_other_renewals() {
        Claim ended = claim();
        Claim going = claim();
        store.apply(List.of(Transition.succeed(ended, "1")));

        assertThat(store.extend(List.of(ended, going), LEASE))
                .extracting(LeaseRenewal::held)
                .containsExactly(false, true);
    }

    @Test
    void an_end_whose_response_was_lost_can_be_reported_again_after_the_lease_expired() {
        Claim claim = claim();
        fake.update = Status.NOT_FOUND;

        assertThat(store.extend(List.of(claim), LEASE))
                .extracting(LeaseRenewal::held)
                .containsExactly(false);
        assertThat(store.apply(List.of(Transition.succeed(claim, "1")))).containsExactly(Verdict.WON);
    }

    @Test
    void lost_runs_are_forgotten_eventually() {
        Claim first = claim();
        fake.update = Status.NOT_FOUND;
        store.extend(List.of(first), LEASE);
        assertThat(store.steps(first.jobId())).hasSize(1);
        for (int i = 0; i < 100; i++) {
            store.extend(List.of(claim()), LEASE);
        }

        assertThat(store.steps(first.jobId())).isEmpty();
    }

    @Test
    void a_404_from_a_proxy_with_an_unavailable_server_loses_nothing() {
        Claim claim = claim();
        fake.update = Status.UNIMPLEMENTED.withDescription("HTTP status code 404");

        assertThat(catchThrowableOfType(LonghaulException.class, () -> store.extend(List.of(claim), LEASE))
                        .code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
    }
}
