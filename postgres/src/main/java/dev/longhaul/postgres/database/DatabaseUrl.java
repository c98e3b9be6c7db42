package dev.longhaul.postgres.database;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A database address as users write it: {@code postgres://user:password@host:5432/name} or a JDBC URL. */
public final class DatabaseUrl {
    private DatabaseUrl() {}

    /** Converts the address to a JDBC URL; error messages never contain the password. */
    public static String toJdbc(String url) {
        if (url.startsWith("jdbc:postgresql:")) {
            return url;
        }
        URI uri = parse(url);
        String scheme = uri.getScheme();
        boolean known = "postgres".equals(scheme) || "postgresql".equals(scheme);
        String path = uri.getPath();
        if (!known || uri.getHost() == null || path == null || path.length() < 2) {
            throw malformed();
        }
        var jdbc = new StringBuilder("jdbc:postgresql://").append(uri.getHost());
        if (uri.getPort() >= 0) {
            jdbc.append(':').append(uri.getPort());
        }
        jdbc.append(uri.getRawPath());
        String separator = "?";
        if (uri.getRawQuery() != null) {
            jdbc.append('?').append(uri.getRawQuery());
            separator = "&";
        }
        String userInfo = uri.getUserInfo();
        if (userInfo != null) {
            int colon = userInfo.indexOf(':');
            jdbc.append(separator).append("user=").append(encoded(colon < 0 ? userInfo : userInfo.substring(0, colon)));
            if (colon >= 0) {
                jdbc.append("&password=").append(encoded(userInfo.substring(colon + 1)));
            }
        }
        return jdbc.toString();
    }

    private static URI parse(String url) {
        try {
            return URI.create(url);
        } catch (IllegalArgumentException e) {
            throw malformed();
        }
    }

    private static LonghaulException malformed() {
        return new LonghaulException(
                ErrorCode.INVALID_ARGUMENT,
                List.of(new FieldError(
                        "database-url",
                        "not shown, it may hold a password",
                        "postgres://user:password@host:5432/name or jdbc:postgresql://…")));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
