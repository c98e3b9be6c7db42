package dev.longhaul.server.access;

import com.linecorp.armeria.common.Cookie;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Session cookies. A cookie contains a random token. Scripts cannot read it, and other sites cannot make a browser send
 * it.
 */
public final class SessionCookie {
    static final String NAME = "longhaul_session";
    public static final Duration LIFE = Duration.ofHours(12);
    private static final Duration LOCAL_LIFE = Duration.ofDays(30);

    private SessionCookie() {}

    public static String set(String token, boolean secure) {
        return cookie(NAME, token, LIFE, secure);
    }

    public static String clear(boolean secure) {
        return cookie(NAME, "", Duration.ZERO, secure);
    }

    /**
     * Returns the name of the cookie for a local token. It contains the port, because browsers share cookies between
     * ports.
     */
    static String local(ServiceRequestContext context) {
        return "longhaul_local_" + context.localAddress().getPort();
    }

    static String setLocal(ServiceRequestContext context, LocalToken token, boolean secure) {
        return cookie(local(context), token.cookieValue(), LOCAL_LIFE, secure);
    }

    public static String clearLocal(ServiceRequestContext context, boolean secure) {
        return cookie(local(context), "", Duration.ZERO, secure);
    }

    private static String cookie(String name, String token, Duration life, boolean secure) {
        return Cookie.secureBuilder(name, token)
                .path("/")
                .maxAge(life.toSeconds())
                .sameSite("Strict")
                .secure(secure)
                .httpOnly(true)
                .build()
                .toSetCookieHeader();
    }

    /** Returns the session token of a request; null if it has none. */
    public static @Nullable String token(RequestHeaders headers) {
        return value(headers, NAME);
    }

    /** Returns the value of a cookie; null if the request does not have it. */
    static @Nullable String value(RequestHeaders headers, String name) {
        for (Cookie cookie : Cookie.fromCookieHeaders(headers.getAll(HttpHeaderNames.COOKIE))) {
            if (cookie.name().equals(name) && !cookie.value().isEmpty()) {
                return cookie.value();
            }
        }
        return null;
    }
}
