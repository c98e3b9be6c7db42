package dev.longhaul.server.webhook;

import com.linecorp.armeria.client.Endpoint;
import com.linecorp.armeria.common.SessionProtocol;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Set;

/**
 * Where a delivery goes: the address that was looked at and no other, so that a name which leads elsewhere a moment later makes no
 * difference. The name stays what TLS checks and what the receiver is addressed by.
 */
record Destination(SessionProtocol protocol, Endpoint endpoint, String path) {
    private static final int HTTPS = 443;
    private static final int HTTP = 80;
    private static final Set<Integer> OPEN_PORTS = Set.of(HTTPS, 8443);

    /** Finds the addresses of a name. */
    interface Resolver {
        InetAddress[] resolve(String host) throws UnknownHostException;
    }

    /** The URL may not be used, or not now. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }

    /**
     * Looks the URL's host up and refuses it unless every one of its addresses may be reached.
     *
     * @param tries from 1; each goes to another address, for one of them may be dead
     */
    static Destination of(URI url, Resolver resolver, AddressRules rules, int tries) throws RefusedException {
        boolean tls = "https".equals(url.getScheme());
        String host = url.getHost();
        if (host == null || !(tls || "http".equals(url.getScheme()))) {
            throw new RefusedException("url: " + url + " (expected: https://host/path)");
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
            // Told below.
        }
        throw new RefusedException("host: " + name + " (expected: a name that leads to an address)");
    }

    private static void check(String name, InetAddress address, boolean tls, int port, AddressRules rules)
            throws RefusedException {
        if (rules.named(address)) {
            return;
        }
        if (!AddressRules.open(address)) {
            throw new RefusedException("host: " + name + " leads to " + address.getHostAddress()
                    + " (expected: a public address, or one in webhook-networks)");
        }
        if (!tls || !OPEN_PORTS.contains(port)) {
            throw new RefusedException("url: " + (tls ? "https" : "http") + " on port " + port
                    + " (expected: https on 443 or 8443, or an address in webhook-networks)");
        }
    }

    private static String path(URI url) {
        String path = url.getRawPath();
        String query = url.getRawQuery();
        return (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query);
    }
}
