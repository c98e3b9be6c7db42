package dev.longhaul.server.access;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.Role;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.server.ServerConfig;
import dev.longhaul.server.StartRules;
import dev.longhaul.server.http.HostCheck;
import dev.longhaul.server.http.Problem;
import dev.longhaul.server.http.Route;
import java.net.URI;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds out who sends a request, and whether they may. */
public final class Access {
    private static final String BEARER = "bearer ";

    private final KnownKeys keys;
    private final HostCheck hosts;
    private final Proxies proxies;
    private final RateLimits limits;
    private final ServerConfig config;
    private final AccessAudit audit;
    private final boolean onLoopback;

    public Access(AccessStore store, ServerConfig config) {
        this.keys = new KnownKeys(store);
        this.hosts = new HostCheck(config);
        this.proxies = new Proxies(config.callers().trustedProxies());
        this.limits = new RateLimits(config.callers().rates());
        this.audit = new AccessAudit(store);
        this.config = config;
        this.onLoopback = StartRules.onLoopback(config);
    }

    /** What stands before every service, also those that are no routes. */
    public DecoratingHttpServiceFunction guard() {
        return (HttpService next, ServiceRequestContext context, HttpRequest request) -> {
            try {
                hosts.check(context);
            } catch (LonghaulException e) {
                return Problem.afterReading(request, Problem.of(e));
            }
            return next.serve(context, request);
        };
    }

    /** The sender, who may call the route. May block. */
    public Caller allowed(ServiceRequestContext context, Route route) {
        Role needed = route.role();
        return needed == null ? anybody(context) : allowed(context, needed, route);
    }

    /** The sender, who may do what only {@code needed} may. May block. */
    public Caller allowed(ServiceRequestContext context, Role needed, Object what) {
        Caller caller = caller(context);
        try {
            caller.require(needed, what);
        } catch (LonghaulException e) {
            audit.denied(context, caller, what, e);
            throw e;
        }
        return caller;
    }

    /** For what is open to all. */
    public Caller anybody(ServiceRequestContext context) {
        limits.requestFrom(context, proxies.client(context));
        return Caller.ANYBODY;
    }

    /** An answer for everybody, as often as anybody may ask. */
    public HttpService open(HttpService service) {
        return (context, request) -> {
            try {
                anybody(context);
            } catch (LonghaulException e) {
                return Problem.afterReading(request, Problem.of(e));
            }
            return service.serve(context, request);
        };
    }

    /** The key with that secret. */
    public ApiKey byBearer(ServiceRequestContext context, String secret) {
        byte[] hash = Token.hash(secret);
        return proved(context, hash, () -> keys.byHash(hash)).orElseThrow(() -> {
            audit.wrongKey(context, proxies.client(context));
            LocalToken token = localToken();
            return new LonghaulException(
                    ErrorCode.UNAUTHENTICATED,
                    token != null && token.matches(secret)
                            ? "the local token is no longer valid, because API keys exist now; send one of them"
                            : "no such API key, or it is revoked");
        });
    }

    /** Records requests that were refused, and full views. */
    public AccessAudit audit() {
        return audit;
    }

    /** Whether what the caller came in with still holds. May block. */
    boolean still(ServiceRequestContext context, Caller caller) {
        if (caller.equals(Caller.LOCAL)) {
            return !keys.anyKey();
        }
        RequestHeaders headers = context.request().headers();
        String secret = bearer(headers);
        String token = SessionCookie.token(headers);
        if (secret == null && token == null) {
            return true;
        }
        byte[] hash = Token.hash(secret != null ? secret : String.valueOf(token));
        return keys.fresh(hash) != null || (secret != null ? keys.byHash(hash) : keys.bySession(hash)).isPresent();
    }

    /** Keys or sessions were changed here. */
    public void forget() {
        keys.forget();
    }

    /** Whether a browser must keep its cookie to encrypted connections. */
    public boolean secure(ServiceRequestContext context) {
        URI url = config.callers().publicUrl();
        return proxies.secure(context) || (url != null && "https".equalsIgnoreCase(url.getScheme()));
    }

    private Caller caller(ServiceRequestContext context) {
        if (opensLocally(context)) {
            return local(context);
        }
        ApiKey key = key(context);
        limits.requestWith(context, key.id());
        keys.used(key.id(), context.blockingTaskExecutor());
        return Caller.of(key);
    }

    /** Whether the caller is on this machine, and no API key exists. */
    private boolean opensLocally(ServiceRequestContext context) {
        return onLoopback && proxies.fromHere(context) && !keys.anyKey();
    }

    private Caller local(ServiceRequestContext context) {
        LocalToken token = localToken();
        if (token == null) {
            return Caller.LOCAL;
        }
        RequestHeaders headers = context.request().headers();
        String secret = bearer(headers);
        if (secret == null && token.inCookie(context, headers)) {
            requireOwnPage(headers);
            return Caller.LOCAL;
        }
        if (secret != null && token.matches(secret)) {
            return Caller.LOCAL;
        }
        anybody(context);
        if (secret != null) {
            audit.wrongKey(context, proxies.client(context));
        }
        throw new LonghaulException(ErrorCode.UNAUTHENTICATED, token.advice());
    }

    /** What callers on this machine need while no API key exists; null if nothing. */
    public @Nullable LocalToken localToken() {
        return config.callers().localToken();
    }

    /** The cookie for a browser that sent the server's local token; null if that is wrong, or none is in use. */
    public @Nullable String localCookie(ServiceRequestContext context, String secret) {
        LocalToken token = localToken();
        if (token == null || !token.matches(secret) || !opensLocally(context)) {
            return null;
        }
        return SessionCookie.setLocal(context, token, secure(context));
    }

    private ApiKey key(ServiceRequestContext context) {
        RequestHeaders headers = context.request().headers();
        String secret = bearer(headers);
        if (secret != null) {
            return byBearer(context, secret);
        }
        String token = SessionCookie.token(headers);
        if (token != null) {
            return bySession(context, token);
        }
        anybody(context);
        throw new LonghaulException(
                ErrorCode.UNAUTHENTICATED,
                "send Authorization: Bearer and an API key (longhaul keys create makes one)");
    }

    private ApiKey bySession(ServiceRequestContext context, String token) {
        RequestHeaders headers = context.request().headers();
        byte[] hash = Token.hash(token);
        ApiKey key = proved(context, hash, () -> keys.bySession(hash))
                .orElseThrow(() ->
                        new LonghaulException(ErrorCode.UNAUTHENTICATED, "the session has ended; open a new one"));
        requireOwnPage(headers);
        return key;
    }

    private void requireOwnPage(RequestHeaders headers) {
        if (!Caller.reads(headers.method()) && !hosts.own(headers)) {
            throw new LonghaulException(
                    ErrorCode.PERMISSION_DENIED,
                    "a session changes things only from this server's own pages (expected: their Origin)");
        }
    }

    /** Looks a secret up. Only secrets of no key count as failures: callers with a valid key may share an address with others. */
    private Optional<ApiKey> proved(ServiceRequestContext context, byte[] hash, Supplier<Optional<ApiKey>> lookUp) {
        ApiKey known = keys.fresh(hash);
        if (known != null) {
            return Optional.of(known);
        }
        Optional<ApiKey> found = lookUp.get();
        if (found.isEmpty()) {
            limits.failureFrom(context, proxies.client(context));
        }
        return found;
    }

    private static @Nullable String bearer(RequestHeaders headers) {
        String header = headers.get(HttpHeaderNames.AUTHORIZATION);
        boolean bearer = header != null && header.regionMatches(true, 0, BEARER, 0, BEARER.length());
        return bearer ? header.substring(BEARER.length()).strip() : null;
    }
}
