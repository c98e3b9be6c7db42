package dev.longhaul.server;

import dev.longhaul.error.Problems;
import dev.longhaul.observe.Meters;
import dev.longhaul.server.access.Callers;
import dev.longhaul.server.access.LocalToken;
import dev.longhaul.server.access.RequestRates;
import dev.longhaul.server.rest.LogLevel;
import dev.longhaul.server.tracing.Tracing;
import dev.longhaul.server.webhook.WebhookConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the HTTP server.
 *
 * @param drain how long running requests may take during a graceful shutdown
 * @param webhooks settings of webhook deliveries
 * @param tracing creates and sends spans; {@link Tracing#OFF} sends none
 * @param log changes the log level at runtime
 * @param meters metrics of this process, in a Prometheus registry; null publishes only those of the whole cluster
 */
public record ServerConfig(
        Listen listen,
        Callers callers,
        Duration drain,
        WebhookConfig webhooks,
        Tracing tracing,
        LogLevel log,
        @Nullable Meters meters) {

    /** Listens on loopback, on any free port. */
    public static final ServerConfig LOCAL = new ServerConfig(
            new Listen("127.0.0.1", 0, null),
            new Callers(null, List.of(), List.of()),
            Duration.ofSeconds(5),
            WebhookConfig.USUAL,
            Tracing.OFF,
            LogLevel.ELSEWHERE,
            null);

    /**
     * The address that the server listens on.
     *
     * @param port 0 selects a free port
     * @param maxConnections maximum number of open connections; further connections are closed as soon as they are
     * accepted
     */
    public record Listen(String host, int port, @Nullable Tls tls, int maxConnections) {
        public Listen {
            new Problems()
                    .require(maxConnections >= 1, "maxConnections", maxConnections, ">= 1")
                    .require(port >= 0 && port <= 65535, "port", port, "0 to 65535")
                    .require(!host.isBlank(), "host", host, "a name or an address")
                    .throwIfAny();
        }

        /** Uses the connection limit that {@link OpenFiles} computes. */
        public Listen(String host, int port, @Nullable Tls tls) {
            this(host, port, tls, OpenFiles.maxConnections());
        }
    }

    /** The certificate chain and the private key, as PEM files. */
    public record Tls(Path certificate, Path key) {}

    public ServerConfig {
        new Problems()
                .require(!drain.isNegative(), "drain", drain, ">= 0")
                .require(
                        meters == null || meters.registry() instanceof PrometheusMeterRegistry,
                        "meters",
                        meters == null ? null : meters.registry(),
                        "meters in a PrometheusMeterRegistry")
                .throwIfAny();
    }

    /** Returns whether only callers on this machine can reach the address. */
    public boolean onLoopback() {
        return StartRules.onLoopback(this);
    }

    public ServerConfig withListen(Listen other) {
        return new ServerConfig(other, callers, drain, webhooks, tracing, log, meters);
    }

    public ServerConfig withPort(int port) {
        return withListen(new Listen(listen.host(), port, listen.tls(), listen.maxConnections()));
    }

    public ServerConfig withCallers(Callers other) {
        return new ServerConfig(listen, other, drain, webhooks, tracing, log, meters);
    }

    public ServerConfig withRates(RequestRates rates) {
        return withCallers(new Callers(
                callers.publicUrl(),
                callers.allowedHosts(),
                callers.trustedProxies(),
                callers.allowedOrigins(),
                rates,
                callers.localToken()));
    }

    public ServerConfig withLocalToken(LocalToken token) {
        return withCallers(new Callers(
                callers.publicUrl(),
                callers.allowedHosts(),
                callers.trustedProxies(),
                callers.allowedOrigins(),
                callers.rates(),
                token));
    }

    public ServerConfig withDrain(Duration other) {
        return new ServerConfig(listen, callers, other, webhooks, tracing, log, meters);
    }

    public ServerConfig withWebhooks(WebhookConfig other) {
        return new ServerConfig(listen, callers, drain, other, tracing, log, meters);
    }

    public ServerConfig withTracing(Tracing other) {
        return new ServerConfig(listen, callers, drain, webhooks, other, log, meters);
    }

    public ServerConfig withLog(LogLevel other) {
        return new ServerConfig(listen, callers, drain, webhooks, tracing, other, meters);
    }

    public ServerConfig withMeters(Meters other) {
        return new ServerConfig(listen, callers, drain, webhooks, tracing, log, other);
    }
}
