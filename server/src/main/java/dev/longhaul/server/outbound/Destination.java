package dev.longhaul.server.outbound;

import com.linecorp.armeria.client.Endpoint;
import com.linecorp.armeria.common.SessionProtocol;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Set;

/**
 * The checked address that a request is sent to. The host name is not resolved again, so that DNS rebinding has no
 * effect. TLS still verifies the name, and the Host header contains it.
 */
public record Destination(SessionProtocol protocol, Endpoint endpoint, String path) {
    private static final int HTTPS = 443;
    private static final int HTTP = 80;
    private static final Set<Integer> OPEN_PORTS = Set.of(HTTPS, 8443);

    /** Resolves a host name. */
    public interface Resolver {
        InetAddress[] resolve(String host) throws UnknownHostException;
    }

    /** Thrown if the URL is not allowed, or if its host cannot be resolved now. */
    public static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        private final boolean temporary;

        RefusedException(String message, boolean temporary) {
            super(message);
            this.temporary = temporary;
        }

        /** Returns whether a retry may succeed, because the name could not be resolved. */
        public boolean temporary() {
            return temporary;
        }
    }

    /**
     * Resolves the URL's host. Rejects the host unless all of its addresses are allowed.
     *
     * @param tries number of the attempt, from 1; each attempt uses another address, because one of the addresses may
     * be unreachable
     */
    public static Destination of(URI url, Resolver resolver, AddressRules rules, int tries) throws RefusedException {
        boolean tls = "https".equals(url.getScheme());
        String host = url.getHost();
        if (host == null || !(tls || "http".equals(url.getScheme()))) {
            throw new RefusedException("url: " + url + " (expected: https://host/path)", false);
        }
        String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        int port = url.getPort() > 0 ? url.getPort() : tls ? HTTPS : HTTP;
        InetAddress[] addresses = resolved(name, resolver);
        for (InetAddress address : addresses) {
            check(name, address, tls, port, rules);
        }
        Endpoint endpoint = Endpoint.of(name, port);
        InetAddress one = addresses[Math.floorMod(tries - 1, addresses.length)];
        return new Destination(
                tls ? SessionProtocol.HTTPS : SessionProtocol.H1C,
                endpoint.isIpAddrOnly() ? endpoint : endpoint.withIpAddr(one.getHostAddress()),
                path(url));
    }

    private static InetAddress[] resolved(String name, Resolver resolver) throws RefusedException {
        try {
            InetAddress[] found = resolver.resolve(name);
            if (found.length > 0) {
                return found;
            }
        } catch (UnknownHostException e) {
            // The value is reported as invalid below.
        }
        throw new RefusedException("host: " + name + " (expected: a name that resolves to an address)", true);
    }

    private static void check(String name, InetAddress address, boolean tls, int port, AddressRules rules)
            throws RefusedException {
        if (rules.named(address)) {
            return;
        }
        if (!AddressRules.open(address)) {
            throw new RefusedException(
                    "host: " + name + " resolves to " + address.getHostAddress()
                            + " (expected: a public address, or one in " + rules.setting() + ")",
                    false);
        }
        if (!tls || !OPEN_PORTS.contains(port)) {
            throw new RefusedException(
                    "url: " + (tls ? "https" : "http") + " on port " + port
                            + " (expected: https on 443 or 8443, or an address in " + rules.setting() + ")",
                    false);
        }
    }

    private static String path(URI url) {
        String path = url.getRawPath();
        String query = url.getRawQuery();
        return (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query);
    }
}
