package dev.longhaul.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.Role;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Function;

/** Finds out who sends a request, and whether they may. */
final class Access {
    private static final String BEARER = "Bearer ";

    private final AccessStore store;
    private final ServerConfig config;

    Access(AccessStore store, ServerConfig config) {
        this.store = store;
        this.config = config;
    }

    ServerConfig config() {
        return config;
    }

    /** What stands before every route. */
    Function<? super HttpService, ? extends HttpService> guard() {
        return Function.identity();
    }

    /** The sender, who may call the route. */
    Caller allowed(ServiceRequestContext context, Route route) {
        Role needed = route.role();
        if (needed == null) {
            return new Caller("anybody", Role.VIEWER, null);
        }
        Caller caller = caller(context);
        if (!caller.may(needed)) {
            throw new LonghaulException(
                    ErrorCode.PERMISSION_DENIED,
                    route + " needs the role " + needed.text() + "; this key's is "
                            + caller.role().text());
        }
        return caller;
    }

    private Caller caller(ServiceRequestContext context) {
        String header = context.request().headers().get(HttpHeaderNames.AUTHORIZATION);
        if (header == null
                && !store.anyKey()
                && context.remoteAddress().getAddress().isLoopbackAddress()) {
            return Caller.LOCAL;
        }
        if (header == null || !header.startsWith(BEARER)) {
            throw new LonghaulException(
                    ErrorCode.UNAUTHENTICATED,
                    "send Authorization: Bearer and an API key (longhaul keys create makes one)");
        }
        ApiKey key = store.byHash(hash(header.substring(BEARER.length())))
                .orElseThrow(
                        () -> new LonghaulException(ErrorCode.UNAUTHENTICATED, "no such API key, or it is revoked"));
        return new Caller(key.name(), key.role(), key.id());
    }

    static byte[] hash(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
