package dev.longhaul.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;

/**
 * A secret that local callers must send while no API key exists. Without it, every user of the machine would be an
 * admin and could run commands as the server's user.
 */
public final class LocalToken {
    private static final String COOKIE_PURPOSE = "longhaul local session ";

    private final String secret;
    private final Path file;
    private final Path headerFile;
    private final String cookieValue;

    /**
     * @param file contains the secret
     * @param headerFile contains the secret as a request header, for {@code curl -H @FILE}
     */
    public LocalToken(String secret, Path file, Path headerFile) {
        this.secret = secret;
        this.file = file;
        this.headerFile = headerFile;
        // Derived from the secret, so that an open tab stays logged in when the server restarts with the same token.
        this.cookieValue = Base64.getUrlEncoder().withoutPadding().encodeToString(Token.hash(COOKIE_PURPOSE + secret));
    }

    /** Returns a secret of 256 random bits. */
    public static String newSecret() {
        return Keys.PREFIX + Token.random();
    }

    public String secret() {
        return secret;
    }

    public Path headerFile() {
        return headerFile;
    }

    boolean matches(String sent) {
        return same(secret, sent);
    }

    /** Returns whether the request has the cookie that a browser got in exchange for the token. */
    boolean inCookie(ServiceRequestContext context, RequestHeaders headers) {
        String sent = SessionCookie.value(headers, SessionCookie.local(context));
        return sent != null && same(cookieValue, sent);
    }

    String cookieValue() {
        return cookieValue;
    }

    String advice() {
        return "this server runs commands, so callers need its token: send Authorization: Bearer and the content of "
                + file + " (curl -H @" + headerFile + "), or open the URL that the server printed when it started";
    }

    private static boolean same(String expected, String sent) {
        return MessageDigest.isEqual(expected.getBytes(UTF_8), sent.getBytes(UTF_8));
    }

    /** Omits the secret, which must not appear in logs. */
    @Override
    public String toString() {
        return "LocalToken";
    }
}
