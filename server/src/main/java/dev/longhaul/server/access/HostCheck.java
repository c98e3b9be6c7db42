package dev.longhaul.server.access;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.server.http.Caller;
import dev.longhaul.server.http.Fields;
import dev.longhaul.server.http.Problem;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets in only what is addressed to this server and, if it changes something, comes from no other site. A page elsewhere can
 * make a browser send requests here, under a name that it has resolved to this machine or as a form; it cannot make the browser
 * lie about Host and Origin.
 *
 * <p>A wrong Host is answered 400 and not 421 (RFC 9110, 15.5.20), which asks clients to try the same on another connection.
 */
final class HostCheck {
    /** Probes address a machine by whatever name they have for it, and learn nothing but that it lives. */
    private static final Set<String> PROBES = Set.of("/healthz", "/readyz");

    /** Where the RPC services are. */
    private static final String RPC = "/longhaul.v1.";

    private static final String SITE = "sec-fetch-site";

    private final Set<String> allowed = new HashSet<>(List.of("localhost", "127.0.0.1", "::1"));
    private final @Nullable String publicOrigin;
    private final Set<String> allowedOrigins;

    /** @param host where the server listens */
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

    /** Throws if the request should never have come here. */
    void check(ServiceRequestContext context) {
        RequestHeaders headers = context.request().headers();
        if (!PROBES.contains(context.path())) {
            checkHost(context, headers);
        }
        boolean reads = Caller.reads(headers.method());
        if (!reads && foreign(headers) && !invited(context, headers)) {
            throw new LonghaulException(
                    ErrorCode.PERMISSION_DENIED,
                    "Origin: " + Problem.brief(headers.get("origin", "none"))
                            + " (expected: this server's own; pages of other sites may not change anything here)");
        }
    }

    /** Whether a browser vouches that one of this server's own pages has sent it. */
    boolean own(RequestHeaders headers) {
        String origin = headers.get("origin");
        if (origin != null) {
            return ours(origin, headers);
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
        // Bound to all of a machine's addresses: the one that was connected to. A number cannot be made to point
        // elsewhere.
        InetAddress literal = NetUtil.createInetAddressFromIpAddressString(host);
        if (literal != null && literal.equals(context.localAddress().getAddress())) {
            return;
        }
        throw Fields.bad(
                "Host", Problem.brief(authority), "a name of this server; --allowed-hosts and --public-url add some");
    }

    private boolean foreign(RequestHeaders headers) {
        String origin = headers.get("origin");
        if (origin != null) {
            return !ours(origin, headers);
        }
        String site = headers.get(SITE, "none");
        return !site.equals("none") && !site.equals("same-origin");
    }

    /** Whether the operator lets pages of that site call the RPC services, which take no session but only a key. */
    private boolean invited(ServiceRequestContext context, RequestHeaders headers) {
        return context.path().startsWith(RPC) && allowedOrigins.contains(headers.get("origin", ""));
    }

    private boolean ours(String origin, RequestHeaders headers) {
        String given = origin.toLowerCase(Locale.ROOT);
        if (given.equals(publicOrigin)) {
            return true;
        }
        String authority = headers.authority();
        int start = given.indexOf("://");
        return authority != null && start > 0 && given.substring(start + 3).equals(authority.toLowerCase(Locale.ROOT));
    }

    /** Without port, brackets and final dot. */
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
