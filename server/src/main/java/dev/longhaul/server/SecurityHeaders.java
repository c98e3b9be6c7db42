package dev.longhaul.server;

import com.linecorp.armeria.server.ServerBuilder;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Security headers of every response. A response may override them: HTML pages have their own content security policy, and
 * static files may be cached.
 */
final class SecurityHeaders {
    private static final String A_YEAR = "max-age=31536000";

    private SecurityHeaders() {}

    static Map<String, String> of(ServerConfig config) {
        var headers = new LinkedHashMap<String, String>();
        headers.put("x-content-type-options", "nosniff");
        headers.put("referrer-policy", "no-referrer");
        headers.put(
                "content-security-policy",
                "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        headers.put("x-frame-options", "DENY");
        headers.put("cross-origin-resource-policy", "same-origin");
        headers.put("cache-control", "no-store");
        if (config.listen().tls() != null) {
            headers.put("strict-transport-security", A_YEAR);
        }
        return headers;
    }

    static void addTo(ServerBuilder builder, ServerConfig config) {
        builder.disableServerHeader();
        of(config).forEach(builder::setHeader);
    }
}
