package dev.longhaul.definition;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The secrets of all runs that this process has now: lines of its log hold none of them, whoever writes the line. One for the whole
 * process, as the log is.
 */
public final class LiveSecrets {
    /** What stands behind such a name in a line is a secret, too, whoever gave it. */
    private static final Pattern NAMED = Pattern.compile(
            "(?i)(passw(?:or)?d|secret|api[-_]?key|access[-_]?key|private[-_]?key|authorization|bearer|token)"
                    + "(\\\\?[\"']?\\s*[:=]\\s*\\\\?[\"']?)(?:(?:bearer|basic)\\s+)?([^\\s\"'\\\\,;&}\\])]+)");

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
        return NAMED.matcher(hidden).replaceAll("$1$2" + Secrets.HIDDEN);
    }
}
