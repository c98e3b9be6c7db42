package dev.longhaul.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.api.http.Fields;
import dev.longhaul.api.http.Problem;
import dev.longhaul.api.http.Request;
import java.net.URLDecoder;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;

/** A request with its body, whichever web framework has read it. */
final class WebRequest implements Request {
    private final Head head;
    private final Map<String, String> parameters;
    private final MultiValueMap<String, String> query;
    private final byte[] body;

    /** @param parameters the path parameters */
    WebRequest(Head head, Map<String, String> parameters, byte[] body) {
        this.head = head;
        this.parameters = parameters;
        this.query = parse(head.query());
        this.body = body;
    }

    private static MultiValueMap<String, String> parse(@Nullable String query) {
        var values = new LinkedMultiValueMap<String, String>();
        if (query != null && !query.isEmpty()) {
            for (String pair : query.split("&", -1)) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                values.add(decoded(name), equals < 0 ? "" : decoded(pair.substring(equals + 1)));
            }
        }
        return values;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, UTF_8);
        } catch (IllegalArgumentException e) {
            throw Fields.bad("query", Problem.brief(text), "percent-encoded UTF-8");
        }
    }

    Head head() {
        return head;
    }

    @Override
    public String path() {
        return head.path();
    }

    @Override
    public String basePath() {
        return head.basePath();
    }

    @Override
    public @Nullable String pathParameter(String name) {
        return parameters.get(name);
    }

    @Override
    public Collection<String> queryNames() {
        return query.keySet();
    }

    @Override
    public List<String> queryValues(String name) {
        return query.getOrDefault(name, List.of());
    }

    @Override
    public List<String> headers(String name) {
        return head.headers().apply(name);
    }

    @Override
    public byte[] body() {
        return body;
    }
}
