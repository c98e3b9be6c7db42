package dev.longhaul.client;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.loop.Loops;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.rpc.v1.CancelJobRequest;
import dev.longhaul.rpc.v1.EnqueueJobRequest;
import dev.longhaul.rpc.v1.EventType;
import dev.longhaul.rpc.v1.GetJobRequest;
import dev.longhaul.rpc.v1.Job;
import dev.longhaul.rpc.v1.JobEvent;
import dev.longhaul.rpc.v1.JobEventsServiceGrpc;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.rpc.v1.ListJobsRequest;
import dev.longhaul.rpc.v1.ListJobsResponse;
import dev.longhaul.rpc.v1.StreamJobEventsRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.Context;
import io.grpc.ForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An RPC client of a Longhaul server: enqueues, cancels, lists and follows jobs. {@link RemoteWorker} runs jobs with it. */
public final class LonghaulClient implements AutoCloseable {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long PAUSE_MILLIS = 500;
    /**
     * Maximum bytes of a response. A dequeued job contains all its steps, for which gRPC's default limit of 4 MiB is
     * too small.
     */
    private static final int LARGEST_RESPONSE = 300 << 20;
    /** How long the server may be silent before a keep-alive ping is sent, and how long the ping may take. */
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);

    private static final Duration RECONNECT = Duration.ofSeconds(1);
    private static final List<EventType> ENDS =
            List.of(EventType.EVENT_TYPE_SUCCEEDED, EventType.EVENT_TYPE_FAILED, EventType.EVENT_TYPE_CANCELLED);

    private final ManagedChannel connection;
    private final Channel channel;
    private final ScheduledExecutorService deadlines = Executors.newSingleThreadScheduledExecutor(work -> {
        var thread = new Thread(work, "longhaul-client");
        thread.setDaemon(true);
        return thread;
    });

    private LonghaulClient(ManagedChannel connection, @Nullable String key) {
        this.connection = connection;
        this.channel = key == null ? connection : ClientInterceptors.intercept(connection, new WithKey(key));
        var unused = deadlines.scheduleWithFixedDelay(
                Loops.guarded("client-reconnect", this::reconnect),
                RECONNECT.toMillis(),
                RECONNECT.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /**
     * Reconnects immediately. Otherwise gRPC's backoff would grow to two minutes, and leases would expire although the
     * server is available again.
     */
    private void reconnect() {
        if (connection.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
            connection.resetConnectBackoff();
        }
    }

    /**
     * Returns a client of the server at the given URL, such as {@code http://127.0.0.1:8080}.
     *
     * @param key an API key; null if the server requires none
     */
    public static LonghaulClient connect(URI server, @Nullable String key) {
        boolean plain = "http".equalsIgnoreCase(server.getScheme());
        int port = server.getPort() >= 0 ? server.getPort() : plain ? 80 : 443;
        ManagedChannelBuilder<?> builder = ManagedChannelBuilder.forAddress(server.getHost(), port)
                .maxInboundMessageSize(LARGEST_RESPONSE)
                .keepAliveTime(KEEP_ALIVE.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(KEEP_ALIVE.toMillis(), TimeUnit.MILLISECONDS);
        if (plain) {
            builder.usePlaintext();
        }
        return new LonghaulClient(builder.build(), key);
    }

    private record WithKey(String key) implements ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            return new ForwardingClientCall.SimpleForwardingClientCall<>(next.newCall(method, options)) {
                @Override
                public void start(Listener<A> listener, Metadata headers) {
                    headers.put(AUTHORIZATION, "Bearer " + key);
                    super.start(listener, headers);
                }
            };
        }

        @Override
        public String toString() {
            return "WithKey";
        }
    }

    /** Returns the channel to the server, for your own stubs. */
    public Channel channel() {
        return channel;
    }

    private JobServiceGrpc.JobServiceBlockingStub jobs() {
        return JobServiceGrpc.newBlockingStub(channel).withDeadlineAfter(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    // Creating and cancelling jobs

    /** Enqueues a job of this version of the definition. */
    public <P> JobId enqueue(JobDefinition<P, ?> definition, P params, JobOptions options) {
        return enqueue(definition.ref().toString(), definition.params().write(params), options);
    }

    /**
     * Enqueues a job by definition: {@code key} or {@code key@version}. With an idempotency key, which must be a UUID,
     * a repeated call returns the first job.
     */
    public JobId enqueue(String definition, String params, JobOptions options) {
        var request = EnqueueJobRequest.newBuilder()
                .setDefinition(definition)
                .setParams(params)
                .putAllLabels(options.labels())
                .setHold(options.hold());
        given(options.idempotencyKey(), request::setRequestId);
        given(options.queue(), request::setQueue);
        given(options.name(), request::setName);
        given(options.priority(), request::setPriority);
        given(options.maxAttempts(), request::setMaxAttempts);
        given(options.correlationId(), request::setCorrelationId);
        given(options.traceparent(), request::setTraceparent);
        given(options.webhook(), webhook -> request.setWebhook(wire(webhook)));
        given(options.runAt(), at -> request.setRunAt(WireTime.of(at)));
        given(options.delay(), delay -> request.setDelay(WireTime.of(delay)));
        given(options.timeout(), timeout -> request.setTimeout(WireTime.of(timeout)));
        return JobId.parse(call(() -> jobs().enqueueJob(request.build())).getJobId());
    }

    private static dev.longhaul.rpc.v1.JobWebhook wire(JobWebhook webhook) {
        var wire = dev.longhaul.rpc.v1.JobWebhook.newBuilder().setUrl(webhook.url());
        webhook.events().forEach(event -> wire.addEvents(event.text()));
        given(webhook.secret(), wire::setSecret);
        return wire.build();
    }

    private static <T> void given(@Nullable T value, Consumer<T> set) {
        if (value != null) {
            set.accept(value);
        }
    }

    /** Cancels a waiting job immediately, and requests a running job to end. */
    public Job cancel(JobId id, String reason) {
        var request = CancelJobRequest.newBuilder().setJobId(id.toString()).setReason(reason);
        return call(() -> jobs().cancelJob(request.build())).getJob();
    }

    // Reading jobs

    public Job get(JobId id) {
        var request = GetJobRequest.newBuilder().setJobId(id.toString());
        return call(() -> jobs().getJob(request.build())).getJob();
    }

    /** Returns one page of jobs. */
    public ListJobsResponse list(ListJobsRequest request) {
        return call(() -> jobs().listJobs(request));
    }

    /** Passes the requested events of a job to the consumer until the job has ended. Resumes after a lost connection. */
    public void events(StreamJobEventsRequest request, Consumer<JobEvent> consumer) throws InterruptedException {
        follow(request, consumer, null);
    }

    /**
     * Waits until the job has ended, and returns it.
     *
     * @throws LonghaulException with code {@code unavailable} if it has not ended within {@code timeout}
     */
    public Job await(JobId id, Duration timeout) throws InterruptedException {
        var request = StreamJobEventsRequest.newBuilder()
                .setJobId(id.toString())
                .addAllTypes(ENDS)
                .build();
        try (var context = Context.current().withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS, deadlines)) {
            follow(request, event -> {}, context);
        }
        return get(id);
    }

    private void follow(
            StreamJobEventsRequest request, Consumer<JobEvent> consumer, Context.@Nullable CancellableContext within)
            throws InterruptedException {
        var next = request.toBuilder();
        while (true) {
            try {
                Runnable reading = () -> JobEventsServiceGrpc.newBlockingStub(channel)
                        .streamJobEvents(next.build())
                        .forEachRemaining(message -> message.getEventsList().forEach(event -> {
                            consumer.accept(event);
                            next.setAfterPosition(event.getPosition());
                        }));
                (within == null ? reading : within.wrap(reading)).run();
                return;
            } catch (StatusRuntimeException e) {
                LonghaulException failure = RpcFailure.of(e);
                boolean late = within != null && within.isCancelled();
                if (failure.code() != ErrorCode.UNAVAILABLE || late || connection.isShutdown()) {
                    throw late
                            ? new LonghaulException(ErrorCode.UNAVAILABLE, "timed out waiting for the job to end", e)
                            : failure;
                }
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private static <T> T call(Supplier<T> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException e) {
            throw RpcFailure.of(e);
        }
    }

    @Override
    public void close() {
        connection.shutdownNow();
        deadlines.shutdownNow();
    }
}
