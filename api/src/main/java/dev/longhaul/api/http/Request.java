package dev.longhaul.api.http;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request with its whole body. Each web framework has an implementation. */
public interface Request {
    /** The path below {@link #basePath}, decoded. */
    String path();

    /** Where the routes are served, such as {@code /longhaul}; empty at the root. Links in responses begin with it. */
    String basePath();

    /** The value of {@code {name}} in the path of the route; null if the route has no such part. */
    @Nullable
    String pathParameter(String name);

    Collection<String> queryNames();

    List<String> queryValues(String name);

    List<String> headers(String name);

    byte[] body();
}
