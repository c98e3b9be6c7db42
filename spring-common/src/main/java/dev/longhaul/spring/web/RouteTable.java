package dev.longhaul.spring.web;

import dev.longhaul.api.http.Method;
import dev.longhaul.api.http.Route;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** Finds the route of a path. */
final class RouteTable {
    private final List<Entry> entries;

    private record Entry(PathPattern pattern, Route route) {}

    /** @param parameters the path parameters, decoded */
    record Match(Route route, Map<String, String> parameters) {}

    RouteTable(List<Route> routes) {
        var parser = new PathPatternParser();
        this.entries = routes.stream()
                .map(route -> new Entry(parser.parse(route.path()), route))
                // The most specific first: /v1/jobs/count before /v1/jobs/{id}.
                .sorted((one, other) -> one.pattern.compareTo(other.pattern))
                .toList();
    }

    /** The route of a path with a method; null if there is none. */
    @Nullable
    Match find(String method, String path) {
        PathContainer container = PathContainer.parsePath(path);
        for (Entry entry : entries) {
            if (entry.route.method().name().equals(method)) {
                PathPattern.PathMatchInfo info = entry.pattern.matchAndExtract(container);
                if (info != null) {
                    return new Match(entry.route, withoutSlash(info.getUriVariables()));
                }
            }
        }
        return null;
    }

    /** The methods that a path supports; empty if it does not exist. */
    List<Method> methods(String path) {
        PathContainer container = PathContainer.parsePath(path);
        var methods = new ArrayList<Method>();
        for (Entry entry : entries) {
            if (entry.pattern.matches(container)) {
                methods.add(entry.route.method());
            }
        }
        return methods.stream().distinct().sorted().toList();
    }

    /** Spring's value of {@code {*name}} begins with a slash, that of other frameworks does not. */
    private static Map<String, String> withoutSlash(Map<String, String> variables) {
        var all = new HashMap<String, String>();
        variables.forEach((name, value) -> all.put(name, value.startsWith("/") ? value.substring(1) : value));
        return all;
    }
}
