package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.client.WireTime;
import dev.longhaul.event.EventQuery;
import dev.longhaul.job.JobId;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EventType;
import dev.longhaul.rpc.v1.JobEvent;
import dev.longhaul.rpc.v1.NewEvent;
import dev.longhaul.rpc.v1.PublishJobEventsRequest;
import dev.longhaul.rpc.v1.StreamJobEventsRequest;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import dev.longhaul.testing.FaultVolume;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Replayed and live events while a publisher is fast, sends duplicates, and dies. */
@Tag("full")
class EventsUnderFireTest {
    private static final int PER_SECOND = 5000;
    private static final int BATCH = 250;
    private static final int SECONDS = FaultVolume.of(3, 15);
    private static final List<EventType> TYPES =
            List.of(EventType.EVENT_TYPE_CUSTOM, EventType.EVENT_TYPE_LOG, EventType.EVENT_TYPE_PROCESS_ERROR);

    private final long seed = FaultVolume.seed();
    private final Random random = new Random(seed);

    @Test
    void every_stream_sees_every_matching_event_once_and_in_order() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (var servers = new TwoServers();
                var rpc = new Rpc(servers.first.port())) {
            rpc.enqueue("fire", "{}");
            DequeueJobResponse first = rpc.dequeueOne("fire");
            JobId id = JobId.parse(first.getJobId());
            var streams = new ArrayList<CompletableFuture<List<JobEvent>>>();
            var requests = new ArrayList<StreamJobEventsRequest>();
            for (int i = 0; i < 10; i++) {
                StreamJobEventsRequest request = request(id, i);
                int delay = random.nextInt(2000 * SECONDS);
                requests.add(request);
                // Half of the streams are on the other server, which the publisher is not connected to; limits are per
                // server.
                int port = i % 2 == 0 ? servers.first.port() : servers.second.port();
                streams.add(CompletableFuture.supplyAsync(() -> follow(port, request, delay), threads));
            }
            long start = System.nanoTime();
            publish(rpc, first);
            double rate = SECONDS * PER_SECOND / ((System.nanoTime() - start) / 1e9);
            // The worker releases the job; another one takes it.
            rpc.jobs.updateJob(UpdateJobRequest.newBuilder()
                    .setTaskToken(first.getTaskToken())
                    .setQueue("fire")
                    .setVisibilityTimeout(Rpc.duration(Duration.ofSeconds(1)))
                    .build());
            DequeueJobResponse second =
                    rpc.dequeue("fire", 1, Duration.ofSeconds(30)).get(0);
            publish(rpc, second);
            rpc.jobs.completeJob(CompleteJobRequest.newBuilder()
                    .setTaskToken(second.getTaskToken())
                    .setJobId(id.toString())
                    .setSucceeded(CompleteJobRequest.Succeeded.getDefaultInstance())
                    .build());

            List<dev.longhaul.event.JobEvent> stored = stored(servers, id);
            long seen = 0;
            for (int i = 0; i < streams.size(); i++) {
                List<Integer> got = streams.get(i).get(60, TimeUnit.SECONDS).stream()
                        .map(JobEvent::getPosition)
                        .toList();
                assertThat(got).as("stream %d, seed %d", i, seed).isEqualTo(matching(stored, requests.get(i)));
                seen += got.size();
            }
            assertThat(stored.stream().filter(event -> event.sequence() > 0)).hasSize(2 * SECONDS * PER_SECOND);
            FaultVolume.tell(
                    "%d events published at %.0f/s, 5%% of the batches twice, 2 runs; 10 streams saw %d, each once and in order",
                    stored.size(), rate, seen);
        } finally {
            threads.shutdownNow();
        }
    }

    private StreamJobEventsRequest request(JobId id, int number) {
        var request = StreamJobEventsRequest.newBuilder().setJobId(id.toString());
        switch (number % 5) {
            case 1 -> request.addTypes(TYPES.get(random.nextInt(TYPES.size())));
            case 2 -> request.setRun(2).setFromSequence(1 + random.nextInt(1000));
            case 3 -> request.setAfterPosition(random.nextInt(SECONDS * PER_SECOND));
            case 4 -> request.setRun(1).addTypes(EventType.EVENT_TYPE_CUSTOM).addTypes(EventType.EVENT_TYPE_LOST);
            default -> request.addTypes(EventType.EVENT_TYPE_UNSPECIFIED);
        }
        return request.build();
    }

    private static List<JobEvent> follow(int port, StreamJobEventsRequest request, int delay) {
        var events = new ArrayList<JobEvent>();
        try (var rpc = new Rpc(port)) {
            TimeUnit.MILLISECONDS.sleep(delay);
            rpc.events.streamJobEvents(request).forEachRemaining(message -> events.addAll(message.getEventsList()));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return events;
    }

    /** Publishes at a rate; sends every twentieth batch twice, and sometimes continues with a new stream. */
    private void publish(Rpc rpc, DequeueJobResponse task) throws Exception {
        int batches = SECONDS * PER_SECOND / BATCH;
        var answer = new CompletableFuture<Integer>();
        StreamObserver<PublishJobEventsRequest> to = rpc.publish(answer);
        long start = System.nanoTime();
        for (int batch = 0; batch < batches; batch++) {
            PublishJobEventsRequest request = batch(task, batch);
            to.onNext(request);
            if (random.nextInt(20) == 0) {
                to.onNext(request);
            }
            if (batch % 20 == 19) {
                to.onCompleted();
                assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo((batch + 1) * BATCH);
                answer = new CompletableFuture<>();
                to = rpc.publish(answer);
            }
            long ahead = start + (long) ((batch + 1) * 1e9 * BATCH / PER_SECOND) - System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(Math.max(0, ahead));
        }
        // Without events, only to get the last sequence.
        to.onNext(PublishJobEventsRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .build());
        to.onCompleted();
        assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(batches * BATCH);
    }

    private PublishJobEventsRequest batch(DequeueJobResponse task, int batch) {
        var request = PublishJobEventsRequest.newBuilder().setTaskToken(task.getTaskToken());
        for (int i = 1; i <= BATCH; i++) {
            request.addEvents(NewEvent.newBuilder()
                    .setSequence(batch * BATCH + i)
                    .setType(TYPES.get(i % TYPES.size()))
                    .setTime(WireTime.of(Instant.now()))
                    .setPayload("{\"message\":\"number " + i + "\"}"));
        }
        return request.build();
    }

    private static List<dev.longhaul.event.JobEvent> stored(TwoServers servers, JobId id) {
        var all = new ArrayList<dev.longhaul.event.JobEvent>();
        var page = servers.asking.store().jobs().events(EventQuery.of(id));
        while (!page.isEmpty()) {
            all.addAll(page);
            page = servers.asking.store().jobs().events(EventQuery.of(id).after(all.size()));
        }
        return all;
    }

    /** The positions of the requested events, computed independently of the server. */
    private static List<Integer> matching(List<dev.longhaul.event.JobEvent> stored, StreamJobEventsRequest request) {
        List<String> types = request.getTypesList().stream()
                .map(type -> type.name().substring("EVENT_TYPE_".length()))
                .toList();
        return stored.stream()
                .filter(event -> event.position() > request.getAfterPosition())
                .filter(event -> request.getRun() == 0 || event.run() == request.getRun())
                .filter(event -> event.sequence() >= request.getFromSequence())
                .filter(event -> types.isEmpty()
                        || types.contains("UNSPECIFIED")
                        || types.contains(event.type().name()))
                .map(dev.longhaul.event.JobEvent::position)
                .toList();
    }
}
