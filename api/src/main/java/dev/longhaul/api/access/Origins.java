package dev.longhaul.api.access;

import dev.longhaul.api.http.Problem;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes requests of other sites' pages from requests of our own pages. No page can make a browser forge these
 * headers.
 */
public final class Origins {
    private Origins() {}

    /**
     * Returns whether a page of another site sent the request.
     *
     * @param origin the Origin header
     * @param site the Sec-Fetch-Site header
     * @param authority the host that the request names
     * @param publicOrigin the origin that clients use; null if it is that of {@code authority}
     */
    public static boolean foreign(
            @Nullable String origin, @Nullable String site, @Nullable String authority, @Nullable String publicOrigin) {
        if (origin != null) {
            return !ours(origin, authority, publicOrigin);
        }
        return site != null && !site.equals("none") && !site.equals("same-origin");
    }

    /** Returns whether an Origin header names this server. */
    public static boolean ours(String origin, @Nullable String authority, @Nullable String publicOrigin) {
        String given = origin.toLowerCase(Locale.ROOT);
        if (given.equals(publicOrigin)) {
            return true;
        }
        int start = given.indexOf("://");
        return authority != null && start > 0 && given.substring(start + 3).equals(authority.toLowerCase(Locale.ROOT));
    }

    /** Returns the error for a change that a page of another site sent. */
    public static LonghaulException refused(@Nullable String origin) {
        return new LonghaulException(
                ErrorCode.PERMISSION_DENIED,
                "Origin: " + Problem.brief(origin == null ? "none" : origin)
                        + " (expected: this server's own; pages of other sites may not send changes)");
    }
}
