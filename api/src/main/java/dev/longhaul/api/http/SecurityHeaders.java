package dev.longhaul.api.http;

import java.util.List;

/**
 * Security headers of every response. A response may override them: HTML pages have their own content security policy, and
 * static files may be cached.
 */
public final class SecurityHeaders {
    public static final List<Response.Header> ALL = List.of(
            new Response.Header("x-content-type-options", "nosniff"),
            new Response.Header("referrer-policy", "no-referrer"),
            new Response.Header(
                    "content-security-policy",
                    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
            new Response.Header("x-frame-options", "DENY"),
            new Response.Header("cross-origin-resource-policy", "same-origin"),
            new Response.Header("cache-control", "no-store"));

    private SecurityHeaders() {}
}
