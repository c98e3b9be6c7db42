package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.client.WireTime;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EventType;
import dev.longhaul.rpc.v1.NewEvent;
import dev.longhaul.rpc.v1.PublishJobEventsRequest;
import dev.longhaul.rpc.v1.PublishJobEventsResponse;
import dev.longhaul.rpc.v1.StreamJobEventsRequest;
import dev.longhaul.rpc.v1.StreamJobEventsResponse;
import dev.longhaul.testing.FaultVolume;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Streams that stay open for minutes, or transfer much data. */
@Tag("full")
class LongStreamsTest {
    private static final int HELD_SECONDS = FaultVolume.of(12, 90);
    private static final int MEGABYTES = FaultVolume.of(10, 50);
    private static final int EVENT = 50_000;

    private static TwoServers servers;

    @BeforeAll
    static void start() {
        servers = new TwoServers();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @Test
    void hold_for_minutes_and_carry_megabytes() throws Exception {
        try (var rpc = new Rpc(servers.first.port())) {
            rpc.enqueue("long", "{}");
            DequeueJobResponse task = rpc.dequeueOne("long");
            var bytes = new AtomicLong();
            var streamed = new CompletableFuture<Long>();
            rpc.eventsAsync.streamJobEvents(
                    StreamJobEventsRequest.newBuilder()
                            .setJobId(task.getJobId())
                            .addTypes(EventType.EVENT_TYPE_CUSTOM)
                            .build(),
                    new StreamObserver<StreamJobEventsResponse>() {
                        @Override
                        public void onNext(StreamJobEventsResponse message) {
                            message.getEventsList()
                                    .forEach(event ->
                                            bytes.addAndGet(event.getPayload().length()));
                        }

                        @Override
                        public void onError(Throwable failure) {
                            streamed.completeExceptionally(failure);
                        }

                        @Override
                        public void onCompleted() {
                            streamed.complete(bytes.get());
                        }
                    });
            int events = MEGABYTES * 1_000_000 / EVENT;
            long start = System.nanoTime();
            int last = publish(rpc, task, events);
            double held = (System.nanoTime() - start) / 1e9;
            rpc.jobs.completeJob(CompleteJobRequest.newBuilder()
                    .setTaskToken(task.getTaskToken())
                    .setJobId(task.getJobId())
                    .setSucceeded(CompleteJobRequest.Succeeded.getDefaultInstance())
                    .build());

            assertThat(last).isEqualTo(events);
            assertThat(streamed.get(60, TimeUnit.SECONDS)).isEqualTo((long) events * EVENT);
            FaultVolume.tell(
                    "%d MB published over one stream that was open for %.0f s, and received by another one",
                    MEGABYTES, held);
        }
    }

    /** Polls of the maximum duration, each started after the previous one. */
    @Test
    void polls_are_held_and_still_woken() throws Exception {
        try (var rpc = new Rpc(servers.first.port())) {
            long until = System.nanoTime() + Duration.ofSeconds(HELD_SECONDS).toNanos();
            var waiting = CompletableFuture.supplyAsync(() -> {
                while (true) {
                    var tasks = rpc.dequeue("held", 1, Duration.ofSeconds(30));
                    if (!tasks.isEmpty()) {
                        return tasks.get(0);
                    }
                }
            });
            while (System.nanoTime() - until < 0) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
            String id = rpc.enqueue("held", "{}");
            assertThat(waiting.get(5, TimeUnit.SECONDS).getJobId()).isEqualTo(id);
        }
    }

    /** Sends the events evenly over the time that the stream is open. */
    private static int publish(Rpc rpc, DequeueJobResponse task, int events) throws Exception {
        var room = new Semaphore(0);
        var answer = new CompletableFuture<Integer>();
        var to = new CompletableFuture<ClientCallStreamObserver<PublishJobEventsRequest>>();
        rpc.eventsAsync.publishJobEvents(
                new ClientResponseObserver<PublishJobEventsRequest, PublishJobEventsResponse>() {
                    @Override
                    public void beforeStart(ClientCallStreamObserver<PublishJobEventsRequest> stream) {
                        stream.setOnReadyHandler(room::release);
                        to.complete(stream);
                    }

                    @Override
                    public void onNext(PublishJobEventsResponse response) {
                        answer.complete(response.getLastSequence());
                    }

                    @Override
                    public void onError(Throwable failure) {
                        answer.completeExceptionally(failure);
                        room.release(1000);
                    }

                    @Override
                    public void onCompleted() {}
                });
        var stream = to.get();
        String payload = "{\"x\":\"" + "y".repeat(EVENT - 8) + "\"}";
        long start = System.nanoTime();
        for (int i = 1; i <= events; i++) {
            while (!stream.isReady() && !answer.isDone()) {
                boolean hasRoom = room.tryAcquire(1, TimeUnit.SECONDS);
                assertThat(hasRoom || !answer.isDone()).isTrue();
            }
            stream.onNext(PublishJobEventsRequest.newBuilder()
                    .setTaskToken(task.getTaskToken())
                    .addEvents(NewEvent.newBuilder()
                            .setSequence(i)
                            .setType(EventType.EVENT_TYPE_CUSTOM)
                            .setTime(WireTime.of(Instant.now()))
                            .setPayload(payload))
                    .build());
            long ahead = start + (long) (1e9 * HELD_SECONDS * i / events) - System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(Math.max(0, ahead));
        }
        stream.onCompleted();
        return answer.get(30, TimeUnit.SECONDS);
    }
}
