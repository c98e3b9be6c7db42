package dev.longhaul.server.access;

import com.linecorp.armeria.common.Cookie;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a browser proves itself: a random token that no script can read and that no other site can make it send. */
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

    /** The cookie that stands for a local token. Browsers share cookies between ports, so the port is in its name. */
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

    /** The token that a request carries. */
    public static @Nullable String token(RequestHeaders headers) {
        return value(headers, NAME);
    }

    /** The value of the cookie with that name; null without one. */
    static @Nullable String value(RequestHeaders headers, String name) {
        for (Cookie cookie : Cookie.fromCookieHeaders(headers.getAll(HttpHeaderNames.COOKIE))) {
            if (cookie.name().equals(name) && !cookie.value().isEmpty()) {
                return cookie.value();
            }
        }
        return null;
    }
}
