package dev.longhaul.cli.launch;

import dev.longhaul.Isolation;
import dev.longhaul.Longhaul;
import dev.longhaul.LonghaulBuilder;
import dev.longhaul.cli.launch.process.StartupTimes;
import dev.longhaul.cli.log.RunningLog;
import dev.longhaul.cli.secret.LocalServers;
import dev.longhaul.cli.secret.TokenFiles;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.kafka.KafkaEvents;
import dev.longhaul.kubernetes.PodExecutor;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.ServerConfig;
import dev.longhaul.server.access.Keys;
import dev.longhaul.server.access.LocalToken;
import dev.longhaul.server.rest.Readiness;
import dev.longhaul.server.tracing.SpanExport;
import dev.longhaul.spi.Store;
import dev.longhaul.webhook.EventSink;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A started process: the store, the server with the maintenance tasks, and a worker. The worker is a separate {@link
 * Longhaul}, so that a worker with newer code can replace it while the server continues.
 */
final class Running implements AutoCloseable {
    private final LaunchConfig config;
    private final OpenStore store;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final List<CompletableFuture<Void>> leaving = new ArrayList<>();
    private final SpanExport spans;
    private final OpenIntake intake;
    private final Readiness readiness;
    private final RunningLog log = Logging.running();
    private LoadedJobs jobs;
    private @Nullable Longhaul base;
    private @Nullable LonghaulServer server;
    private @Nullable LocalToken token;
    private @Nullable Longhaul worker;
    private @Nullable MetricsPort metricsPort;
    private PodsConfig.@Nullable Meters podMeters;

    private Running(LaunchConfig config, OpenStore store, OpenIntake intake, LoadedJobs jobs) {
        this.config = config;
        this.store = store;
        this.intake = intake;
        this.jobs = jobs;
        this.spans = SpanExport.start(config.traces(), store.meters().registry());
        this.readiness = new Readiness(intake.before(store.store()));
        parts.push(spans);
        parts.push(store);
        parts.push(intake);
    }

    static Running start(LaunchConfig config, StartupTimes times) {
        // In parallel, because opening the store waits for PostgreSQL and loading the jobs waits for the class loader.
        var opening = CompletableFuture.supplyAsync(
                () -> OpenStore.open(config, times), task -> new Thread(task, "longhaul-open").start());
        LoadedJobs jobs;
        try {
            jobs = LoadedJobs.load(config.jobs());
            times.mark("definitions loaded");
        } catch (RuntimeException | Error e) {
            opening.thenAccept(OpenStore::close)
                    .exceptionally(alsoFailed -> null)
                    .join();
            throw e;
        }
        OpenStore store = opened(opening, jobs);
        OpenIntake intake;
        try {
            intake = OpenIntake.open(config, store);
        } catch (RuntimeException | Error e) {
            Closing.all(List.of(store, jobs));
            throw e;
        }
        var running = new Running(config, store, intake, jobs);
        try {
            running.startParts(times);
            return running;
        } catch (RuntimeException | Error e) {
            running.close();
            throw e;
        }
    }

    private static OpenStore opened(CompletableFuture<OpenStore> opening, LoadedJobs jobs) {
        try {
            return opening.join();
        } catch (CompletionException e) {
            jobs.close();
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private void startParts(StartupTimes times) {
        if (config.plays(ProcessRole.API) || config.plays(ProcessRole.SCHEDULER)) {
            LonghaulBuilder builder = builder(jobs, intake.before(store.store()));
            base = config.plays(ProcessRole.SCHEDULER)
                    ? builder.maintenanceOnly().start()
                    : builder.enqueueOnly().start();
            parts.push(base);
            times.mark("engine started");
        }
        if (config.plays(ProcessRole.API) && base != null) {
            Path adminKeyFile = config.access().adminKeyFile();
            if (adminKeyFile != null) {
                Keys.addFirst(base.store().access(), adminKeyFile);
            }
            token = localToken(base);
            server = open(base);
            parts.push(server);
            if (config.access().tokenDirectory() != null && config.server().onLoopback()) {
                URI url = URI.create(Banner.url(config.server(), server.port()));
                parts.push(LocalServers.of(System.getenv()).add(url, token == null ? "" : token.secret()));
            }
            times.mark("port open");
        }
        if (config.plays(ProcessRole.WORKER)) {
            worker = worker(jobs);
            times.mark("worker started");
        }
        MetricsPort.Config metrics = config.metrics();
        if (metrics != null) {
            metricsPort = MetricsPort.open(metrics, this::metrics, readiness::check);
            parts.push(metricsPort);
        }
    }

    /** Returns the metrics of this process and, if it serves the API, of the cluster. */
    private String metrics() {
        return server == null ? store.scrape() : server.metrics();
    }

    /** Returns the token that local callers must send; null if API keys exist, or if callers cannot run commands. */
    private @Nullable LocalToken localToken(Longhaul longhaul) {
        Path directory = config.access().tokenDirectory();
        if (directory == null
                || !config.server().onLoopback()
                || longhaul.store().access().anyKey()) {
            return null;
        }
        return TokenFiles.open(directory);
    }

    private LonghaulServer open(Longhaul longhaul) {
        ServerConfig serverConfig = config.server()
                .withTracing(spans.tracing())
                .withLog(log)
                .withMeters(store.meters())
                .withWebhooks(config.server().webhooks().withTopics(topics()));
        try {
            return LonghaulServer.start(longhaul, token == null ? serverConfig : serverConfig.withLocalToken(token));
        } catch (CompletionException e) {
            if (e.getCause() instanceof IOException cause) {
                throw new LonghaulException(
                        ErrorCode.UNAVAILABLE,
                        "port: " + config.server().listen().port() + " on "
                                + config.server().listen().host() + " (expected: a free one; " + cause.getMessage()
                                + ")",
                        e);
            }
            throw e;
        }
    }

    /** Returns what sends events to topics; null without Kafka. */
    private @Nullable EventSink topics() {
        KafkaConfig kafka = config.kafka();
        if (kafka == null) {
            return null;
        }
        var topics = KafkaEvents.open(kafka.cluster());
        parts.push(topics);
        return topics;
    }

    private Longhaul worker(LoadedJobs with) {
        LonghaulBuilder builder = builder(with, store.store()).noMaintenance();
        PodsConfig pods = config.work().pods();
        if (pods != null) {
            PodExecutor executor = pods.executor(store.label(), config.work().cancelGrace());
            if (podMeters == null) {
                podMeters = new PodsConfig.Meters(store.meters().registry());
            }
            podMeters.add(executor);
            builder.executor(Isolation.KUBERNETES, executor);
        }
        return builder.start();
    }

    private LonghaulBuilder builder(LoadedJobs with, Store of) {
        WorkConfig work = config.work();
        LonghaulBuilder builder = store.into(Longhaul.builder(), of)
                .register(with.definitions())
                .slots(work.slots())
                .lease(work.lease())
                .cancelGrace(work.cancelGrace())
                .drain(work.drain())
                .retention(work.retention())
                .logFailures(work.logFailures())
                .traceBy(spans.tracing().ofRuns());
        String user = work.processUser();
        if (user != null) {
            builder.processUser(user);
        }
        return work.queues().isEmpty() ? builder : builder.queues(work.queues());
    }

    /** Returns the token that local callers must send; null if they need no token, or if they need an API key. */
    @Nullable
    LocalToken token() {
        return token;
    }

    /** Returns the port of the API; 0 if this process does not serve the API. */
    int port() {
        return server == null ? 0 : server.port();
    }

    /** Returns the URL that serves metrics without a key; null if disabled. */
    @Nullable
    String metricsUrl() {
        return metricsPort == null ? null : metricsPort.url();
    }

    synchronized LoadedJobs jobs() {
        return jobs;
    }

    /**
     * Replaces the worker. After this returns, only the new code starts jobs. Running jobs of the old code continue.
     */
    synchronized void replace(LoadedJobs newer) {
        Longhaul old = worker;
        LoadedJobs oldJobs = jobs;
        if (old == null) {
            return;
        }
        worker = worker(newer);
        jobs = newer;
        if (base != null) {
            base.registry().become(newer.registry());
        }
        old.stopClaiming();
        leaving.removeIf(CompletableFuture::isDone);
        leaving.add(CompletableFuture.runAsync(
                () -> Closing.all(List.of(old, oldJobs)), task -> new Thread(task, "longhaul-old-worker").start()));
    }

    /**
     * Makes the readiness check fail and ends streams, then drains the worker. Other requests are served until the
     * drain is complete.
     */
    @Override
    public synchronized void close() {
        readiness.drain();
        if (server != null) {
            server.drain();
        }
        if (worker != null) {
            Closing.all(List.of(worker));
        }
        leaving.forEach(CompletableFuture::join);
        Closing.all(parts);
        jobs.close();
    }
}
