package dev.longhaul.server.access;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.access.AccessStore;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.Role;
import dev.longhaul.api.access.AccessAudit;
import dev.longhaul.api.http.Call;
import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Failures;
import dev.longhaul.api.http.Method;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Response;
import dev.longhaul.api.http.Route;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.server.http.ArmeriaRequest;
import dev.longhaul.server.http.ArmeriaResponse;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Authorizes requests: identifies the caller, checks the role that a route requires, and runs the route's handler on
 * behalf of the caller. RPC uses the same checks through {@link #allowed}.
 */
public final class Access {
    private static final String BEARER = "bearer ";

    /** Timeout of a request while its body is being read, and of routes that take long. */
    private static final Duration LONG = Duration.ofSeconds(30);

    private final KnownKeys keys;
    private final HostCheck hosts;
    private final Proxies proxies;
    private final RateLimits limits;
    private final Callers callers;
    private final AccessAudit audit;
    private final boolean onLoopback;

    /**
     * @param host the address that the server listens on
     * @param onLoopback whether only callers on this machine can reach it
     */
    public Access(AccessStore store, Callers callers, String host, boolean onLoopback) {
        this.keys = new KnownKeys(store);
        this.hosts = new HostCheck(callers, host);
        this.proxies = new Proxies(callers.trustedProxies());
        this.limits = new RateLimits(callers.rates());
        this.audit = new AccessAudit(store);
        this.callers = callers;
        this.onLoopback = onLoopback;
    }

    /** Checks Host and Origin before every service, including RPC and unknown paths. */
    public DecoratingHttpServiceFunction guard() {
        return (HttpService next, ServiceRequestContext context, HttpRequest request) -> {
            try {
                hosts.check(context);
            } catch (LonghaulException e) {
                return ArmeriaResponse.afterReading(request, ArmeriaResponse.of(Problem.of(e)));
            }
            return next.serve(context, request);
        };
    }

    /** Serves a route to callers that have its role. Failures become error responses. */
    public HttpService serve(Route route) {
        var rights = new LastingRights(this);
        return (context, request) ->
                HttpResponse.of(() -> admit(route, rights, context, request), context.blockingTaskExecutor());
    }

    /** Rejects a request before its body is read, if the caller lacks the role. */
    private HttpResponse admit(Route route, LastingRights rights, ServiceRequestContext context, HttpRequest request) {
        try {
            Role needed = route.role();
            Caller caller = needed == null ? anonymous(context) : allowed(context, needed, route);
            if (route.largestBody() > 0) {
                context.setRequestTimeout(TimeoutMode.SET_FROM_NOW, LONG);
            }
            return HttpResponse.of(request.aggregate()
                    .thenApplyAsync(
                            whole -> handle(
                                    context, route, rights, new Call(new ArmeriaRequest(context, whole), caller)),
                            context.blockingTaskExecutor()));
        } catch (Exception | Error e) {
            return ArmeriaResponse.afterReading(request, ArmeriaResponse.of(Failures.answer(route, e)));
        }
    }

    private HttpResponse handle(ServiceRequestContext context, Route route, LastingRights rights, Call call) {
        try {
            if (route.largestBody() > 0 && !route.takesLong()) {
                context.setRequestTimeout(TimeoutMode.SET_FROM_NOW, Route.ANSWER);
            }
            Response response = route.handle(call);
            HttpResponse sent = ArmeriaResponse.of(context, route, response);
            if (!(response instanceof Response.Complete)) {
                // A streaming response ends when its API key is revoked.
                rights.watch(context, call.caller(), sent::abort);
            }
            return sent;
        } catch (Exception | Error e) {
            audit.denied(context.blockingTaskExecutor(), call.caller(), route, e);
            return ArmeriaResponse.of(Failures.answer(route, e));
        }
    }

    /** Returns the caller of a request. Throws unless the caller has the role {@code needed}. May block. */
    public Caller allowed(ServiceRequestContext context, Role needed, Object what) {
        Caller caller = caller(context);
        try {
            caller.require(needed, what);
        } catch (LonghaulException e) {
            audit.denied(context.blockingTaskExecutor(), caller, what, e);
            throw e;
        }
        return caller;
    }

    /** Returns the caller of a request that requires no key; checks only the rate limit of its address. */
    public Caller anonymous(ServiceRequestContext context) {
        limits.requestFrom(context, proxies.client(context));
        return Caller.ANYBODY;
    }

    /** Serves requests without a key, within the rate limit of the client's address. */
    public HttpService open(HttpService service) {
        return (context, request) -> {
            try {
                anonymous(context);
            } catch (LonghaulException e) {
                return ArmeriaResponse.afterReading(request, ArmeriaResponse.of(Problem.of(e)));
            }
            return service.serve(context, request);
        };
    }

    /** Returns the API key with the secret. */
    public ApiKey byBearer(ServiceRequestContext context, String secret) {
        byte[] hash = Token.hash(secret);
        return proved(context, hash, () -> keys.byHash(hash)).orElseThrow(() -> {
            audit.wrongKey(context.blockingTaskExecutor(), proxies.client(context));
            LocalToken token = localToken();
            return new LonghaulException(
                    ErrorCode.UNAUTHENTICATED,
                    token != null && token.matches(secret)
                            ? "the local token is no longer valid, because API keys exist now; send an API key"
                            : "no such API key, or it is revoked");
        });
    }

    /** Returns the audit trail, which records rejected requests and full views of jobs. */
    public AccessAudit audit() {
        return audit;
    }

    /** Returns whether the caller's key or session is still valid. May block. */
    boolean stillValid(ServiceRequestContext context, Caller caller) {
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

    /** Clears the cache after a change of keys or sessions on this server. */
    public void forget() {
        keys.forget();
    }

    /** Returns whether cookies must be restricted to encrypted connections. */
    public boolean secure(ServiceRequestContext context) {
        URI url = callers.publicUrl();
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

    /** Returns whether the caller is on this machine and no API key exists. */
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
        anonymous(context);
        if (secret != null) {
            audit.wrongKey(context.blockingTaskExecutor(), proxies.client(context));
        }
        throw new LonghaulException(ErrorCode.UNAUTHENTICATED, token.advice());
    }

    /** Returns the token that local callers must send while no API key exists; null if they need none. */
    public @Nullable LocalToken localToken() {
        return callers.localToken();
    }

    /** Returns the cookie for a browser that sent the local token; null if the token is wrong or not in use. */
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
        anonymous(context);
        throw new LonghaulException(
                ErrorCode.UNAUTHENTICATED,
                "send Authorization: Bearer and an API key (longhaul keys create creates one)");
    }

    private ApiKey bySession(ServiceRequestContext context, String token) {
        RequestHeaders headers = context.request().headers();
        byte[] hash = Token.hash(token);
        ApiKey key = proved(context, hash, () -> keys.bySession(hash))
                .orElseThrow(
                        () -> new LonghaulException(ErrorCode.UNAUTHENTICATED, "the session has ended; log in again"));
        requireOwnPage(headers);
        return key;
    }

    private void requireOwnPage(RequestHeaders headers) {
        if (!Method.reads(headers.method().name()) && !hosts.own(headers)) {
            throw new LonghaulException(
                    ErrorCode.PERMISSION_DENIED,
                    "with a session, only this server's own pages may send changes (expected: the Origin of this server)");
        }
    }

    /**
     * Looks up a secret. Only wrong secrets count as failures, because a caller with a valid key may share its address
     * with other callers.
     */
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
