package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.longhaul.client.WireTime;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EventType;
import dev.longhaul.rpc.v1.JobEvent;
import dev.longhaul.rpc.v1.NewEvent;
import dev.longhaul.rpc.v1.Output;
import dev.longhaul.rpc.v1.OutputStream;
import dev.longhaul.rpc.v1.PublishJobEventsFailure;
import dev.longhaul.rpc.v1.PublishJobEventsRequest;
import dev.longhaul.rpc.v1.StreamJobEventsRequest;
import dev.longhaul.rpc.v1.StreamJobEventsResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class JobEventsServiceTest {
    private static final String QUEUE = "far";

    @RegisterExtension
    final Doors doors = new Doors();

    final Rpc rpc = new Rpc(doors.port());

    @AfterEach
    void close() {
        rpc.close();
    }

    private DequeueJobResponse running() {
        rpc.enqueue(QUEUE, "{}");
        return rpc.dequeueOne(QUEUE);
    }

    private void succeed(DequeueJobResponse task) {
        rpc.jobs.completeJob(CompleteJobRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .setJobId(task.getJobId())
                .setSucceeded(CompleteJobRequest.Succeeded.getDefaultInstance())
                .build());
    }

    private static NewEvent event(int sequence, EventType type) {
        return NewEvent.newBuilder()
                .setSequence(sequence)
                .setType(type)
                .setTime(WireTime.of(Instant.now()))
                .build();
    }

    private static List<NewEvent> custom(int... sequences) {
        return IntStream.of(sequences)
                .mapToObj(sequence -> event(sequence, EventType.EVENT_TYPE_CUSTOM))
                .toList();
    }

    @SafeVarargs
    private int publish(DequeueJobResponse task, List<NewEvent>... batches) {
        var answer = new CompletableFuture<Integer>();
        StreamObserver<PublishJobEventsRequest> batch = rpc.publish(answer);
        for (List<NewEvent> events : batches) {
            batch.onNext(PublishJobEventsRequest.newBuilder()
                    .setTaskToken(task.getTaskToken())
                    .addAllEvents(events)
                    .build());
        }
        batch.onCompleted();
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw (StatusRuntimeException) e.getCause();
        }
    }

    private static List<JobEvent> all(Iterator<StreamJobEventsResponse> stream) {
        var all = new ArrayList<JobEvent>();
        stream.forEachRemaining(message -> all.addAll(message.getEventsList()));
        return all;
    }

    private Iterator<StreamJobEventsResponse> stream(StreamJobEventsRequest.Builder request) {
        return rpc.events.streamJobEvents(request.build());
    }

    private static StreamJobEventsRequest.Builder of(DequeueJobResponse task) {
        return StreamJobEventsRequest.newBuilder().setJobId(task.getJobId());
    }

    @Nested
    class Publish {
        @Test
        void stores_what_is_new_and_skips_what_was_sent_before() {
            DequeueJobResponse task = running();

            assertThat(publish(task, custom(1, 2), custom(2, 5))).isEqualTo(5);
            assertThat(publish(task, custom(1, 2))).isEqualTo(5);
            succeed(task);
            assertThat(all(stream(of(task).addTypes(EventType.EVENT_TYPE_CUSTOM))))
                    .extracting(JobEvent::getSequence)
                    .containsExactly(1, 2, 5);
        }

        @Test
        void stores_events_that_arrive_after_later_ones() {
            DequeueJobResponse task = running();

            assertThat(publish(task, custom(7))).isEqualTo(7);
            assertThat(publish(task, custom(6))).isEqualTo(7);
            assertThat(publish(task, custom(6, 7))).isEqualTo(7);
            succeed(task);
            assertThat(all(stream(of(task).addTypes(EventType.EVENT_TYPE_CUSTOM))))
                    .extracting(JobEvent::getSequence)
                    .containsExactly(7, 6);
        }

        @Test
        void refuses_times_that_run_backwards_within_a_batch() {
            DequeueJobResponse task = running();
            Instant now = Instant.now();

            assertThat(publish(task, List.of(at(1, now), at(2, now.minusMillis(900)), at(3, now))))
                    .isEqualTo(3);
            var failure = failed(task, List.of(at(4, now), at(5, now.minusMillis(1100))));
            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(failure.getStatus().getDescription()).contains("events[1].time");
        }

        private NewEvent at(int sequence, Instant time) {
            return NewEvent.newBuilder(event(sequence, EventType.EVENT_TYPE_CUSTOM))
                    .setTime(WireTime.of(time))
                    .build();
        }

        @Test
        void stores_nothing_of_a_batch_that_is_out_of_order_and_returns_the_last_sequence() {
            DequeueJobResponse task = running();
            var failure = failed(task, custom(1, 2), custom(3, 5, 4), custom(6));

            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(Rpc.detail(failure, PublishJobEventsFailure.class).getLastSequence())
                    .isEqualTo(2);
        }

        @Test
        void refuses_events_without_a_time_or_from_the_future_or_of_other_types() {
            DequeueJobResponse task = running();
            Timestamp ahead = WireTime.of(Instant.now().plusSeconds(360));
            var failure = failed(
                    task,
                    List.of(
                            NewEvent.newBuilder(custom(1).get(0)).clearTime().build(),
                            NewEvent.newBuilder(custom(2).get(0)).setTime(ahead).build(),
                            event(3, EventType.EVENT_TYPE_SUCCEEDED),
                            event(4, EventType.EVENT_TYPE_OUTPUT),
                            NewEvent.newBuilder(custom(5).get(0))
                                    .setPayload("{")
                                    .build()));

            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(failure.getStatus().getDescription())
                    .contains(
                            "events[0].time",
                            "events[1].time",
                            "events[2].type",
                            "events[3].outputs",
                            "events[4].payload");
        }

        @Test
        void refuses_tokens_that_no_longer_hold() {
            DequeueJobResponse task = running();
            succeed(task);

            assertThat(failed(task, custom(1)).getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
        }

        @Test
        void keeps_output_byte_by_byte() {
            DequeueJobResponse task = running();
            var out = Output.newBuilder()
                    .setStream(OutputStream.OUTPUT_STREAM_STDOUT)
                    .setData(ByteString.copyFrom("half a line", StandardCharsets.UTF_8));
            var bytes = Output.newBuilder()
                    .setStream(OutputStream.OUTPUT_STREAM_STDERR)
                    .setData(ByteString.copyFrom(new byte[] {-1, 0}));
            publish(
                    task,
                    List.of(
                            event(1, EventType.EVENT_TYPE_OUTPUT).toBuilder()
                                    .addOutputs(out)
                                    .build(),
                            event(2, EventType.EVENT_TYPE_OUTPUT_BATCH).toBuilder()
                                    .addOutputs(out)
                                    .addOutputs(bytes)
                                    .build()));
            succeed(task);

            assertThat(all(stream(of(task).addTypes(EventType.EVENT_TYPE_OUTPUT))))
                    .extracting(JobEvent::getPayload)
                    .containsExactly(
                            "{\"stream\":\"stdout\",\"text\":\"half a line\"}",
                            "{\"outputs\":[{\"stream\":\"stdout\",\"text\":\"half a line\"},{\"stream\":\"stderr\",\"base64\":\"/wA=\"}]}");
        }

        @Test
        void stores_a_heartbeat_only_now_and_then() {
            DequeueJobResponse task = running();
            publish(
                    task,
                    List.of(event(1, EventType.EVENT_TYPE_HEARTBEAT), event(2, EventType.EVENT_TYPE_HEARTBEAT)),
                    custom(3));
            succeed(task);

            assertThat(all(stream(of(task).setRun(1).setFromSequence(1))))
                    .extracting(JobEvent::getSequence)
                    .containsExactly(1, 3);
        }

        @SafeVarargs
        private StatusRuntimeException failed(DequeueJobResponse task, List<NewEvent>... batches) {
            return catchThrowableOfType(StatusRuntimeException.class, () -> publish(task, batches));
        }
    }

    @Nested
    class Stream {
        @Test
        void replays_and_continues_until_the_job_has_ended() {
            DequeueJobResponse task = running();
            publish(task, custom(1));
            Iterator<StreamJobEventsResponse> stream = stream(of(task));
            assertThat(stream.next().getEventsList())
                    .extracting(JobEvent::getType)
                    .containsExactly(
                            EventType.EVENT_TYPE_CREATED, EventType.EVENT_TYPE_STARTED, EventType.EVENT_TYPE_CUSTOM);
            publish(task, custom(2));
            succeed(task);

            assertThat(all(stream))
                    .extracting(JobEvent::getType)
                    .containsExactly(EventType.EVENT_TYPE_CUSTOM, EventType.EVENT_TYPE_SUCCEEDED);
        }

        @Test
        void starts_at_the_requested_position() {
            DequeueJobResponse task = running();
            publish(task, custom(1, 2, 3));
            succeed(task);

            assertThat(all(stream(of(task).setAfterPosition(4))))
                    .extracting(JobEvent::getPosition)
                    .containsExactly(5, 6);
            assertThat(all(stream(of(task).setRun(1).setFromSequence(3))))
                    .extracting(JobEvent::getSequence)
                    .containsExactly(3);
            assertThat(all(stream(of(task).setFromTime(WireTime.of(Instant.now().plusSeconds(60))))))
                    .isEmpty();
        }

        @Test
        void the_eleventh_of_a_job_is_refused() {
            DequeueJobResponse task = running();
            for (int i = 0; i < 10; i++) {
                assertThat(stream(of(task)).hasNext()).isTrue();
            }
            var failure = catchThrowableOfType(
                    StatusRuntimeException.class, () -> stream(of(task)).hasNext());

            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        }

        @Test
        void a_client_that_leaves_makes_room_for_another() {
            DequeueJobResponse task = running();
            try (var leaving = new Rpc(doors.port())) {
                for (int i = 0; i < 10; i++) {
                    assertThat(leaving.events.streamJobEvents(of(task).build()).hasNext())
                            .isTrue();
                }
            }
            while (doors.server().live().streams() > 0) {
                Thread.onSpinWait();
            }
            assertThat(stream(of(task)).hasNext()).isTrue();
        }

        @Test
        void of_an_unknown_job_is_not_found() {
            var failure = catchThrowableOfType(
                    StatusRuntimeException.class,
                    () -> stream(StreamJobEventsRequest.newBuilder()
                                    .setJobId(UUID.randomUUID().toString()))
                            .hasNext());

            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
        }
    }
}
