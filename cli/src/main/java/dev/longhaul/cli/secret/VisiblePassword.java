package dev.longhaul.cli.secret;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns about passwords on the command line. */
public final class VisiblePassword {
    private static final Logger LOG = LoggerFactory.getLogger(VisiblePassword.class);
    private static final Pattern PASSWORD = Pattern.compile("://[^/@]*:[^/@]+@|[?&]password=.");

    private VisiblePassword() {}

    /** Returns whether a database URL contains a password. */
    public static boolean isIn(@Nullable String url) {
        return url != null && PASSWORD.matcher(url).find();
    }

    /**
     * Logs a warning if the URL contains a password.
     *
     * @param option the option of the command line that sets the URL
     */
    public static void warn(String option, @Nullable String url) {
        warn(option, url, "LONGHAUL_STORE, or store");
    }

    /** @param instead the variable and the key that set the URL, such as {@code LONGHAUL_STORE, or store} */
    public static void warn(String option, @Nullable String url, String instead) {
        if (isIn(url)) {
            LOG.warn(
                    "{}: every user of this machine can see the password in the process list; set {} in the file of"
                            + " --config, or move the password from the URL to ~/.pgpass (PGPASSFILE)",
                    option,
                    instead);
        }
    }
}
