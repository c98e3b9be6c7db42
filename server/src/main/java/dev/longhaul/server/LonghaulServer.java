package dev.longhaul.server;

import com.linecorp.armeria.common.SessionProtocol;
import com.linecorp.armeria.common.TlsKeyPair;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import dev.longhaul.Longhaul;
import dev.longhaul.enqueue.Jobs;
import dev.longhaul.store.JobStore;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The HTTP doors to a running {@link Longhaul}, which stays the caller's. */
public final class LonghaulServer implements AutoCloseable {
    /** Long enough for any answer, short enough that a client is told; streams and long polls have none. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(30);

    private static final int BLOCKING_THREADS = 96;

    private final Server server;
    private final Readiness readiness;
    private final Live live;
    private final List<Route> routes;

    private LonghaulServer(Server server, List<Route> routes, Readiness readiness, Live live) {
        this.server = server;
        this.routes = List.copyOf(routes);
        this.readiness = readiness;
        this.live = live;
    }

    /** Opens the doors; they are open when this returns. */
    public static LonghaulServer start(Longhaul longhaul, ServerConfig config) {
        JobStore store = longhaul.store();
        var readiness = new Readiness(store);
        var live = new Live(store);
        var access = new Access(store.access(), config);
        ServerBuilder builder = Server.builder()
                .requestTimeout(REQUEST_TIMEOUT)
                .maxRequestLength(Route.BODY)
                .verboseResponses(false)
                .blockingTaskExecutor(BLOCKING_THREADS)
                .gracefulShutdownTimeout(Duration.ofMillis(200), config.drain())
                .errorHandler(new Failures());
        listen(builder, config);
        List<Route> routes = routes(longhaul, live, readiness, access);
        for (Route route : routes) {
            builder.route()
                    .methods(route.method())
                    .path(route.path())
                    .maxRequestLength(Math.max(1, route.largestBody()))
                    .build(new RouteService(route, access));
        }
        builder.serviceUnder("/", (context, request) -> Problem.of(Failures.noSuchPath(context.path())));
        builder.decorator(access.guard());
        Server server = builder.build();
        server.start().join();
        return new LonghaulServer(server, routes, readiness, live);
    }

    /** Every operation there is: what is not here does not exist, and each says who may call it. */
    static List<Route> routes(Longhaul longhaul, Live live, Readiness readiness, Access access) {
        JobStore store = longhaul.store();
        Jobs jobs = longhaul.jobs();
        var json = new JobJson(new Secrets(store.catalog()));
        var reads = new ReadRoutes(store, json);
        var routes = new ArrayList<Route>();
        routes.addAll(new SubmitRoutes(jobs, json).routes());
        routes.addAll(reads.routes());
        routes.addAll(new LiveRoutes(live, reads, json).routes());
        routes.addAll(new JobRoutes(store, jobs, json).routes());
        routes.addAll(new BulkRoutes(store).routes());
        routes.addAll(new ClusterRoutes(longhaul).routes());
        routes.addAll(new AccessRoutes(store.access(), access).routes());
        routes.addAll(new DocsRoutes().routes());
        routes.addAll(readiness.routes());
        return routes;
    }

    private static void listen(ServerBuilder builder, ServerConfig config) {
        var address = new InetSocketAddress(config.host(), config.port());
        builder.port(address, config.tls() == null ? SessionProtocol.HTTP : SessionProtocol.HTTPS);
        ServerConfig.Tls tls = config.tls();
        if (tls != null) {
            builder.tls(TlsKeyPair.of(tls.key().toFile(), tls.certificate().toFile()));
        }
    }

    List<Route> routes() {
        return routes;
    }

    /** The port that it listens on. */
    public int port() {
        return server.activeLocalPort();
    }

    Live live() {
        return live;
    }

    /** From now on it is not ready, and streams end with a hint to come back; requests are still answered. */
    public void drain() {
        readiness.drain();
        live.close();
    }

    @Override
    public void close() {
        drain();
        server.stop().join();
    }
}
