package dev.longhaul.job;

import dev.longhaul.error.Problems;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The required form of a webhook's URL: an endpoint or, for subscriptions only, a topic of Kafka. Which addresses it may lead
 * to is checked when it is used.
 */
public final class WebhookUrl {
    private static final int LONGEST = 2000;
    private static final int HIGHEST_PORT = 65535;
    private static final int HTTPS = 443;
    private static final int HTTP = 80;
    private static final String PLAIN = "[A-Za-z0-9._~!$&'()*+,;=:@/?-]*+";
    private static final String TEXT = PLAIN + "(?:%[0-9A-Fa-f]{2}" + PLAIN + ")*+";
    private static final Pattern FORM =
            Pattern.compile("(?<scheme>https?)://(?<host>\\[[0-9A-Fa-f:.]{2,45}]|[A-Za-z0-9.-]{1,253})"
                    + "(?::(?<port>[0-9]{1,5}))?(?:[/?]" + TEXT + ")?");
    private static final String BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final Pattern DOTTED = Pattern.compile(BYTE + "(?:\\." + BYTE + "){3}");
    private static final String LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
    private static final Pattern NAME = Pattern.compile(LABEL + "(?:\\." + LABEL + ")*\\.?");
    /**
     * The groups of an IPv6 address: up to four hexadecimal digits each; an IPv4 address may stand for the last two.
     */
    private static final Pattern GROUPS =
            Pattern.compile("(?:[0-9A-Fa-f]{1,4}:)*(?:[0-9A-Fa-f]{1,4}|" + DOTTED.pattern() + ")");

    private static final int GROUPS_OF_ADDRESS = 8;
    private static final Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");
    private static final Pattern PASSWORD = Pattern.compile("//[^/]*@");

    private static final String TOPIC = "kafka:";
    private static final Pattern TOPIC_NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}");
    /** Topics of Longhaul itself, such as accepted jobs: no event may be sent to them. */
    private static final String RESERVED_TOPICS = "longhaul.";

    private WebhookUrl() {}

    /** Adds the problems of the URL of a subscription. */
    public static void checkSubscription(Problems problems, String text) {
        if (isTopic(text)) {
            String name = topic(text);
            boolean valid = TOPIC_NAME.matcher(name).matches() && !name.startsWith(RESERVED_TOPICS);
            problems.require(
                    valid,
                    "url",
                    text,
                    "kafka:TOPIC, a name of up to 200 letters, digits, dots, _ and - that does not begin with "
                            + RESERVED_TOPICS);
        } else {
            check(problems, text);
        }
    }

    /** Whether the URL names a topic of Kafka. */
    public static boolean isTopic(String url) {
        return url.startsWith(TOPIC);
    }

    /** The name of the topic. */
    public static String topic(String url) {
        return url.substring(TOPIC.length());
    }

    /** Adds the problems of {@code text}, which must be the URL of an endpoint. */
    public static void check(Problems problems, String text) {
        if (text.length() > LONGEST) {
            problems.require(false, "url", text.length() + " characters", "at most " + LONGEST);
            return;
        }
        Matcher form = FORM.matcher(text);
        String shown = PASSWORD.matcher(text).replaceFirst("//***@");
        if (!form.matches()) {
            problems.require(
                    false,
                    "url",
                    shown,
                    "https://host/path, without user, password and fragment, with %xx for other characters");
            return;
        }
        String port = form.group("port");
        boolean real = port == null || (Integer.parseInt(port) > 0 && Integer.parseInt(port) <= HIGHEST_PORT);
        problems.require(real, "url", shown, "a port from 1 to " + HIGHEST_PORT);
        String host = form.group("host");
        problems.require(plain(host), "url", host, "a name, a dotted IPv4 address or an IPv6 address in brackets");
    }

    /** The host of an endpoint; a topic as it is. */
    public static String host(String url) {
        return isTopic(url) ? url : matched(url).group("host");
    }

    private static Matcher matched(String url) {
        Matcher form = FORM.matcher(url);
        if (!form.matches()) {
            throw new IllegalArgumentException("url: not checked");
        }
        return form;
    }

    /** Scheme, host and port, normalized. */
    static String origin(String url) {
        Matcher form = matched(url);
        String scheme = form.group("scheme");
        String port = form.group("port");
        int number = port == null ? 0 : Integer.parseInt(port);
        boolean usual = port == null || number == (scheme.equals("https") ? HTTPS : HTTP);
        return scheme + "://" + form.group("host").toLowerCase(Locale.ROOT) + (usual ? "" : ":" + number);
    }

    /** Rejects other notations of an IPv4 address (decimal, octal, hexadecimal, short): they disguise the address. */
    private static boolean plain(String host) {
        if (host.startsWith("[")) {
            return isAddress(host.substring(1, host.length() - 1));
        }
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        String last = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return NUMBER.matcher(last).matches()
                ? DOTTED.matcher(host).matches()
                : NAME.matcher(host).matches() && Character.isLetter(last.charAt(0));
    }

    private static boolean isAddress(String text) {
        int gap = text.indexOf("::");
        if (gap < 0) {
            return groups(text) == GROUPS_OF_ADDRESS;
        }
        String before = text.substring(0, gap);
        String after = text.substring(gap + 2);
        return !before.contains(".") && groups(before) + groups(after) < GROUPS_OF_ADDRESS;
    }

    /** The number of groups; a number above the limit if the text is malformed. */
    private static int groups(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        if (!GROUPS.matcher(text).matches()) {
            return GROUPS_OF_ADDRESS + 1;
        }
        return (int) text.chars().filter(c -> c == ':').count() + (text.contains(".") ? 2 : 1);
    }
}
