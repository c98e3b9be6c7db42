package dev.longhaul.client;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import dev.longhaul.event.NewEvent;
import dev.longhaul.rpc.v1.JobEventsServiceGrpc;
import dev.longhaul.rpc.v1.PublishJobEventsRequest;
import dev.longhaul.rpc.v1.PublishJobEventsResponse;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Publishes events of runs. Each report is one stream, split into messages of limited size. */
final class RpcEventPublisher {
    private static final int MOST_BYTES = 1 << 20;

    private final JobEventsServiceGrpc.JobEventsServiceStub events;
    private final Duration timeout;

    RpcEventPublisher(Channel channel, Duration timeout) {
        this.events = JobEventsServiceGrpc.newStub(channel);
        this.timeout = timeout;
    }

    ListenableFuture<@Nullable PublishJobEventsResponse> publish(String token, List<NewEvent> report) {
        var response = new Response();
        StreamObserver<PublishJobEventsRequest> batches = events.withDeadlineAfter(
                        timeout.toMillis(), TimeUnit.MILLISECONDS)
                .publishJobEvents(response);
        var batch = PublishJobEventsRequest.newBuilder().setTaskToken(token);
        int bytes = 0;
        Instant latest = Instant.MIN;
        for (NewEvent event : report) {
            // The server rejects decreasing times, which a correction of this machine's clock can cause.
            Instant at = event.at() == null ? Instant.now() : event.at();
            latest = at.isAfter(latest) ? at : latest;
            var proto = Outgoing.event(event, latest);
            if (bytes > 0 && bytes + proto.getSerializedSize() > MOST_BYTES) {
                batches.onNext(batch.build());
                batch = PublishJobEventsRequest.newBuilder();
                bytes = 0;
            }
            batch.addEvents(proto);
            bytes += proto.getSerializedSize();
        }
        batches.onNext(batch.build());
        batches.onCompleted();
        return response.stored;
    }

    private static final class Response implements StreamObserver<PublishJobEventsResponse> {
        final SettableFuture<@Nullable PublishJobEventsResponse> stored = SettableFuture.create();

        @Override
        public void onNext(PublishJobEventsResponse response) {
            stored.set(response);
        }

        @Override
        public void onError(Throwable failure) {
            stored.setException(failure);
        }

        @Override
        public void onCompleted() {
            stored.set(null);
        }
    }
}
