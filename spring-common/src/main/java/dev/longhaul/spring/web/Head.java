package dev.longhaul.spring.web;

import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request without its body.
 *
 * @param basePath where the dashboard is served, with the application's context path
 * @param path the path below {@code basePath}, not decoded
 * @param query not decoded
 * @param headers the values of a header by its name
 * @param principal the user, if the application knows it
 * @param remote the other end of the connection
 * @param local this end of the connection
 * @param csrf the token for changes by this user; null without one
 */
public record Head(
        String method,
        String basePath,
        String path,
        @Nullable String query,
        Function<String, List<String>> headers,
        @Nullable Principal principal,
        @Nullable InetSocketAddress remote,
        @Nullable InetSocketAddress local,
        Supplier<@Nullable Csrf> csrf) {

    /** The first value of a header; null without one. */
    public @Nullable String header(String name) {
        List<String> values = headers.apply(name);
        return values.isEmpty() ? null : values.get(0);
    }
}
