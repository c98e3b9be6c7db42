package dev.longhaul.server.access;

import dev.longhaul.error.Problems;
import dev.longhaul.server.outbound.AddressRules;
import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings for callers: names of the server, trusted proxies and origins, rate limits.
 *
 * @param publicUrl the URL that clients use, if it differs from the server's own address
 * @param allowedHosts accepted Host names, besides those of loopback and of the public URL
 * @param trustedProxies CIDR blocks of proxies whose forwarding headers are trusted
 * @param allowedOrigins other origins whose pages may call the RPC services, such as {@code https://app.example.com}
 * @param rates rate limits
 * @param localToken the token that local callers must send while no API key exists; null means that all local callers
 * are admins
 */
public record Callers(
        @Nullable URI publicUrl,
        List<String> allowedHosts,
        List<String> trustedProxies,
        List<String> allowedOrigins,
        RequestRates rates,
        @Nullable LocalToken localToken) {
    private static final Pattern ORIGIN = Pattern.compile("https?://[a-z0-9.-]+(:[0-9]{1,5})?");

    public Callers {
        allowedHosts = List.copyOf(allowedHosts);
        trustedProxies = List.copyOf(trustedProxies);
        allowedOrigins = List.copyOf(allowedOrigins);
        new Problems()
                .require(web(publicUrl), "publicUrl", publicUrl, "an address such as https://jobs.example.com")
                .require(
                        trustedProxies.stream().allMatch(AddressRules::isBlock),
                        "trustedProxies",
                        trustedProxies,
                        "CIDR blocks such as 10.0.0.0/8")
                .require(
                        allowedOrigins.stream().allMatch(Callers::origin),
                        "allowedOrigins",
                        allowedOrigins,
                        "origins such as https://app.example.com")
                .throwIfAny();
    }

    /** Creates settings without other origins, and with the default rate limits. */
    public Callers(@Nullable URI publicUrl, List<String> allowedHosts, List<String> trustedProxies) {
        this(publicUrl, allowedHosts, trustedProxies, List.of(), RequestRates.USUAL, null);
    }

    private static boolean origin(String text) {
        return ORIGIN.matcher(text).matches();
    }

    private static boolean web(@Nullable URI url) {
        return url == null
                || (url.getHost() != null
                        && ("https".equalsIgnoreCase(url.getScheme()) || "http".equalsIgnoreCase(url.getScheme())));
    }
}
