package dev.longhaul.server.access;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.api.access.Origins;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Method;
import dev.longhaul.api.http.Problem;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests with a foreign Host, and changes with a foreign Origin. A page of another site can make a browser
 * send requests to this server, through DNS rebinding or a form, but it cannot make the browser forge Host and Origin.
 *
 * <p>The status for a wrong Host is 400. It is not 421 (RFC 9110, 15.5.20), because clients may retry a 421 on another
 * connection.
 */
final class HostCheck {
    /** Paths of health checks. They are served under any host name, and reveal only whether the server is healthy. */
    private static final Set<String> PROBES = Set.of("/healthz", "/readyz");

    /** Path prefix of the RPC services. */
    private static final String RPC = "/longhaul.v1.";

    private static final String SITE = "sec-fetch-site";

    private final Set<String> allowed = new HashSet<>(List.of("localhost", "127.0.0.1", "::1"));
    private final @Nullable String publicOrigin;
    private final Set<String> allowedOrigins;

    /** @param host the address that the server listens on */
    HostCheck(Callers callers, String host) {
        allowed.add(name(host));
        callers.allowedHosts().forEach(one -> allowed.add(name(one)));
        allowedOrigins = Set.copyOf(callers.allowedOrigins());
        URI url = callers.publicUrl();
        if (url == null) {
            publicOrigin = null;
        } else {
            allowed.add(name(url.getHost()));
            publicOrigin = (url.getScheme() + "://" + url.getAuthority()).toLowerCase(Locale.ROOT);
        }
    }

    /** Throws if the request has a foreign Host, or if it is a change with a foreign Origin. */
    void check(ServiceRequestContext context) {
        RequestHeaders headers = context.request().headers();
        if (!PROBES.contains(context.path())) {
            checkHost(context, headers);
        }
        boolean reads = Method.reads(headers.method().name());
        if (!reads && foreign(headers) && !invited(context, headers)) {
            throw Origins.refused(headers.get("origin"));
        }
    }

    /** Returns whether the browser's headers show that a page of this server sent the request. */
    boolean own(RequestHeaders headers) {
        String origin = headers.get("origin");
        if (origin != null) {
            return Origins.ours(origin, headers.authority(), publicOrigin);
        }
        return headers.get(SITE, "").equals("same-origin");
    }

    private void checkHost(ServiceRequestContext context, RequestHeaders headers) {
        String authority = headers.authority();
        for (String given : headers.getAll("host")) {
            requireAllowed(context, given);
        }
        requireAllowed(context, authority == null ? "" : authority);
    }

    private void requireAllowed(ServiceRequestContext context, String authority) {
        String host = name(authority);
        if (allowed.contains(host)) {
            return;
        }
        // The server listens on all addresses: accept the address that the client connected to. DNS rebinding needs a
        // name, not an address.
        InetAddress literal = NetUtil.createInetAddressFromIpAddressString(host);
        if (literal != null && literal.equals(context.localAddress().getAddress())) {
            return;
        }
        throw Fields.bad(
                "Host", Problem.brief(authority), "a name of this server, or one in --allowed-hosts or --public-url");
    }

    private boolean foreign(RequestHeaders headers) {
        return Origins.foreign(headers.get("origin"), headers.get(SITE), headers.authority(), publicOrigin);
    }

    /**
     * Returns whether the operator allows pages of the origin to call the RPC services. These accept API keys, but no
     * session cookies.
     */
    private boolean invited(ServiceRequestContext context, RequestHeaders headers) {
        return context.path().startsWith(RPC) && allowedOrigins.contains(headers.get("origin", ""));
    }

    /** Returns the host name without port, brackets and trailing dot. */
    private static String name(String authority) {
        String text = authority.strip().toLowerCase(Locale.ROOT);
        int colon = text.lastIndexOf(':');
        if (text.startsWith("[")) {
            int end = text.indexOf(']');
            text = end < 0 ? text : text.substring(1, end);
        } else if (colon >= 0 && colon == text.indexOf(':')) {
            text = text.substring(0, colon);
        }
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }
}
