package dev.longhaul.cli.secret;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of passwords on the command line. */
public final class VisiblePassword {
    private static final Logger LOG = LoggerFactory.getLogger(VisiblePassword.class);
    private static final Pattern PASSWORD = Pattern.compile("://[^/@]*:[^/@]+@|[?&]password=.");

    private VisiblePassword() {}

    /** Whether the URL of a database holds a password. */
    public static boolean isIn(@Nullable String url) {
        return url != null && PASSWORD.matcher(url).find();
    }

    /** Logs a warning if the URL, which the option has named on the command line, holds a password. */
    public static void warn(String option, @Nullable String url) {
        warn(option, url, "");
    }

    /** @param instead begins the advice with other places for the URL, such as {@code set LONGHAUL_STORE, or } */
    public static void warn(String option, @Nullable String url, String instead) {
        if (isIn(url)) {
            LOG.warn(
                    "{}: every user of this machine can see the password in the list of processes; {}leave the password out of"
                            + " the URL and put it into ~/.pgpass (PGPASSFILE)",
                    option,
                    instead);
        }
    }
}
