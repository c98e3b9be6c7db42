package dev.longhaul.webhook;

import dev.longhaul.error.Problems;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The form that the URL of a webhook must have. Which addresses it may lead to is decided when it is used. */
public final class WebhookUrl {
    private static final int LONGEST = 2000;
    private static final int HIGHEST_PORT = 65535;
    private static final Pattern DOTTED = Pattern.compile("(0|[1-9][0-9]{0,2})(\\.(0|[1-9][0-9]{0,2})){3}");
    private static final Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");

    private WebhookUrl() {}

    /** Notes what is wrong with {@code text}. */
    static void check(Problems problems, String text) {
        problems.require(text.length() <= LONGEST, "url", text.length() + " characters", "at most " + LONGEST);
        URI url = parsed(text);
        String scheme = url == null ? null : url.getScheme();
        boolean http = scheme != null && (scheme.equals("https") || scheme.equals("http"));
        String host = url == null ? null : url.getHost();
        if (url == null || host == null || !http) {
            problems.require(false, "url", text, "https://host/path");
            return;
        }
        problems.require(url.getRawUserInfo() == null, "url", "with user or password", "without");
        problems.require(url.getRawFragment() == null, "url", text, "without #fragment");
        problems.require(url.getPort() != 0 && url.getPort() <= HIGHEST_PORT, "url", text, "a port from 1 to 65535");
        problems.require(plain(host), "url", host, "a name, a dotted IPv4 address or an IPv6 address in brackets");
    }

    private static @Nullable URI parsed(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** Other ways to write an IPv4 address (decimal, octal, hexadecimal, short) serve to deceive whoever looks at it. */
    private static boolean plain(String host) {
        if (host.startsWith("[")) {
            return !host.contains("%");
        }
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        String last = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return !NUMBER.matcher(last).matches() || DOTTED.matcher(host).matches();
    }
}
