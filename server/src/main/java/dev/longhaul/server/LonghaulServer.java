package dev.longhaul.server;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.SessionProtocol;
import com.linecorp.armeria.common.TlsKeyPair;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServerListener;
import dev.longhaul.Longhaul;
import dev.longhaul.api.ApiRoutes;
import dev.longhaul.api.dashboard.DashboardRoutes;
import dev.longhaul.api.http.Failures;
import dev.longhaul.api.http.Method;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Route;
import dev.longhaul.api.stream.JobStreams;
import dev.longhaul.internal.loop.Closing;
import dev.longhaul.observe.Meters;
import dev.longhaul.server.access.Access;
import dev.longhaul.server.access.SecretFile;
import dev.longhaul.server.http.ArmeriaRequest;
import dev.longhaul.server.http.ArmeriaResponse;
import dev.longhaul.server.http.PlainHttpRefusal;
import dev.longhaul.server.http.ServerErrors;
import dev.longhaul.server.rest.AccessRoutes;
import dev.longhaul.server.rest.LogRoutes;
import dev.longhaul.server.rest.MetricsRoutes;
import dev.longhaul.server.rest.Readiness;
import dev.longhaul.server.rpc.RpcServices;
import dev.longhaul.server.webhook.WebhookSender;
import dev.longhaul.spi.Store;
import io.micrometer.core.instrument.Gauge;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The HTTP server of a running {@link Longhaul}. Closing the server does not stop that Longhaul. */
public final class LonghaulServer implements AutoCloseable {
    /** A graceful shutdown ends when no request has arrived for this long. */
    private static final Duration QUIET = Duration.ofMillis(200);
    /**
     * How long to accept requests that a client sent before it received GOAWAY (HTTP/2). Armeria's default is one
     * second.
     */
    private static final Duration ON_ITS_WAY = Duration.ofMillis(100);

    /**
     * Interval of pings that detect clients that disappeared without closing their connection. The connection is closed
     * after twice this time.
     */
    private static final Duration PING = Duration.ofSeconds(10);

    private static final int BLOCKING_THREADS = 96;
    private static final int EVENT_LOOPS = Math.max(2, Runtime.getRuntime().availableProcessors());

    private final Server server;
    private final Readiness readiness;
    private final JobStreams live;
    private final RpcServices rpc;
    private final List<Route> routes;
    private final MetricsRoutes metrics;
    private final WebhookSender webhooks;

    private LonghaulServer(
            Server server,
            List<Route> routes,
            MetricsRoutes metrics,
            Readiness readiness,
            JobStreams live,
            RpcServices rpc,
            WebhookSender webhooks) {
        this.server = server;
        this.routes = List.copyOf(routes);
        this.metrics = metrics;
        this.readiness = readiness;
        this.live = live;
        this.rpc = rpc;
        this.webhooks = webhooks;
    }

    /** Starts the server. It accepts requests when this method returns. */
    public static LonghaulServer start(Longhaul longhaul, ServerConfig config) {
        Store store = longhaul.store();
        var readiness = new Readiness(store);
        StartRules.check(store.access(), config);
        var live = new JobStreams(store);
        var access =
                new Access(store.access(), config.callers(), config.listen().host(), config.onLoopback());
        var rpc = new RpcServices(longhaul, live, access, config.tracing());
        ServerBuilder builder = Server.builder()
                .requestTimeout(Route.ANSWER)
                .pingInterval(PING)
                .maxRequestLength(Route.BODY)
                .maxNumConnections(config.listen().maxConnections())
                .verboseResponses(false)
                // Failures and RpcProblem log the errors of handlers. All other exceptions come from disconnected
                // clients.
                .unloggedExceptionsReportInterval(Duration.ZERO)
                .blockingTaskExecutor(BLOCKING_THREADS)
                .gracefulShutdownTimeout(atMost(config.drain(), QUIET), config.drain())
                .connectionDrainDuration(atMost(config.drain(), ON_ITS_WAY))
                .bossGroupFactory(name -> new EventLoops(name, 1))
                .workerGroup(new EventLoops("longhaul-http", EVENT_LOOPS), true)
                .errorHandler(new ServerErrors(DefaultHeaders.of(config)));
        listen(builder, config);
        DefaultHeaders.addTo(builder, config);
        var metrics = new MetricsRoutes(meters(live, config), store);
        List<Route> routes = routes(longhaul, live, metrics, readiness, access, config);
        for (Route route : routes) {
            builder.route()
                    .methods(HttpMethod.valueOf(route.method().name()))
                    .path(route.path())
                    .maxRequestLength(Math.max(1, route.largestBody()))
                    .build(access.serve(route));
        }
        otherMethods(builder, routes, access);
        rpc.addTo(builder, config.callers().allowedOrigins());
        builder.serviceUnder(
                "/",
                access.open((context, request) -> ArmeriaResponse.of(Problem.of(Failures.noSuchPath(context.path())))));
        builder.decorator(access.guard());
        builder.serverListener(ServerListener.builder()
                .whenStopping(stopping -> access.audit().close())
                .build());
        Server server = builder.build();
        try {
            server.start().join();
        } catch (RuntimeException e) {
            live.close();
            rpc.close();
            throw e;
        }
        var webhooks = WebhookSender.start(store.deliveries(), store.work(), config.webhooks(), config.tracing());
        return new LonghaulServer(server, routes, metrics, readiness, live, rpc, webhooks);
    }

    private static Duration atMost(Duration drain, Duration most) {
        return drain.compareTo(most) < 0 ? drain : most;
    }

    /** Returns all routes of the REST API, each with the role it requires. */
    static List<Route> routes(
            Longhaul longhaul,
            JobStreams live,
            MetricsRoutes metrics,
            Readiness readiness,
            Access access,
            ServerConfig config) {
        Store store = longhaul.store();
        var routes = new ArrayList<>(ApiRoutes.of(
                longhaul,
                live,
                access.audit(),
                config.tracing(),
                config.callers().publicUrl()));
        routes.addAll(metrics.routes());
        routes.addAll(new AccessRoutes(store.access(), access).routes());
        routes.addAll(new LogRoutes(config.log(), store.access()).routes());
        routes.addAll(
                new DashboardRoutes((call, token) -> access.localCookie(ArmeriaRequest.context(call), token)).routes());
        routes.addAll(readiness.routes());
        return routes;
    }

    /** Returns the metrics of this process, with the number of its open streams. */
    private static Meters meters(JobStreams live, ServerConfig config) {
        Meters given = config.meters();
        Meters meters = given == null ? new Meters(PrometheusRegistry.create()) : given;
        Gauge.builder("longhaul.streams", live, JobStreams::streams)
                .description("Open event streams on this server.")
                .register(meters.registry());
        return meters;
    }

    /**
     * Responds with 405 to unsupported methods of known paths. Otherwise they would get the 404 of the catch-all
     * service.
     */
    private static void otherMethods(ServerBuilder builder, List<Route> routes, Access access) {
        var byPath = routes.stream()
                .collect(groupingBy(Route::path, mapping(Route::method, toCollection(() -> new TreeSet<>()))));
        byPath.forEach((path, methods) -> builder.route()
                .methods(EnumSet.complementOf(unrouted(methods)))
                .path(path)
                .build(access.open((context, request) ->
                        ArmeriaResponse.of(Failures.otherMethod(context.method().name(), methods)))));
    }

    private static EnumSet<HttpMethod> unrouted(Set<Method> methods) {
        var all = EnumSet.complementOf(EnumSet.copyOf(HttpMethod.knownMethods()));
        methods.forEach(method -> all.add(HttpMethod.valueOf(method.name())));
        return all;
    }

    private static void listen(ServerBuilder builder, ServerConfig config) {
        var address =
                new InetSocketAddress(config.listen().host(), config.listen().port());
        ServerConfig.Tls tls = config.listen().tls();
        builder.port(address, tls == null ? SessionProtocol.HTTP : SessionProtocol.HTTPS);
        if (tls != null) {
            SecretFile.warnIfOpen(tls.key(), "the private key of the certificate");
            builder.childChannelPipelineCustomizer(pipeline -> pipeline.addFirst(new PlainHttpRefusal()));
            builder.tls(TlsKeyPair.of(tls.key().toFile(), tls.certificate().toFile()));
        }
    }

    /** Returns all routes of the REST API. */
    public List<Route> routes() {
        return routes;
    }

    /** Returns the port that the server listens on. */
    public int port() {
        // activeLocalPort() finds only ports that listen on loopback or on all addresses, so it is not used here.
        return requireNonNull(server.activePort()).localAddress().getPort();
    }

    public JobStreams live() {
        return live;
    }

    /** Returns all metrics of this process and of the cluster, in Prometheus' text format. */
    public String metrics() {
        return metrics.text();
    }

    RpcServices rpc() {
        return rpc;
    }

    /**
     * Makes the readiness check fail, and ends all streams with a request to reconnect. Other requests are still
     * served.
     */
    public void drain() {
        readiness.drain();
        new Closing().part(live::close).part(rpc::close).throwIfAny();
    }

    @Override
    public void close() {
        new Closing()
                .part(this::drain)
                .part(() -> server.stop().join())
                .part(webhooks::close)
                .throwIfAny();
    }
}
