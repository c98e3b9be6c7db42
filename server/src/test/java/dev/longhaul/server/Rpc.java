package dev.longhaul.server;

import dev.longhaul.rpc.v1.DequeueJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EnqueueJobRequest;
import dev.longhaul.rpc.v1.JobEventsServiceGrpc;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.PublishJobEventsRequest;
import dev.longhaul.rpc.v1.PublishJobEventsResponse;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A client of the RPC services: grpc-java's own, over a real socket. */
final class Rpc implements AutoCloseable {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    final ManagedChannel channel;
    final JobServiceGrpc.JobServiceBlockingStub jobs;
    final JobEventsServiceGrpc.JobEventsServiceBlockingStub events;
    final JobEventsServiceGrpc.JobEventsServiceStub eventsAsync;

    Rpc(int port) {
        this(port, null);
    }

    Rpc(int port, @Nullable String key) {
        channel = ManagedChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .maxInboundMessageSize(16 << 20)
                .build();
        var headers = new Metadata();
        if (key != null) {
            headers.put(AUTHORIZATION, "Bearer " + key);
        }
        var with = MetadataUtils.newAttachHeadersInterceptor(headers);
        jobs = JobServiceGrpc.newBlockingStub(channel).withInterceptors(with);
        events = JobEventsServiceGrpc.newBlockingStub(channel).withInterceptors(with);
        eventsAsync = JobEventsServiceGrpc.newStub(channel).withInterceptors(with);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }

    /** Enqueues a task and returns its id. */
    String enqueue(String queue, String params) {
        return jobs.enqueueJob(EnqueueJobRequest.newBuilder()
                        .setQueue(queue)
                        .setParams(params)
                        .build())
                .getJobId();
    }

    List<DequeueJobResponse> dequeue(String queue, int max, Duration wait) {
        return dequeue(request(queue, max, wait).build());
    }

    List<DequeueJobResponse> dequeue(DequeueJobRequest request) {
        var all = new ArrayList<DequeueJobResponse>();
        jobs.dequeueJob(request).forEachRemaining(all::add);
        return all;
    }

    /** Opens a stream of events; the response completes the future. */
    StreamObserver<PublishJobEventsRequest> publish(CompletableFuture<Integer> lastSequence) {
        return eventsAsync.publishJobEvents(new StreamObserver<PublishJobEventsResponse>() {
            @Override
            public void onNext(PublishJobEventsResponse response) {
                lastSequence.complete(response.getLastSequence());
            }

            @Override
            public void onError(Throwable failure) {
                lastSequence.completeExceptionally(failure);
            }

            @Override
            public void onCompleted() {}
        });
    }

    DequeueJobResponse dequeueOne(String queue) {
        return dequeue(queue, 1, Duration.ofSeconds(10)).get(0);
    }

    static DequeueJobRequest.Builder request(String queue, int max, Duration wait) {
        return DequeueJobRequest.newBuilder().setQueue(queue).setMaxJobs(max).setWait(duration(wait));
    }

    static com.google.protobuf.Duration duration(Duration duration) {
        return com.google.protobuf.Duration.newBuilder()
                .setSeconds(duration.toSeconds())
                .setNanos(duration.toNanosPart())
                .build();
    }

    /** The detail of an error with the given type. */
    static <T extends com.google.protobuf.Message> T detail(StatusRuntimeException failure, Class<T> type) {
        try {
            for (var detail :
                    Objects.requireNonNull(StatusProto.fromThrowable(failure)).getDetailsList()) {
                if (detail.is(type)) {
                    return detail.unpack(type);
                }
            }
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("no " + type.getSimpleName() + " in " + failure);
    }
}
