package dev.longhaul.server;

import dev.longhaul.error.Problems;
import dev.longhaul.server.tracing.Tracing;
import dev.longhaul.server.webhook.WebhookConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the doors are opened.
 *
 * @param port 0 takes a free one
 * @param publicUrl how clients reach this server, if not by its own address
 * @param allowedHosts names that a request may be addressed to, besides those of the machine's loopback and the public URL
 * @param trustedProxies CIDR blocks whose word about a client's address is taken
 * @param drain how long running requests may take when the server is asked to stop
 * @param rates how much a caller may ask for
 * @param allowedOrigins other sites whose pages may call the RPC services, such as {@code https://app.example.com}
 * @param webhooks how what happens is told to others
 * @param tracing where spans go; nowhere, unless something is set
 * @param log what changes how much is logged
 */
public record ServerConfig(
        String host,
        int port,
        @Nullable Tls tls,
        @Nullable URI publicUrl,
        List<String> allowedHosts,
        List<String> trustedProxies,
        Duration drain,
        RequestRates rates,
        List<String> allowedOrigins,
        WebhookConfig webhooks,
        Tracing tracing,
        LogLevel log) {

    private static final Pattern ORIGIN = Pattern.compile("https?://[a-z0-9.-]+(:[0-9]{1,5})?");

    /** Loopback, any free port. */
    public static final ServerConfig LOCAL =
            new ServerConfig("127.0.0.1", 0, null, null, List.of(), List.of(), Duration.ofSeconds(5));

    /** Certificate chain and private key, PEM files. */
    public record Tls(Path certificate, Path key) {}

    public ServerConfig(
            String host,
            int port,
            @Nullable Tls tls,
            @Nullable URI publicUrl,
            List<String> allowedHosts,
            List<String> trustedProxies,
            Duration drain) {
        this(
                host,
                port,
                tls,
                publicUrl,
                allowedHosts,
                trustedProxies,
                drain,
                RequestRates.USUAL,
                List.of(),
                WebhookConfig.USUAL,
                Tracing.OFF,
                LogLevel.ELSEWHERE);
    }

    public ServerConfig {
        allowedHosts = List.copyOf(allowedHosts);
        trustedProxies = List.copyOf(trustedProxies);
        allowedOrigins = List.copyOf(allowedOrigins);
        new Problems()
                .require(port >= 0 && port <= 65535, "port", port, "0 to 65535")
                .require(!host.isBlank(), "host", host, "a name or an address")
                .require(!drain.isNegative(), "drain", drain, ">= 0")
                .require(web(publicUrl), "publicUrl", publicUrl, "an address such as https://jobs.example.com")
                .require(
                        trustedProxies.stream().allMatch(Proxies::isBlock),
                        "trustedProxies",
                        trustedProxies,
                        "CIDR blocks such as 10.0.0.0/8")
                .require(
                        allowedOrigins.stream().allMatch(ServerConfig::origin),
                        "allowedOrigins",
                        allowedOrigins,
                        "origins such as https://app.example.com")
                .throwIfAny();
    }

    private static boolean origin(String text) {
        return ORIGIN.matcher(text).matches();
    }

    private static boolean web(@Nullable URI url) {
        return url == null
                || (url.getHost() != null
                        && ("https".equalsIgnoreCase(url.getScheme()) || "http".equalsIgnoreCase(url.getScheme())));
    }

    public ServerConfig withPort(int other) {
        return new ServerConfig(
                host,
                other,
                tls,
                publicUrl,
                allowedHosts,
                trustedProxies,
                drain,
                rates,
                allowedOrigins,
                webhooks,
                tracing,
                log);
    }

    public ServerConfig withDrain(Duration other) {
        return new ServerConfig(
                host,
                port,
                tls,
                publicUrl,
                allowedHosts,
                trustedProxies,
                other,
                rates,
                allowedOrigins,
                webhooks,
                tracing,
                log);
    }

    public ServerConfig withRates(RequestRates other) {
        return new ServerConfig(
                host,
                port,
                tls,
                publicUrl,
                allowedHosts,
                trustedProxies,
                drain,
                other,
                allowedOrigins,
                webhooks,
                tracing,
                log);
    }

    public ServerConfig withAllowedOrigins(List<String> others) {
        return new ServerConfig(
                host, port, tls, publicUrl, allowedHosts, trustedProxies, drain, rates, others, webhooks, tracing, log);
    }

    public ServerConfig withWebhooks(WebhookConfig other) {
        return new ServerConfig(
                host,
                port,
                tls,
                publicUrl,
                allowedHosts,
                trustedProxies,
                drain,
                rates,
                allowedOrigins,
                other,
                tracing,
                log);
    }

    public ServerConfig withTracing(Tracing other) {
        return new ServerConfig(
                host,
                port,
                tls,
                publicUrl,
                allowedHosts,
                trustedProxies,
                drain,
                rates,
                allowedOrigins,
                webhooks,
                other,
                log);
    }

    public ServerConfig withLog(LogLevel other) {
        return new ServerConfig(
                host,
                port,
                tls,
                publicUrl,
                allowedHosts,
                trustedProxies,
                drain,
                rates,
                allowedOrigins,
                webhooks,
                tracing,
                other);
    }
}
