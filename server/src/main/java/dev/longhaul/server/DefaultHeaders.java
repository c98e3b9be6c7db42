package dev.longhaul.server;

import com.linecorp.armeria.server.ServerBuilder;
import dev.longhaul.api.http.SecurityHeaders;
import java.util.LinkedHashMap;
import java.util.Map;

/** The headers that Armeria adds to every response; a response may override them. */
final class DefaultHeaders {
    private static final String A_YEAR = "max-age=31536000";

    private DefaultHeaders() {}

    static Map<String, String> of(ServerConfig config) {
        var headers = new LinkedHashMap<String, String>();
        SecurityHeaders.ALL.forEach(header -> headers.put(header.name(), header.value()));
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
