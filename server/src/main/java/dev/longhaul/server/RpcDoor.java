package dev.longhaul.server;

import com.linecorp.armeria.common.grpc.GrpcSerializationFormats;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.Route;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.grpc.GrpcService;
import dev.longhaul.Longhaul;
import dev.longhaul.access.Role;
import dev.longhaul.enqueue.Jobs;
import dev.longhaul.rpc.v1.JobEventsServiceGrpc;
import dev.longhaul.rpc.v1.JobServiceGrpc;
import dev.longhaul.server.connect.ConnectService;
import dev.longhaul.store.JobStore;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.util.Map;

/** The RPC services, by gRPC, gRPC-Web and Connect on the port of everything else. */
final class RpcDoor implements AutoCloseable {
    /** The largest message, in bytes. */
    static final int MESSAGE = 4 * 1024 * 1024;

    /** Who may call what; what is not here is open to all. */
    static final Map<String, Role> ROLES = Map.ofEntries(
            role(JobServiceGrpc.getEnqueueJobMethod(), Role.SUBMITTER),
            role(JobServiceGrpc.getCancelJobMethod(), Role.SUBMITTER),
            role(JobServiceGrpc.getGetJobMethod(), Role.VIEWER),
            role(JobServiceGrpc.getListJobsMethod(), Role.VIEWER),
            role(JobServiceGrpc.getDequeueJobMethod(), Role.WORKER),
            role(JobServiceGrpc.getUpdateJobMethod(), Role.WORKER),
            role(JobServiceGrpc.getCompleteJobMethod(), Role.WORKER),
            role(JobServiceGrpc.getRegisterDefinitionsMethod(), Role.WORKER),
            role(JobEventsServiceGrpc.getStreamJobEventsMethod(), Role.VIEWER),
            role(JobEventsServiceGrpc.getPublishJobEventsMethod(), Role.WORKER));

    private final GrpcService service;
    private final Dequeues dequeues;

    RpcDoor(Longhaul longhaul, Live live, Access access) {
        JobStore store = longhaul.store();
        Jobs jobs = longhaul.jobs();
        BuiltIn.registerIn(store.catalog());
        this.dequeues = new Dequeues(store);
        var tasks = new Tasks(store, jobs);
        this.service = GrpcService.builder()
                .addService(new JobRpc(store, jobs, tasks, dequeues))
                .addService(new JobEventsRpc(store, live, tasks))
                .addService(ProtoReflectionServiceV1.newInstance())
                .enableHealthCheckService(true)
                .intercept(new RpcAccess(access, ROLES))
                .exceptionHandler(new RpcProblem())
                .supportedSerializationFormats(GrpcSerializationFormats.values())
                .useBlockingTaskExecutor(true)
                .maxRequestMessageLength(MESSAGE)
                .build();
    }

    private static Map.Entry<String, Role> role(MethodDescriptor<?, ?> method, Role role) {
        return Map.entry(method.getFullMethodName(), role);
    }

    void addTo(ServerBuilder builder) {
        HttpService connect = new ConnectService(service, MESSAGE);
        for (Route route : service.routes()) {
            // A stream may be of any length; its messages may not.
            builder.route().addRoute(route).maxRequestLength(0).build(connect);
        }
    }

    Dequeues dequeues() {
        return dequeues;
    }

    /** Ends what waits for jobs. */
    @Override
    public void close() {
        dequeues.close();
    }
}
