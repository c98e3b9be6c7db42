package dev.longhaul.server.rpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.api.rest.JobJson;
import dev.longhaul.api.stream.EventStream;
import dev.longhaul.client.WireTime;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.JobEvent;
import dev.longhaul.internal.loop.Loops;
import dev.longhaul.job.Job;
import dev.longhaul.rpc.v1.EventType;
import dev.longhaul.rpc.v1.StreamJobEventsResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.netty.channel.Channel;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Sends a job's events in batches. The next message is built when the previous one was sent, so a slow client holds
 * only one message in memory. A client that reads nothing for too long is disconnected.
 */
final class RpcEvents implements EventStream.Sink {
    private static final int MOST_BYTES = 256 * 1024;
    private static final int MOST_EVENTS = 1000;
    private static final Duration CHECK_EVERY = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Map<dev.longhaul.event.EventType, EventType> TYPES = Arrays.stream(
                    dev.longhaul.event.EventType.values())
            .collect(Collectors.toMap(type -> type, type -> EventType.valueOf("EVENT_TYPE_" + type.name())));

    private final ServiceRequestContext context;
    private final ServerCallStreamObserver<StreamJobEventsResponse> observer;
    private final JobJson.View view;
    private StreamJobEventsResponse.Builder message = StreamJobEventsResponse.newBuilder();
    private int bytes;
    private boolean open = true;
    private long sentAt = System.nanoTime();

    RpcEvents(
            ServiceRequestContext context,
            ServerCallStreamObserver<StreamJobEventsResponse> observer,
            JobJson.View view) {
        this.context = context;
        this.observer = observer;
        this.view = view;
    }

    /** Starts to check whether the client reads, and disconnects it if it reads nothing for too long. */
    void watch() {
        ScheduledFuture<?> checking = context.eventLoop()
                .scheduleAtFixedRate(
                        Loops.guarded("stream-upkeep", this::cutOffIfStuck),
                        CHECK_EVERY.toMillis(),
                        CHECK_EVERY.toMillis(),
                        TimeUnit.MILLISECONDS);
        var unused = context.log().whenComplete().thenRun(() -> checking.cancel(false));
    }

    private synchronized void cutOffIfStuck() {
        if (isOpen() && !observer.isReady() && System.nanoTime() - sentAt > PATIENCE.toNanos()) {
            open = false;
            context.cancel(new LonghaulException(
                    ErrorCode.RESOURCE_EXHAUSTED, "timeout: no data was read for " + PATIENCE.toSeconds() + " s"));
            Channel channel = context.log().partial().channel();
            // With HTTP/1, unsent data would keep the connection open.
            if (channel != null && !context.sessionProtocol().isMultiplex()) {
                var unused = channel.close();
            }
        }
    }

    @Override
    public synchronized boolean isOpen() {
        return open && !observer.isCancelled();
    }

    @Override
    public synchronized boolean offer(JobEvent event) {
        if (!isOpen() || !observer.isReady()) {
            return false;
        }
        dev.longhaul.rpc.v1.JobEvent proto = proto(event);
        int size = proto.getSerializedSize();
        // An event that is larger than the limit is sent alone.
        if (message.getEventsCount() > 0 && (bytes + size > MOST_BYTES || message.getEventsCount() == MOST_EVENTS)) {
            return false;
        }
        message.addEvents(proto);
        bytes += size;
        return true;
    }

    private dev.longhaul.rpc.v1.JobEvent proto(JobEvent event) {
        String payload = event.payload();
        boolean hidden = view == JobJson.View.PUBLIC && JobJson.internal(event.type());
        return dev.longhaul.rpc.v1.JobEvent.newBuilder()
                .setJobId(event.jobId().toString())
                .setPosition(event.position())
                .setRun(event.run())
                .setSequence(event.sequence())
                .setType(TYPES.getOrDefault(event.type(), EventType.EVENT_TYPE_UNSPECIFIED))
                .setTime(WireTime.of(event.at()))
                .setPayload(payload == null || hidden ? "" : payload)
                .build();
    }

    @Override
    public synchronized void flush() {
        if (message.getEventsCount() > 0 && isOpen()) {
            sentAt = System.nanoTime();
            observer.onNext(message.build());
            message = StreamJobEventsResponse.newBuilder();
            bytes = 0;
        }
    }

    @Override
    public void end(Job job) {
        close();
    }

    @Override
    public synchronized void drain() {
        if (isOpen()) {
            open = false;
            observer.onError(new LonghaulException(
                    ErrorCode.UNAVAILABLE,
                    "this server is shutting down; resume after the last position on another server"));
        }
    }

    @Override
    public synchronized void close() {
        flush();
        if (isOpen()) {
            open = false;
            observer.onCompleted();
        }
    }
}
