package dev.longhaul.server;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.util.InetAddressPredicates;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Tells where a request comes from; what its headers say about that counts only if a trusted proxy has sent it. */
final class Proxies {
    private static final String FORWARDED_FOR = "x-forwarded-for";
    private static final String FORWARDED_PROTO = "x-forwarded-proto";
    private static final List<String> FORWARDED = List.of(FORWARDED_FOR, "x-real-ip", "forwarded");

    private final List<Predicate<InetAddress>> trusted;

    Proxies(List<String> blocks) {
        this.trusted = blocks.stream().map(InetAddressPredicates::ofCidr).toList();
    }

    static boolean isBlock(String text) {
        try {
            InetAddressPredicates.ofCidr(text);
            return NetUtil.createInetAddressFromIpAddressString(text.substring(0, text.indexOf('/'))) != null;
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            return false;
        }
    }

    /**
     * The client: the last address in the chain that is not a trusted proxy's. Those before it are anybody's claim.
     */
    InetAddress client(ServiceRequestContext context) {
        InetAddress address = context.remoteAddress().getAddress();
        List<String> lines = context.request().headers().getAll(FORWARDED_FOR);
        String[] hops = String.join(",", lines).split(",", -1);
        for (int i = hops.length - 1; i >= 0 && trusts(address); i--) {
            InetAddress before = parsed(hops[i].strip());
            if (before == null) {
                break;
            }
            address = before;
        }
        return address;
    }

    /** Whether the client is on this machine, and nothing hints at somebody behind it. */
    boolean fromHere(ServiceRequestContext context) {
        InetAddress peer = context.remoteAddress().getAddress();
        RequestHeaders headers = context.request().headers();
        // An undeclared proxy on this machine would otherwise make all the world local.
        boolean undeclared = !trusts(peer) && FORWARDED.stream().anyMatch(headers::contains);
        return !undeclared && client(context).isLoopbackAddress();
    }

    /** Whether the client's own connection is encrypted. */
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

    /** An address, with or without a port; null for anything else. No name is ever looked up. */
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
