package dev.longhaul.server.rpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.rest.JobJson;
import dev.longhaul.api.stream.EventStream;
import dev.longhaul.api.stream.JobStreams;
import dev.longhaul.client.WireTime;
import dev.longhaul.error.Problems;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.internal.store.Refusal;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.rpc.v1.JobEventsServiceGrpc;
import dev.longhaul.rpc.v1.PublishJobEventsRequest;
import dev.longhaul.rpc.v1.PublishJobEventsResponse;
import dev.longhaul.rpc.v1.StreamJobEventsRequest;
import dev.longhaul.rpc.v1.StreamJobEventsResponse;
import dev.longhaul.spi.Store;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Implements {@code JobEventsService}. A stream holds no thread; a publisher holds one only while a batch is being
 * stored.
 */
final class JobEventsRpc extends JobEventsServiceGrpc.JobEventsServiceImplBase {
    private static final String TYPE = "EVENT_TYPE_";

    private final Store store;
    private final JobStreams live;
    private final Tasks tasks;

    JobEventsRpc(Store store, JobStreams live, Tasks tasks) {
        this.store = store;
        this.live = live;
        this.tasks = tasks;
    }

    @Override
    public void streamJobEvents(StreamJobEventsRequest request, StreamObserver<StreamJobEventsResponse> observer) {
        EventQuery query = query(request);
        JobId id = query.jobId();
        Job job = store.jobs().find(id).orElseThrow(() -> Refusal.notFound(id));
        ServiceRequestContext context = ServiceRequestContext.current();
        var call = (ServerCallStreamObserver<StreamJobEventsResponse>) observer;
        var sink = new RpcEvents(context, call, JobJson.View.of(RpcAccess.caller()));
        var stream = new EventStream(sink, query);
        call.setOnReadyHandler(() -> live.roomFor(id, stream));
        call.setOnCancelHandler(() -> live.unfollow(id, stream));
        live.follow(job.id(), stream);
        sink.watch();
        var unused = context.log().whenComplete().thenRun(() -> live.unfollow(id, stream));
    }

    private static EventQuery query(StreamJobEventsRequest request) {
        var problems = new Problems();
        int run = request.getRun();
        problems.require(run >= 0, "run", run, ">= 1, or 0 for all");
        JobId id = problems.made(() -> JobId.parse(request.getJobId()));
        Instant from =
                request.hasFromTime() ? problems.made(() -> WireTime.instant("fromTime", request.getFromTime())) : null;
        Set<EventType> types = problems.made(() -> types(request.getTypesList()));
        problems.throwIfAny();
        if (id == null || types == null) {
            throw new IllegalStateException("unreachable: invalid requests were rejected above");
        }
        return new EventQuery(
                id,
                request.getAfterPosition(),
                run == 0 ? null : run,
                request.getFromSequence(),
                from,
                types,
                EventQuery.LARGEST_PAGE);
    }

    private static Set<EventType> types(List<dev.longhaul.rpc.v1.EventType> given) {
        if (given.contains(dev.longhaul.rpc.v1.EventType.EVENT_TYPE_UNSPECIFIED)) {
            return Set.of();
        }
        return given.stream().map(JobEventsRpc::type).collect(Collectors.toSet());
    }

    private static EventType type(dev.longhaul.rpc.v1.EventType type) {
        return switch (type) {
            case EVENT_TYPE_OUTPUT_BATCH -> EventType.OUTPUT;
            case UNRECOGNIZED, EVENT_TYPE_UNSPECIFIED ->
                throw Fields.bad("types", type.name(), "types of events such as EVENT_TYPE_LOG");
            default -> EventType.valueOf(type.name().substring(TYPE.length()));
        };
    }

    @Override
    public StreamObserver<PublishJobEventsRequest> publishJobEvents(StreamObserver<PublishJobEventsResponse> observer) {
        return new Publishing(store, tasks, RpcAccess.caller(), observer);
    }
}
