package dev.longhaul.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.api.http.Caller;
import dev.longhaul.contract.InterceptedStore;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RunAt;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Store;
import dev.longhaul.work.ClaimRequest;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class DequeuesTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
    private final MemoryStore memory = new MemoryStore(now::get);
    private final CountDownLatch quietPolled = new CountDownLatch(1);
    private final CompletableFuture<Consumer<Signal>> listening = new CompletableFuture<>();

    /** A store that signals work in the queue "busy" after every claim there. */
    private Store busy() {
        return InterceptedStore.of(memory, (method, arguments, call) -> {
            if (method.getName().equals("listen")) {
                @SuppressWarnings("unchecked")
                var listener = (Consumer<Signal>) arguments[0];
                listening.complete(listener);
            }
            Object answer = call.goOn();
            if (arguments.length > 0 && arguments[0] instanceof ClaimRequest claim) {
                if (claim.queues().contains("busy")) {
                    listening.join().accept(new Signal(Signal.Kind.WORK, "busy"));
                } else {
                    quietPolled.countDown();
                }
            }
            return answer;
        });
    }

    private static DequeuePoll poll(String queue, Responses responses) {
        var options = new DequeuePoll.Options(
                Caller.LOCAL,
                queue,
                null,
                1,
                false,
                Duration.ofMinutes(1),
                Duration.ZERO,
                ClaimRequest.Begin.ALL,
                "worker");
        return new DequeuePoll(options, responses, claimed -> JobProto.handed(claimed, List.of()));
    }

    @Test
    void a_busy_queue_does_not_delay_due_jobs_of_others() throws Exception {
        memory.jobs()
                .insert(List.of(JobSpec.of(DefinitionRef.parse("task@1"), "{}")
                        .queue("quiet")
                        .runTime(RunAt.after(Duration.ofHours(1)))
                        .build()));
        var quiet = new Responses();
        try (var dequeues = new Dequeues(busy())) {
            dequeues.begin(poll("busy", new Responses()));
            dequeues.begin(poll("quiet", quiet));
            quietPolled.await();
            now.updateAndGet(time -> time.plus(Duration.ofHours(2)));

            assertThat(quiet.first.get(10, TimeUnit.SECONDS).getQueue()).isEqualTo("quiet");
        }
    }

    @Test
    void an_error_after_a_claim_gives_the_jobs_back_and_a_poll_gets_them() throws Exception {
        memory.jobs()
                .insert(List.of(JobSpec.of(DefinitionRef.parse("task@1"), "{}")
                        .queue("q")
                        .build()));
        var planted = new AtomicInteger(2);
        Store failing = InterceptedStore.of(memory, (method, arguments, call) -> {
            Object answer = call.goOn();
            if (method.getName().equals("claim") && planted.getAndDecrement() > 0) {
                throw new OutOfMemoryError("planted");
            }
            return answer;
        });
        var responses = new Responses();
        try (var dequeues = new Dequeues(failing)) {
            dequeues.begin(poll("q", responses));
            assertThat(responses.first.get(20, TimeUnit.SECONDS).getQueue()).isEqualTo("q");
        }
    }

    /** A connected client. */
    private static final class Responses extends ServerCallStreamObserver<DequeueJobResponse> {
        final CompletableFuture<DequeueJobResponse> first = new CompletableFuture<>();

        @Override
        public void onNext(DequeueJobResponse task) {
            first.complete(task);
        }

        @Override
        public void onError(Throwable failure) {
            first.completeExceptionally(failure);
        }

        @Override
        public void onCompleted() {}

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {}

        @Override
        public void setOnReadyHandler(Runnable handler) {}

        @Override
        public void setCompression(String compression) {}

        @Override
        public void disableAutoInboundFlowControl() {}

        @Override
        public void request(int count) {}

        @Override
        public void setMessageCompression(boolean enable) {}
    }
}
