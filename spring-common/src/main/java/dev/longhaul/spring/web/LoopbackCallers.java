package dev.longhaul.spring.web;

import dev.longhaul.api.access.Origins;
import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Method;
import dev.longhaul.api.http.Problem;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Without Spring Security, every process of this machine is an admin, and no other machine has access. Both ends of the
 * connection must be loopback addresses: the client's alone may come from a header that the client has sent.
 */
public final class LoopbackCallers implements Callers {
    private static final Set<String> NAMES = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final List<String> FORWARDED = List.of(
            "forwarded",
            "via",
            "x-client-ip",
            "x-forwarded-by",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-port",
            "x-forwarded-prefix",
            "x-forwarded-proto",
            "x-forwarded-scheme",
            "x-forwarded-server",
            "x-forwarded-ssl",
            "x-real-ip");

    private final boolean behindProxy;

    /** @param behindProxy whether the application takes the client's address from headers */
    public LoopbackCallers(boolean behindProxy) {
        this.behindProxy = behindProxy;
    }

    @Override
    public Caller of(Head request) {
        return Caller.LOCAL;
    }

    @Override
    public void guard(Head request) {
        boolean forwarded = behindProxy
                || FORWARDED.stream()
                        .anyMatch(name -> !request.headers().apply(name).isEmpty());
        if (forwarded || !loopback(request.remote()) || !loopback(request.local())) {
            throw new LonghaulException(
                    ErrorCode.PERMISSION_DENIED,
                    "without Spring Security, Longhaul serves only requests from this machine"
                            + (forwarded ? ", and no proxy" : "") + "; add Spring Security to the application");
        }
        String host = request.header("host");
        // A page of another site can reach this machine by DNS rebinding, but cannot forge the Host.
        if (host == null || !NAMES.contains(name(host))) {
            throw Fields.bad("Host", Problem.brief(host == null ? "none" : host), "localhost, 127.0.0.1 or [::1]");
        }
        String origin = request.header("origin");
        if (!Method.reads(request.method()) && Origins.foreign(origin, request.header("sec-fetch-site"), host, null)) {
            throw Origins.refused(origin);
        }
    }

    private static boolean loopback(@Nullable InetSocketAddress address) {
        return address != null
                && address.getAddress() != null
                && address.getAddress().isLoopbackAddress();
    }

    private static String name(String host) {
        return host.strip().toLowerCase(Locale.ROOT).replaceFirst(":[0-9]*$", "");
    }
}
