package dev.longhaul.json;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The secrets of all current runs of this process, to be removed from every line of its log. One instance per process,
 * like the log.
 */
public final class LiveSecrets {
    /**
     * An auth scheme (Bearer, Basic, …) before the credential; removed so that the credential follows its name
     * directly.
     */
    private static final Pattern SCHEME = Pattern.compile(
            "(?i)(authorization\\\\?[\"']?\\s*+[:=]\\s*+\\[?\\\\?[\"']?)[a-z][\\w-]*+ ++(?=[^\\s\"'\\\\])");

    /**
     * A value after a name such as {@code password}, which is a secret too. It ends at its closing quote, or before the
     * next space and any closing brackets before that space. Lines may be JSON, with quotes in and around texts, and
     * stay valid JSON.
     */
    private static final Pattern NAMED = Pattern.compile(
            "(?i)((?:passw(?:or)?d|secret|api[-_]?key|access[-_]?key|private[-_]?key|authorization|bearer|token)"
                    + "\\\\?[\"']?\\s*+[:=]\\s*+\\[?)"
                    + "(?:(\\\\\")[^\"\\\\\\n]*+(?:\\\\(?!\")[^\"\\\\\\n]*+){0,100}+\\\\\""
                    + "|(\")(?![,}\\]])[^\"\\\\\\n]*+(?:\\\\.[^\"\\\\\\n]*+){0,100}+\""
                    + "|(')[^'\"\\\\\\n]*+(?:\\\\.[^'\"\\\\\\n]*+){0,100}+'"
                    + "|(\\\\?[\"']?)(?:(?:bearer|basic)\\s++)?"
                    + "(?:[^\\s\"'\\\\&,;}\\])]++|[,;}\\])]++(?![\\s\"'\\\\&]|\\z))++)");

    /** The password in a URL, which may contain unescaped characters. A port is not a password. */
    private static final Pattern IN_URL =
            Pattern.compile("(://[^\\s/:@\"'\\\\]*+:)(?!\\d{1,5}+[/?#])[^\\s\"'\\\\]{1,1000}@");

    private static final Map<Object, Secrets> LIVE = new ConcurrentHashMap<>();

    private LiveSecrets() {}

    /** Hides these secrets until {@link #forget} is called with the same owner. */
    public static void remember(Object owner, Secrets secrets) {
        if (secrets.any()) {
            LIVE.put(owner, secrets);
        }
    }

    public static void forget(Object owner) {
        LIVE.remove(owner);
    }

    /** Returns a log line without the secrets of runs and without values whose names suggest a secret. */
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
