package dev.longhaul.server;

import com.linecorp.armeria.common.Cookie;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.RequestHeaders;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a browser proves itself: a random token that no script can read and that no other site can make it send. */
final class SessionCookie {
    static final String NAME = "longhaul_session";
    static final Duration LIFE = Duration.ofHours(12);

    private SessionCookie() {}

    static String set(String token, boolean secure) {
        return cookie(token, LIFE, secure);
    }

    static String clear(boolean secure) {
        return cookie("", Duration.ZERO, secure);
    }

    private static String cookie(String token, Duration life, boolean secure) {
        return Cookie.secureBuilder(NAME, token)
                .path("/")
                .maxAge(life.toSeconds())
                .sameSite("Strict")
                .secure(secure)
                .httpOnly(true)
                .build()
                .toSetCookieHeader();
    }

    /** The token that a request carries. */
    static @Nullable String token(RequestHeaders headers) {
        for (Cookie cookie : Cookie.fromCookieHeaders(headers.getAll(HttpHeaderNames.COOKIE))) {
            if (cookie.name().equals(NAME) && !cookie.value().isEmpty()) {
                return cookie.value();
            }
        }
        return null;
    }
}
