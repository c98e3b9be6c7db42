package dev.longhaul.server.rpc;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.grpc.GrpcSerializationFormats;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.Route;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.cors.CorsService;
import com.linecorp.armeria.server.grpc.GrpcService;
import dev.longhaul.Longhaul;
import dev.longhaul.api.rest.BuiltIn;
import dev.longhaul.api.stream.JobStreams;
import dev.longhaul.server.access.Access;
import dev.longhaul.server.http.StrictJson;
import dev.longhaul.server.rpc.connect.ConnectService;
import dev.longhaul.server.tracing.Tracing;
import dev.longhaul.spi.Store;
import dev.longhaul.usecase.Jobs;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** The RPC services, over gRPC, gRPC-Web and Connect, on the same port as the REST API. */
public final class RpcServices implements AutoCloseable {
    /** Maximum bytes of a message. */
    static final int MESSAGE = 4 * 1024 * 1024;

    private final GrpcService service;
    private final RpcAccess gate;
    private final Dequeues dequeues;

    public RpcServices(Longhaul longhaul, JobStreams live, Access access, Tracing tracing) {
        Store store = longhaul.store();
        Jobs jobs = longhaul.jobs();
        BuiltIn.registerIn(store.catalog());
        this.dequeues = new Dequeues(store);
        var tasks = new Tasks(store, jobs);
        var json = new StrictJson();
        var problems = new RpcProblem();
        this.gate = new RpcAccess(access, RpcRoles.ALL, problems);
        this.service = GrpcService.builder()
                .addService(new JobRpc(store, jobs, tasks, dequeues, tracing))
                .addService(new JobEventsRpc(store, live, tasks))
                .addService(ProtoReflectionServiceV1.newInstance())
                .enableHealthCheckService(true)
                .intercept(new RpcCalls(access))
                .exceptionHandler(problems)
                .supportedSerializationFormats(GrpcSerializationFormats.values())
                .jsonMarshallerFactory(service -> json)
                .useBlockingTaskExecutor(true)
                .maxRequestMessageLength(MESSAGE)
                .build();
        RpcRoles.ALL.requireDeclared(service.methods().keySet());
    }

    public void addTo(ServerBuilder builder, List<String> origins) {
        HttpService connect = new ConnectService(service, MESSAGE).decorate(gate);
        if (!origins.isEmpty()) {
            connect = connect.decorate(cors(origins));
        }
        for (Route route : service.routes()) {
            // Unlimited, because streams have no maximum length. Each message is limited.
            builder.route().addRoute(route).maxRequestLength(0).build(connect);
        }
    }

    /**
     * Returns the CORS rules: the origins whose pages may call the services, and the headers that they may send and
     * read.
     */
    private static Function<? super HttpService, CorsService> cors(List<String> origins) {
        return CorsService.builder(origins)
                .allowRequestMethods(HttpMethod.POST, HttpMethod.GET)
                .allowRequestHeaders(
                        "authorization",
                        "content-type",
                        "content-encoding",
                        "connect-protocol-version",
                        "connect-timeout-ms",
                        "connect-accept-encoding",
                        "connect-content-encoding",
                        "grpc-timeout",
                        "traceparent",
                        "x-grpc-web",
                        "x-user-agent")
                .exposeHeaders("grpc-status", "grpc-message", "grpc-status-details-bin")
                .maxAge(Duration.ofHours(2))
                .newDecorator();
    }

    public Dequeues dequeues() {
        return dequeues;
    }

    /** Ends all polls that wait for jobs. */
    @Override
    public void close() {
        dequeues.close();
    }
}
