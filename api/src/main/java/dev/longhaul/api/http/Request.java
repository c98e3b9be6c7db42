package dev.longhaul.api.http;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request with its complete body. Each web framework has an implementation. */
public interface Request {
    /** Returns the decoded path below {@link #basePath}. */
    String path();

    /**
     * Returns the path below which the routes are served, such as {@code /longhaul}; empty at the root. Links in
     * responses begin with it.
     */
    String basePath();

    /** Returns the value of {@code {name}} in the path of the route; null if the route has no such parameter. */
    @Nullable
    String pathParameter(String name);

    Collection<String> queryNames();

    List<String> queryValues(String name);

    List<String> headers(String name);

    byte[] body();
}
