package dev.longhaul.server.access;

import dev.longhaul.error.Problems;
import dev.longhaul.server.outbound.AddressRules;
import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who may call the server, and how much.
 *
 * @param publicUrl how clients reach this server, if not by its own address
 * @param allowedHosts names that a request may be addressed to, besides those of the machine's loopback and the public URL
 * @param trustedProxies CIDR blocks whose word about a client's address is taken
 * @param allowedOrigins other sites whose pages may call the RPC services, such as {@code https://app.example.com}
 * @param rates how much a caller may ask for
 * @param localToken what callers on this machine must send while no API key exists; null admits all of them as admins
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

    /** No pages of other sites, the usual rates. */
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
