package dev.longhaul.server.outbound;

import com.linecorp.armeria.client.Endpoint;
import com.linecorp.armeria.common.SessionProtocol;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Set;

/**
 * Where a request goes: to the address that was checked and no other, so that a name which resolves differently a moment later makes no
 * difference. TLS still checks the name, and the Host header still has it.
 */
public record Destination(SessionProtocol protocol, Endpoint endpoint, String path) {
    private static final int HTTPS = 443;
    private static final int HTTP = 80;
    private static final Set<Integer> OPEN_PORTS = Set.of(HTTPS, 8443);

    /** Finds the addresses of a name. */
    public interface Resolver {
        InetAddress[] resolve(String host) throws UnknownHostException;
    }

    /** The URL may not be used, or not now. */
    public static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        private final boolean temporary;

        RefusedException(String message, boolean temporary) {
            super(message);
            this.temporary = temporary;
        }

        /** Whether another attempt may find it otherwise: the name could not be resolved. */
        public boolean temporary() {
            return temporary;
        }
    }

    /**
     * Looks the URL's host up and refuses it unless every one of its addresses may be reached.
     *
     * @param tries from 1; each goes to another address, for one of them may be dead
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
            // Told below.
        }
        throw new RefusedException("host: " + name + " (expected: a name that leads to an address)", true);
    }

    private static void check(String name, InetAddress address, boolean tls, int port, AddressRules rules)
            throws RefusedException {
        if (rules.named(address)) {
            return;
        }
        if (!AddressRules.open(address)) {
            throw new RefusedException(
                    "host: " + name + " leads to " + address.getHostAddress()
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
