package dev.longhaul.server.access;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.util.InetAddressPredicates;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Determines the client of a request. Uses forwarding headers only if a trusted proxy sent them. */
final class Proxies {
    private static final String FORWARDED_FOR = "x-forwarded-for";
    private static final String FORWARDED_PROTO = "x-forwarded-proto";
    private static final List<String> FORWARDED = List.of(FORWARDED_FOR, "x-real-ip", "forwarded");

    private final List<Predicate<InetAddress>> trusted;

    Proxies(List<String> blocks) {
        this.trusted = blocks.stream().map(InetAddressPredicates::ofCidr).toList();
    }

    /**
     * Returns the last address in the chain that does not belong to a trusted proxy. Earlier addresses can be forged.
     */
    InetAddress client(ServiceRequestContext context) {
        return origin(context).address;
    }

    /** Returns whether the client is on this machine and no header indicates a proxy in front of it. */
    boolean fromHere(ServiceRequestContext context) {
        RequestHeaders headers = context.request().headers();
        // Otherwise every client of an undeclared proxy on this machine would count as local.
        boolean undeclared = !trusts(context.remoteAddress().getAddress())
                && FORWARDED.stream().anyMatch(headers::contains);
        Origin origin = origin(context);
        return !undeclared && origin.known && origin.address.isLoopbackAddress();
    }

    /**
     * The first address that the request is known to come from.
     *
     * @param known false if a trusted proxy forwarded a text before that address that is not an address
     */
    private record Origin(InetAddress address, boolean known) {}

    private Origin origin(ServiceRequestContext context) {
        InetAddress address = context.remoteAddress().getAddress();
        List<String> lines = context.request().headers().getAll(FORWARDED_FOR);
        List<String> hops =
                lines.isEmpty() ? List.of() : List.of(String.join(",", lines).split(",", -1));
        for (int i = hops.size() - 1; i >= 0 && trusts(address); i--) {
            InetAddress before = parsed(hops.get(i).strip());
            if (before == null) {
                return new Origin(address, false);
            }
            address = before;
        }
        return new Origin(address, true);
    }

    /** Returns whether the client's own connection is encrypted. */
    boolean secure(ServiceRequestContext context) {
        if (context.sessionProtocol().isTls()) {
            return true;
        }
        String last = context.request().headers().getLast(FORWARDED_PROTO);
        return last != null
                && trusts(context.remoteAddress().getAddress())
                && last.strip().toLowerCase(Locale.ROOT).equals("https");
    }

    private boolean trusts(InetAddress address) {
        return trusted.stream().anyMatch(block -> block.test(address));
    }

    /** Parses an address, with or without a port; returns null for anything else. Never resolves names. */
    private static @Nullable InetAddress parsed(String hop) {
        String host = hop;
        if (hop.startsWith("[") && hop.indexOf(']') > 0) {
            host = hop.substring(1, hop.indexOf(']'));
        } else if (hop.indexOf(':') > 0 && hop.indexOf(':') == hop.lastIndexOf(':')) {
            host = hop.substring(0, hop.indexOf(':'));
        }
        return NetUtil.createInetAddressFromIpAddressString(host);
    }
}
