package dev.longhaul.json;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The secrets of all runs that this process has now: lines of its log hold none of them, whoever writes the line. One for the whole
 * process, as the log is.
 */
public final class LiveSecrets {
    /** The kind of credentials, which stands before them; without it they stand behind their name as others do. */
    private static final Pattern SCHEME = Pattern.compile(
            "(?i)(authorization\\\\?[\"']?\\s*+[:=]\\s*+\\[?\\\\?[\"']?)[a-z][\\w-]*+ ++(?=[^\\s\"'\\\\])");

    /**
     * What stands behind such a name in a line is a secret, too, whoever gave it: up to the quote that ends it, or to the next space
     * but for what closes a bracket before it. Lines may be JSON, with quotes in texts and around them, and stay so.
     */
    private static final Pattern NAMED = Pattern.compile(
            "(?i)((?:passw(?:or)?d|secret|api[-_]?key|access[-_]?key|private[-_]?key|authorization|bearer|token)"
                    + "\\\\?[\"']?\\s*+[:=]\\s*+\\[?)"
                    + "(?:(\\\\\")[^\"\\\\\\n]*+(?:\\\\(?!\")[^\"\\\\\\n]*+){0,100}+\\\\\""
                    + "|(\")(?![,}\\]])[^\"\\\\\\n]*+(?:\\\\.[^\"\\\\\\n]*+){0,100}+\""
                    + "|(')[^'\"\\\\\\n]*+(?:\\\\.[^'\"\\\\\\n]*+){0,100}+'"
                    + "|(\\\\?[\"']?)(?:(?:bearer|basic)\\s++)?"
                    + "(?:[^\\s\"'\\\\&,;}\\])]++|[,;}\\])]++(?![\\s\"'\\\\&]|\\z))++)");

    /** The password in a URL, which may hold what should have been escaped. A port is none. */
    private static final Pattern IN_URL =
            Pattern.compile("(://[^\\s/:@\"'\\\\]*+:)(?!\\d{1,5}+[/?#])[^\\s\"'\\\\]{1,1000}@");

    private static final Map<Object, Secrets> LIVE = new ConcurrentHashMap<>();

    private LiveSecrets() {}

    /** Hides these until {@link #forget} is called with the same owner. */
    public static void remember(Object owner, Secrets secrets) {
        if (secrets.any()) {
            LIVE.put(owner, secrets);
        }
    }

    public static void forget(Object owner) {
        LIVE.remove(owner);
    }

    /** A line of the log without secrets: neither those of runs nor what looks like one by its name. */
    public static String hide(String line) {
        String hidden = line;
        for (Secrets secrets : LIVE.values()) {
            hidden = secrets.hide(hidden);
        }
        String bare = SCHEME.matcher(hidden).replaceAll("$1");
        String unnamed = NAMED.matcher(bare).replaceAll(LiveSecrets::unnamed);
        return IN_URL.matcher(unnamed).replaceAll("$1" + Secrets.HIDDEN + "@");
    }

    private static String unnamed(MatchResult found) {
        String open = found.group(5);
        if (open != null) {
            return Matcher.quoteReplacement(found.group(1) + open + Secrets.HIDDEN);
        }
        String quote =
                found.group(2) != null ? found.group(2) : found.group(3) != null ? found.group(3) : found.group(4);
        return Matcher.quoteReplacement(found.group(1) + quote + Secrets.HIDDEN + quote);
    }
}
